import type { Amount } from "./tally.ts";

/** The word for a figure that nobody reported. */
export const UNKNOWN = "unknown";

/** `12034` → `12,034`. */
export function formatCount(value: number): string {
  // Not `toLocaleString`: its first call in a process takes 12 ms.
  const text = String(Math.round(value));
  return text.length < 4 ? text : text.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** US dollars with the digits that matter: `$1.25`, `$0.0312`, `$0.000053`. */
export function formatMoney(value: number): string {
  if (value === 0) return "$0";
  if (value < 0.0001) return `$${value.toFixed(6)}`;
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

/** US dollars to the millionth, to be compared with a bill: `$0.031635`. */
export function formatMoneyExact(value: number): string {
  return `$${value.toFixed(6)}`;
}

/** Milliseconds as `430ms`, `12.3s`, `4m 58s`, `2h 03m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad2(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${pad2(minutes % 60)}m`;
}

const pad2 = (value: number): string => String(value).padStart(2, "0");

/** Bytes as `512 B`, `1.2 kB`, `3.4 MB`: thousands, as settings count them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A figure as people read it: `unknown`, `≥ 1,204` where some calls did not tell, or `1,204`. */
export function formatAmount(amount: Amount, format: (value: number) => string): string {
  if (amount.value === undefined) return UNKNOWN;
  return amount.partial ? `≥ ${format(amount.value)}` : format(amount.value);
}

/** `1 step`, `2 steps`. */
export function plural(count: number, noun: string, many: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

/** An answer as text: a string as it is, anything else as JSON. */
export function finalText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "undefined";
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
