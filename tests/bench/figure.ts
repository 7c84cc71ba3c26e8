/** One figure of the bench against its floor and limit. */
export interface Figure {
  readonly row: string;
  readonly unit: "ms" | "MB" | "bytes" | "tokens" | "times";
  readonly value: number;
  /** The least that could be hoped for, measured in the same run, in the same unit. */
  readonly floor?: { readonly value: number; readonly what: string };
  /** What it must not be over; a factor is of the floor. Absent where it is told for its own sake. */
  readonly limit?: { readonly max?: number; readonly min?: number; readonly timesFloor?: number };
  readonly note?: string;
}

/** Whether a figure is within its limit; undefined where it has none. */
export function isOk({ value, floor, limit }: Figure): boolean | undefined {
  if (limit === undefined) return undefined;
  if (limit.max !== undefined && value > limit.max) return false;
  if (limit.min !== undefined && value < limit.min) return false;
  if (limit.timesFloor !== undefined && floor) return value <= limit.timesFloor * floor.value;
  return true;
}

/** The middle one; of an even count the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The median of several measurements, one after the other. */
export async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let i = 0; i < times; i++) values.push(await measure());
  return median(values);
}

const shown = (value: number, unit: Figure["unit"]): string =>
  unit === "times" || unit === "ms" && value < 100
    ? value.toFixed(1)
    : Math.round(value).toLocaleString("en-US");

/** The figures as a table for people. */
export function renderTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { row, unit, value, floor, limit, note } = figure;
    const ok = isOk(figure);
    const must = limit === undefined ? "–" : [
      ...(limit.max === undefined ? [] : [`≤ ${limit.max.toLocaleString("en-US")}`]),
      ...(limit.min === undefined ? [] : [`≥ ${limit.min}`]),
      ...(limit.timesFloor === undefined ? [] : [`≤ ${limit.timesFloor} × floor`]),
    ].join(", ");
    const against = floor === undefined
      ? ""
      : `${shown(floor.value, unit)} (${floor.what}), ${(value / floor.value).toFixed(2)} ×`;
    const name = note === undefined ? row : `${row} (${note})`;
    return [
      name,
      `${shown(value, unit)}${unit === "times" ? " ×" : ` ${unit}`}`,
      against,
      must,
      ok === undefined ? "" : ok ? "ok" : "OVER",
    ];
  });
  const table = [["work", "figure", "floor", "must", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...table.map((row) => row[at]!.length)));
  return table.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ").trimEnd())
    .join("\n");
}
