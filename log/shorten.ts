import type { Entry } from "./entry.ts";
import { formatCount } from "./format.ts";

/** The head and the tail of a text longer than `limit` characters; `[… 1,204 characters WHY …]` between. */
export function headAndTail(text: string, limit: number, why: string): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.75);
  const missing = formatCount(text.length - limit);
  return `${text.slice(0, head)}\n[… ${missing} characters ${why} …]\n${
    text.slice(text.length - (limit - head))
  }`;
}

const TEXTS = ["code", "output", "text", "reasoning", "probe"] as const;

/** An entry without the middle of its long texts, for a log that is too large to be held. */
export function shortened(entry: Entry, limit: number): Entry {
  if (limit === Infinity) return entry;
  const short: Partial<Record<typeof TEXTS[number], string>> = {};
  for (const key of TEXTS) {
    const text = entry[key];
    if (text === undefined || text.length <= limit) continue;
    // A part of a string keeps the whole of it in memory; what is parsed anew stands alone.
    short[key] = JSON.parse(JSON.stringify(headAndTail(text, limit, "not shown of a large log")));
  }
  return { ...entry, ...short };
}
