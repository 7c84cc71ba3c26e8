/** What `deno test` says of a whole run in its last line. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts in the last summary of `text`, steps not counted; undefined where there is none. */
export function testCounts(text: string): TestCounts | undefined {
  // deno-lint-ignore no-control-regex -- colours are taken out of the summary
  const plain = text.replace(/\u001b\[[0-9;]*m/g, "");
  const steps = String.raw`(?: \(\d+ steps?\))?`;
  const summary = new RegExp(
    String.raw`(\d+) passed${steps} \| (\d+) failed${steps}(?: \| (\d+) ignored${steps})?`,
    "g",
  );
  const found = [...plain.matchAll(summary)].at(-1);
  if (found === undefined) return undefined;
  const [, passed = "0", failed = "0", skipped = "0"] = found;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** The line that a whole run ends with. */
export const countsLine = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
