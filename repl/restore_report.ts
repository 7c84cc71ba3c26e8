import type { Restorable, RestoreReport } from "./snapshot.ts";

/** What a restore tells of a snapshot's names, given those that failed and why. */
export function restoreReport(
  { variables, functions }: Pick<Restorable, "variables" | "functions">,
  failed: ReadonlyMap<string, string> = new Map(),
): RestoreReport {
  const restored: string[] = [];
  const degraded: { name: string; reason: string }[] = [];
  for (const { name, loss } of [...variables, ...functions]) {
    if (failed.has(name)) continue;
    const first = loss?.[0];
    if (first === undefined) restored.push(name);
    else {
      const more = loss && loss.length > 1 ? ` (and ${loss.length - 1} more)` : "";
      degraded.push({ name, reason: `${first.path} ${first.reason}${more}`.trim() });
    }
  }
  return {
    restored,
    degraded,
    failed: [...failed].map(([name, reason]) => ({ name, reason })),
  };
}
