import { join } from "@std/path";
import type { Figure } from "./figure.ts";
import { median } from "./figure.ts";
import { code, fastRlm, gaps, inTempDir, MODELS } from "./program.ts";
import type { Bench, Row } from "./row.ts";

/** The step after the state was made still encodes and writes it; those that follow do not. */
const SKIP = 3;

interface Unchanged {
  /** Median from reply to next request, milliseconds. */
  readonly gap: number;
  /** Bytes of value files written after the state was on disk. */
  readonly written: number;
}

/** Steps that leave alone what the first one made. */
async function unchanged(
  { server, quick }: Bench,
  make: string,
  delayMs: number,
): Promise<Unchanged> {
  return await inTempDir(async (dir) => {
    const steps = (quick ? 10 : 16) + SKIP;
    const small = Array.from({ length: steps }, (_, at) => ({
      ...code(`var n = ${at}; print(n)`),
      // The reply in which the state is saved first takes its time.
      delayMs: at === 0 ? Math.max(delayMs, 1_500) : delayMs,
    }));
    await server.script({ root: [code(make), ...small, code("FINAL(n)")] });
    const args = ["x", "--max-calls", String(steps + 5), "--session-dir", dir, ...MODELS];
    await fastRlm(args, { server, cwd: dir });
    const served = await server.served();
    const saved = served.find(({ step }) => step === 2)?.received ?? Infinity;
    let written = 0;
    try {
      for (const { name } of Deno.readDirSync(join(dir, "values"))) {
        const { mtime, size } = Deno.statSync(join(dir, "values", name));
        if ((mtime?.getTime() ?? 0) > saved) written += size;
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return { gap: median(gaps(served).slice(SKIP)), written };
  });
}

const STRINGS = "for (let i = 0; i < 20; i++) " +
  "globalThis['text' + i] = (i + ' storms and ships; ').repeat(60_000).slice(0, 1_000_000)";
const OBJECTS = "var rows = Array.from({length: 100_000}, (_, i) => ({i, name: 'n' + i}))";

async function strings(bench: Bench): Promise<Figure[]> {
  const none = await unchanged(bench, "var none = 0", 0);
  const some = await unchanged(bench, STRINGS, 0);
  return [{
    row: "20 unchanged strings of 1 MB: added to a step of an instant model",
    unit: "ms",
    value: Math.max(0, some.gap - none.gap),
    floor: { value: none.gap, what: "a step without them" },
    limit: { max: 20 },
  }, {
    row: "20 unchanged strings of 1 MB: value bytes written",
    unit: "bytes",
    value: some.written,
    limit: { max: 0 },
  }];
}

async function objects(bench: Bench): Promise<Figure[]> {
  const none = await unchanged(bench, "var none = 0", 500);
  const thinking = await unchanged(bench, OBJECTS, 500);
  const instant = await unchanged(bench, OBJECTS, 0);
  return [{
    row: "100,000 small objects: added to a step of a model of 500 ms",
    unit: "ms",
    value: Math.max(0, thinking.gap - none.gap),
    floor: { value: none.gap, what: "a step without them" },
    limit: { max: 30 },
  }, {
    row: "100,000 small objects: a step of an instant model",
    unit: "ms",
    value: instant.gap,
    note: "encodes and compares them all",
  }];
}

/** Rows about state that does not change. */
export const stateRows: readonly Row[] = [
  { name: "strings", measure: strings },
  { name: "objects", measure: objects },
];
