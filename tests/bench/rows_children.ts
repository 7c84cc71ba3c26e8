import type { Figure } from "./figure.ts";
import { median } from "./figure.ts";
import { code, fastRlm, gaps, inTempDir, MODELS } from "./program.ts";
import type { Bench, Row } from "./row.ts";

const fanOut = (count: number): string =>
  `var out = await batch_llm_query(Array.from({length: ${count}}, (_, i) => ` +
  "({context: 'piece ' + i, instruction: 'how long is it?'})));\n" +
  "print(out.filter(x => typeof x === 'number').length)";

interface Fan {
  /** From the reply that asks for the children to the request after them. */
  readonly ms: number;
  readonly peak: number;
}

async function fan(
  { server }: Bench,
  count: number,
  child: string,
  watch: boolean,
): Promise<Fan> {
  return await inTempDir(async (cwd) => {
    await server.script({
      root: [code("1"), code(fanOut(count)), code("FINAL(out.every(x => typeof x === 'number'))")],
      child: [code(child)],
    });
    const args = ["x", ...MODELS, "--max-global-calls", "1000"];
    const { stdout, peak } = await fastRlm(args, { server, cwd, watch });
    if (stdout.trim() !== "true") throw new Error(`${count} children: answered ${stdout}`);
    return { ms: gaps(await server.served())[1] ?? NaN, peak };
  });
}

async function children(bench: Bench): Promise<Figure[]> {
  const times = bench.quick ? 1 : 3;
  const quick = "FINAL(context.length)";
  const few: number[] = [];
  const many: number[] = [];
  for (let i = 0; i < times; i++) {
    few.push((await fan(bench, 8, quick, false)).ms);
    many.push((await fan(bench, 64, quick, false)).ms);
  }
  const { peak } = await fan(bench, 64, quick, true);
  return [
    { row: "64 children, instant model", unit: "ms", value: median(many), limit: { max: 4_000 } },
    {
      row: "64 children, memory",
      unit: "MB",
      value: peak / 1e6,
      limit: { max: 1_000 },
      note: "peak over all processes",
    },
    {
      row: "one more child in a fan-out",
      unit: "ms",
      value: (median(many) - median(few)) / 56,
      limit: { max: 75 },
      note: "from 8 to 64",
    },
  ];
}

/** Work that takes about half a second of one core. */
const WORK = "let x = 0; for (let i = 0; i < 6e8; i++) x = (x * 31 + i) | 0;\nFINAL(x)";

async function cores(bench: Bench): Promise<Figure[]> {
  const times = bench.quick ? 1 : 3;
  const speedUps: number[] = [];
  for (let i = 0; i < times; i++) {
    const one = await fan(bench, 1, WORK, false);
    const eight = await fan(bench, 8, WORK, false);
    speedUps.push(8 * one.ms / eight.ms);
  }
  return [{
    row: "8 CPU-bound children against one after the other",
    unit: "times",
    value: median(speedUps),
    limit: { min: 1.7 },
    note: `${navigator.hardwareConcurrency} cores`,
  }];
}

/** Rows about sub-agents. */
export const childRows: readonly Row[] = [
  { name: "children", measure: children },
  { name: "cores", measure: cores },
];
