import { deepStrictEqual } from "node:assert/strict";
import { applyChange, ToldPayloads } from "../../repl/known.ts";

Deno.test("a worker knows what it was told last, and is told no more than what changed", () => {
  const told = new ToldPayloads();
  const known = new Set<string>();
  const steps: [list: string[], add: string[], drop: string[]][] = [
    [["a", "b"], ["a", "b"], []],
    [["a", "b"], [], []],
    [["b", "c"], ["c"], ["a"]],
    [[], [], ["b", "c"]],
    [["a"], ["a"], []],
  ];
  for (const [list, add, drop] of steps) {
    const change = told.change(list);
    deepStrictEqual(change, { add, drop });
    applyChange(known, change);
    deepStrictEqual([...known].sort(), list);
  }
});
