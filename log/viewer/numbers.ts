import type { Amount } from "../tally.ts";

/** A count in at most five characters: `950`, `12.4k`, `1.2M`; `?` where it is unknown, never 0. */
export function compact(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "?";
  if (value < 1000) return String(Math.round(value));
  if (value < 99_950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  if (value < 99_950_000) return `${(value / 1e6).toFixed(1)}M`;
  return `${Math.round(value / 1e6)}M`;
}

/** US dollars in at most eight characters; `?` where the cost is unknown. */
export function compactMoney(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "?";
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

/** A figure in a column: `?` where unknown, with `≥` in front where it is a floor. */
export function amountText(
  amount: Amount,
  format: (value: number | undefined) => string = compact,
): string {
  return amount.partial ? `≥${format(amount.value)}` : format(amount.value);
}

/** A time span in whole seconds as a running clock: `0:07`, `12:30`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}

/** A cost in a row of figures, where a bare `?` would say nothing. */
export function costText(amount: Amount): string {
  return amount.value === undefined ? "cost unknown" : amountText(amount, compactMoney);
}
