const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A bar of `part` out of `whole` in at most `cells` cells, drawn to an eighth of a cell. A part that
 * is not zero is never invisible.
 */
export function bar(part: number, whole: number, cells: number): string {
  if (!(part > 0) || !(whole > 0) || cells <= 0) return "";
  const eighths = Math.max(1, Math.round(Math.min(1, part / whole) * cells * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

/** A bar with its track: exactly `cells` cells, `·` where the bar ends. */
export function gauge(part: number, whole: number, cells: number): string {
  const filled = bar(part, whole, cells);
  return filled + "·".repeat(Math.max(0, cells - filled.length));
}
