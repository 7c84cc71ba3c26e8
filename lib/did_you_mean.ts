/** Edit distance with transposition as one edit; more than `limit` edits count as `limit + 1`. */
export function editDistance(a: string, b: string, limit = 3): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let older: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, older[j - 2]! + 1);
      }
      row.push(best);
    }
    older = last;
    last = row;
  }
  return Math.min(last[b.length]!, limit + 1);
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, "");

/**
 * The known name that `wrong` was probably meant to be, or undefined. Case, dashes and underscores
 * do not count, so that `maxDepth` finds `max_depth`; a typing error in about every third letter
 * does, and so does a beginning or an end that only one known name has (`depth`, `max-prompt`).
 */
export function didYouMean(wrong: string, known: readonly string[]): string | undefined {
  const target = plain(wrong);
  if (target === "" || target.length > 60) return undefined;
  const limit = Math.min(3, Math.floor(target.length / 3) || 1);
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    const distance = editDistance(target, plain(name), limit);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  if (best !== undefined) return best;
  if (target.length < 4) return undefined;
  const partial = known.filter((name) =>
    plain(name).startsWith(target) || plain(name).endsWith(target)
  );
  return partial.length === 1 ? partial[0] : undefined;
}
