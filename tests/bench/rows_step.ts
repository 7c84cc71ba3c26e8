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

async function step(bench: Bench): Promise<Figure[]> {
  const { server, quick } = bench;
  const steps = quick ? 25 : 45;
  await server.script({ root: [code("1")] });
  await runScript(floor("provider_loop"), [String(steps)], { server });
  const least = median(gaps(await server.served()).slice(WARM));
  const thinking = median(await stepGaps(bench, steps, 20));
  const instant = median(await stepGaps(bench, steps, 0));
  const what = "the provider's calls alone";
  return [{
    row: "overhead a step: reply sent → next request arrived, model of 20 ms",
    unit: "ms",
    value: thinking,
    floor: { value: least, what },
    note: "HTTP and provider included",
  }, {
    row: "overhead a step: the same less its floor",
    unit: "ms",
    value: thinking - least,
    limit: { max: 3 },
  }, {
    row: "a step of an instant model: saving is on the critical path",
    unit: "ms",
    value: instant,
    floor: { value: least, what },
  }];
}

/** Rows about what a step costs. */
export const stepRows: readonly Row[] = [{ name: "step", measure: step }];
