import type { Figure } from "./figure.ts";
import { median } from "./figure.ts";
import { code, fastRlm, floor, gaps, inTempDir, MODELS, runScript } from "./program.ts";
import type { Bench, Row } from "./row.ts";

/** The first gaps of a conversation are warming up: code is compiled, the connection is made. */
const WARM = 5;

/** Milliseconds from a reply to the next request, as the server sees it, of a run of small steps. */
async function stepGaps({ server }: Bench, steps: number, delayMs: number): Promise<number[]> {
  return await inTempDir(async (cwd) => {
    const replies = Array.from(
      { length: steps },
      (_, at) => ({ ...code(`var n = ${at}; print(n)`), delayMs }),
    );
    await server.script({ root: [...replies, code("FINAL(n)")] });
    const args = ["x", "--max-calls", String(steps + 5), "--session-dir", cwd, ...MODELS];
    await fastRlm(args, { server, cwd });
    return gaps(await server.served()).slice(WARM);
  });
}

/** The same of the provider's calls alone: a process that waited wakes slower than one that did not. */
async function leastGaps({ server }: Bench, steps: number, delayMs: number): Promise<number[]> {
  await server.script({ root: [{ ...code("1"), delayMs }] });
  await runScript(floor("provider_loop"), [String(steps)], { server });
  return gaps(await server.served()).slice(WARM);
}

async function step(bench: Bench): Promise<Figure[]> {
  const [rounds, steps] = bench.quick ? [1, 25] : [3, 60];
  const figures: Figure[] = [];
  for (
    const [delayMs, what, note] of [
      [0, "an instant model", "sweeping and saving compete with it"],
      [20, "a model of 20 ms", "cores that slept wake slowly"],
    ] as const
  ) {
    const [floors, ours]: [number[], number[]] = [[], []];
    // By turns, so that a slow minute of the machine is slow for both.
    for (let round = 0; round < rounds; round++) {
      floors.push(...await leastGaps(bench, steps, delayMs));
      ours.push(...await stepGaps(bench, steps, delayMs));
    }
    const [least, all] = [median(floors), median(ours)];
    figures.push({
      row: `a step, reply sent → next request arrived, ${what}`,
      unit: "ms",
      value: all,
      floor: { value: least, what: "the provider's calls alone" },
      note,
    }, {
      row: `overhead a step: the same less its floor, ${what}`,
      unit: "ms",
      value: all - least,
      limit: { max: 3 },
    });
  }
  return figures;
}

/** Rows about what a step costs. */
export const stepRows: readonly Row[] = [{ name: "step", measure: step }];
