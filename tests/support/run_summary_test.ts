import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { countsLine, testCounts } from "./run_summary.ts";

Deno.test("the counts of a run are read with steps, ignored tests and colours, or without", () => {
  const cases: [string, string][] = [
    ["ok | 12 passed | 0 failed (3s)", "12 passed, 0 failed"],
    ["ok | 1 passed (1 step) | 0 failed (3s)", "1 passed, 0 failed"],
    [
      "FAILED | 9 passed (4 steps) | 3 failed (3 steps) | 3 ignored (2s)",
      "9 passed, 3 failed, 3 skipped",
    ],
    ["FAILED | 9 passed | 3 failed | 2 ignored (1 step) (2s)", "9 passed, 3 failed, 2 skipped"],
    ["\u001b[32mok\u001b[0m | 5 passed | 0 failed | 1 ignored", "5 passed, 0 failed, 1 skipped"],
    ["1 passed | 1 failed\n2 passed | 0 failed", "2 passed, 0 failed"],
  ];
  for (const [text, line] of cases) strictEqual(countsLine(testCounts(text)!), line);
  deepStrictEqual(testCounts("error: Uncaught"), undefined);
});
