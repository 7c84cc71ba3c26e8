import type { LogStatus } from "../model.ts";
import { type Span, span, type Style } from "./line.ts";

const MARKS: Readonly<Record<LogStatus, readonly [string, Style]>> = {
  answered: ["✓", "good"],
  limit: ["◆", "warn"],
  failed: ["✗", "bad"],
  interrupted: ["■", "warn"],
  running: ["▶", "accent"],
  unknown: ["?", "dim"],
};

/** One character for how a run or an agent stands. */
export function statusMark(status: LogStatus): Span {
  const [text, style] = MARKS[status];
  return span(text, style);
}

/** The mark and the word. */
export function statusText(status: LogStatus): Span {
  const [text, style] = MARKS[status];
  return span(`${text} ${status}`, style);
}
