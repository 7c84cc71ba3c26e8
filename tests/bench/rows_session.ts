import { join } from "@std/path";
import type { Figure } from "./figure.ts";
import { median } from "./figure.ts";
import { type Draft, longSession } from "../support/long_session.ts";
import {
  code,
  fastRlm,
  floor,
  inTempDir,
  MODELS,
  runScript,
  untilFirstModelRequest,
} from "./program.ts";
import type { Bench, Row } from "./row.ts";

const TEXTS = "for (let i = 0; i < 12; i++) " +
  "globalThis['text' + i] = (i + ' storms and ships; ').repeat(300_000).slice(0, 4_200_000)";
const ROWS = "for (let i = 0; i < 12; i++) globalThis['rows' + i] = " +
  "Array.from({length: 45_000}, (_, n) => ({n: n + i, text: i + ' storms and ships ' + n, at: n / 7}))";

/** A session that holds what `make` left. */
async function build({ server }: Bench, dir: string, make: string): Promise<void> {
  await server.script({ root: [code(make), code("FINAL(1)")] });
  await fastRlm(["build", "--session-dir", dir, "--variable-cap", "20", ...MODELS], { server });
}

function savedBytes(dir: string): number {
  const { payloads } = JSON.parse(Deno.readTextFileSync(join(dir, "state.json"))) as {
    payloads: Record<string, { bytes: number }>;
  };
  return Object.values(payloads).reduce((sum, { bytes }) => sum + bytes, 0);
}

async function resumeTime({ server }: Bench, dir: string): Promise<number> {
  await server.script({ root: [code("FINAL(2)")] });
  const args = ["again", "--session-dir", dir, "--variable-cap", "20"];
  return await untilFirstModelRequest(args, { server });
}

async function resumeTimes(bench: Bench, dir: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < bench.times; i++) times.push(await resumeTime(bench, dir));
  return median(times);
}

/** Milliseconds of `devalue.parse` of all payloads, and of a restore of the same session. */
async function restoreTimes(dir: string): Promise<{ parse: number; restore: number }> {
  const { stdout } = await runScript(floor("restore"), [dir]);
  return JSON.parse(stdout);
}

async function restore(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, make] of [["text", TEXTS], ["rows of objects", ROWS]] as const) {
    await inTempDir(async (dir) => {
      await build(bench, dir, make);
      const megabytes = Math.round(savedBytes(dir) / 1e6);
      const parses: number[] = [];
      const restores: number[] = [];
      for (let i = 0; i < Math.min(3, bench.times); i++) {
        const { parse, restore } = await restoreTimes(dir);
        parses.push(parse);
        restores.push(restore);
      }
      figures.push({
        row: `restore of ${megabytes} MB of ${what}`,
        unit: "ms",
        value: median(restores),
        floor: { value: median(parses), what: "devalue.parse" },
        ...(what === "text" ? {} : { limit: { timesFloor: 1.5 } }),
        note: "files, pipe and values",
      }, {
        row: `resume with ${megabytes} MB of ${what} → first request`,
        unit: "ms",
        value: await resumeTimes(bench, dir),
        ...(what === "text" ? { limit: { max: 700 } } : {}),
      });
    });
  }
  return figures;
}

/** Code that leaves the names of a session of so many queries, each with a value of its own. */
function namesOf(queries: number): string {
  const rows = "Array.from({length: i % 30}, (_, n) => ({episode: n, guest: 'guest ' + i}))";
  return `for (let i = 0; i < ${queries}; i++) {
  globalThis['hits' + i] = ${rows};
  globalThis['byGuest' + i] = new Map([['guest ' + i, ['00:12:' + i]]]);
}
var episodes = Array.from({length: 40}, (_, n) => ({raw: '# Episode ' + n}));
function search(list, words) { return list.filter((e) => e.raw.includes(words)); }`;
}

/** Gives a session the ledger and the steps of one with so many queries. */
async function age(dir: string, queries: number): Promise<void> {
  const path = join(dir, "state.json");
  const manifest = JSON.parse(await Deno.readTextFile(path)) as Draft;
  const old = longSession(queries);
  for (const [name, variable] of Object.entries(manifest.variables)) {
    const { query, step, comment } = old.variables[name] ?? { query: 1, step: 1 };
    manifest.variables[name] = { ...variable, query, step, ...(comment ? { comment } : {}) };
  }
  manifest.queries = old.queries;
  manifest.steps = old.steps;
  await Deno.writeTextFile(path, JSON.stringify(manifest));
}

async function old(bench: Bench): Promise<Figure[]> {
  return await inTempDir(async (root) => {
    const ages = [5, 50, 500] as const;
    const took: Record<number, number[]> = {};
    const logged: number[] = [];
    for (const queries of ages) {
      const dir = join(root, String(queries));
      await build(bench, dir, namesOf(queries));
      await age(dir, queries);
      took[queries] = [];
    }
    // Many, for what is looked at is a small difference.
    for (let i = 0; i < 2 * bench.times; i++) {
      for (const queries of ages) {
        took[queries]!.push(await resumeTime(bench, join(root, String(queries))));
      }
    }
    const line = JSON.stringify({ event_type: "execution_result", output: "x".repeat(4_000) });
    const chunk = `${line}\n`.repeat(2_500);
    const log = await Deno.open(join(root, "5", "logs", "old.jsonl"), {
      create: true,
      write: true,
    });
    for (let i = 0; i < (bench.quick ? 5 : 20); i++) {
      await log.write(new TextEncoder().encode(chunk));
    }
    log.close();
    for (let i = 0; i < bench.times; i++) logged.push(await resumeTime(bench, join(root, "5")));
    const young = median(took[5]!);
    const floorOf5 = { value: young, what: "session of 5 queries" };
    return [
      { row: "resume of a session of 5 queries", unit: "ms", value: young },
      { row: "… of 50 queries", unit: "ms", value: median(took[50]!), floor: floorOf5 },
      {
        row: "… of 500 queries",
        unit: "ms",
        value: median(took[500]!),
        floor: floorOf5,
        limit: { max: young + 50 },
      },
      {
        row: `… of 5 queries and ${bench.quick ? 50 : 200} MB of transcripts`,
        unit: "ms",
        value: median(logged),
        floor: floorOf5,
        limit: { max: young + 50 },
      },
    ];
  });
}

/** Rows about resuming. */
export const sessionRows: readonly Row[] = [
  { name: "restore", measure: restore },
  { name: "age", measure: old },
];
