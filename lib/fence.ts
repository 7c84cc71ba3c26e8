/**
 * Frames text so that it cannot close its own frame: the fence is longer than any run of backticks
 * inside.
 */
export function fenced(text: string, label = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${label}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}
