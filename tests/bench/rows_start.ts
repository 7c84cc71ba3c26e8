import { join } from "@std/path";
import type { Figure } from "./figure.ts";
import { median, medianOf } from "./figure.ts";
import { treeMemory } from "./memory.ts";
import {
  code,
  fastRlm,
  floor,
  inTempDir,
  MODELS,
  runScript,
  untilFirstModelRequest,
  untilFirstRequest,
} from "./program.ts";
import type { Bench, Row } from "./row.ts";

const MB = 1e6;

async function start({ server, times }: Bench): Promise<Figure[]> {
  await server.script({ root: [code("FINAL(1)")] });
  return await inTempDir(async (cwd) => {
    const floors: number[] = [];
    const ours: number[] = [];
    // By turns, so that a slow minute of the machine is slow for both.
    for (let i = 0; i < times; i++) {
      await server.script({ root: [code("FINAL(1)")] });
      floors.push(await untilFirstRequest(floor("sdk_request"), [], { server, cwd }));
      await server.script({ root: [code("FINAL(1)")] });
      ours.push(await untilFirstModelRequest(["x"], { server, cwd }));
    }
    return [{
      row: "process start → first model request",
      unit: "ms",
      value: median(ours),
      floor: { value: median(floors), what: "AI SDK, provider, one request" },
      limit: { timesFloor: 1.3, max: 400 },
    }];
  });
}

/** A file of numbered lines. */
async function writeText(path: string, bytes: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  const encoder = new TextEncoder();
  for (let line = 0, left = bytes; left > 0;) {
    let text = "";
    while (text.length < Math.min(left, MB)) {
      text += `line ${line++}: the lighthouse keeper spoke of storms and of ships\n`;
    }
    const part = encoder.encode(text.slice(0, left));
    await file.write(part);
    left -= part.length;
  }
}

async function largeContext(bench: Bench, megabytes: number, times: number): Promise<Figure[]> {
  const { server } = bench;
  const figures: Figure[] = [];
  await inTempDir(async (cwd) => {
    const path = join(cwd, "text.txt");
    await writeText(path, megabytes * MB);
    const args = ["how many?", "--input-file", path];
    const script = { root: [code("FINAL(context.length)")] };
    const value = await medianOf(times, async () => {
      await server.script(script);
      return await untilFirstModelRequest(args, { server, cwd });
    });
    const least = await medianOf(times, async () => {
      await server.script(script);
      return await untilFirstRequest(floor("read_file"), [path], { server, cwd });
    });
    await server.script(script);
    const ran = await fastRlm([...args, ...MODELS], { server, cwd, watch: true });
    if (ran.stdout.trim() !== String(megabytes * MB)) throw new Error(`answered ${ran.stdout}`);
    const limited = megabytes === 50;
    figures.push({
      row: `${megabytes} MB context → first request`,
      unit: "ms",
      value,
      floor: { value: least, what: "provider, read and decode the file, one request" },
      ...(limited ? { limit: { max: 900 } } : {}),
    }, {
      row: `${megabytes} MB context, memory`,
      unit: "MB",
      value: ran.peak / MB,
      floor: { value: megabytes, what: "the text" },
      ...(limited ? { limit: { max: 350 } } : {}),
      note: "peak over all processes",
    });
  });
  return figures;
}

async function idle({ server }: Bench): Promise<Figure[]> {
  return await inTempDir(async (cwd) => {
    await server.script({ root: [code("1"), { ...code("FINAL(1)"), delayMs: 2_500 }] });
    const seen: number[] = [];
    await fastRlm(["x", ...MODELS], {
      server,
      cwd,
      onStart: (pid) => {
        for (const at of [1_600, 1_900, 2_200]) setTimeout(() => seen.push(treeMemory(pid)), at);
      },
    });
    let empty = 0;
    await runScript(floor("wait"), ["1000"], {
      cwd,
      onStart: (pid) => void setTimeout(() => empty = treeMemory(pid), 700),
    });
    return [{
      row: "idle memory of a run",
      unit: "MB",
      value: median(seen) / MB,
      floor: { value: empty / MB, what: "one empty Deno process" },
      limit: { max: 110 },
      note: "host and sandbox",
    }];
  });
}

async function smallCommands({ server, times }: Bench): Promise<Figure[]> {
  return await inTempDir(async (cwd) => {
    await server.script({ root: [code("FINAL(1)")] });
    await fastRlm(["x", ...MODELS, "--log-dir", cwd], { server, cwd });
    const log = [...Deno.readDirSync(cwd)].find(({ name }) => name.endsWith(".jsonl"));
    if (!log) throw new Error("the run left no transcript");
    const took = { empty: [] as number[], help: [] as number[], stats: [] as number[] };
    for (let i = 0; i < 4 * times; i++) {
      took.empty.push((await runScript(floor("empty"), [], { cwd })).took);
      took.help.push((await fastRlm(["--help"], { cwd })).took);
      took.stats.push((await fastRlm(["log", join(cwd, log.name), "--stats"], { cwd })).took);
    }
    const least = { value: median(took.empty), what: "empty deno run" };
    const limit = { timesFloor: 1.5 };
    return [
      { row: "fast-rlm --help", unit: "ms", value: median(took.help), floor: least, limit },
      { row: "fast-rlm log --stats", unit: "ms", value: median(took.stats), floor: least, limit },
    ];
  });
}

/** Rows about starting, contexts and memory. */
export const startRows: readonly Row[] = [
  { name: "start", measure: start },
  { name: "commands", measure: smallCommands },
  { name: "idle", measure: idle },
  { name: "context", measure: (bench) => largeContext(bench, 50, bench.times) },
  { name: "context-500", heavy: true, measure: (bench) => largeContext(bench, 500, 1) },
];
