/** The longest wait that a provider may impose, in milliseconds; a longer one ends the call. */
export const longestRetryAfterMs = 60_000;

/**
 * A `Retry-After` header in milliseconds from `now`: seconds or an HTTP date. Undefined where there
 * is none or it is unreadable; a date in the past is 0.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  now: number,
): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Date.parse takes nearly anything, so ask for a weekday or a year first.
  if (!/^[A-Za-z]{3,9},? |^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
