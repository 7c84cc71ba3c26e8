import { displayWidth, fit, rowsOf } from "../width.ts";

/**
 * Meaning, not colour: the palette alone says what a style looks like. `selected` marks the line a
 * key acts on.
 */
export type Style =
  | "plain"
  | "dim"
  | "strong"
  | "title"
  | "accent"
  | "good"
  | "warn"
  | "bad"
  | "selected"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "call";

/** A run of text in one style. Its text holds no control character. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One row of the screen. */
export type Line = readonly Span[];

/** Columns and rows of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const CODES: Readonly<Record<Style, string>> = {
  plain: "",
  dim: "2",
  strong: "1",
  title: "1;36",
  accent: "36",
  good: "32",
  warn: "33",
  bad: "31",
  selected: "7",
  keyword: "35",
  string: "32",
  number: "33",
  comment: "2;3",
  call: "36",
};

/** A span; `plain` unless a style is given. */
export function span(text: string, style: Style = "plain"): Span {
  return { text, style };
}

/** The text of a line without its styles. */
export function plain(line: Line): string {
  return line.map((part) => part.text).join("");
}

/** Cells that a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((cells, part) => cells + displayWidth(part.text), 0);
}

/** The line cut to at most `cells` cells; where it was cut it ends in `…`. */
export function cutLine(line: Line, cells: number): Line {
  if (lineWidth(line) <= cells) return line;
  const kept: Span[] = [];
  let left = cells;
  for (const part of line) {
    if (left <= 0) break;
    const partCells = displayWidth(part.text);
    if (partCells < left) {
      kept.push(part);
      left -= partCells;
      continue;
    }
    // One cell more than fits forces the mark even where this part alone would fit exactly.
    kept.push({ ...part, text: fit(part.text + "  ", left) });
    break;
  }
  return kept;
}

/** The line cut or filled with spaces to exactly `cells` cells. */
export function fitLine(line: Line, cells: number): Line {
  const shown = cutLine(line, cells);
  const gap = cells - lineWidth(shown);
  return gap > 0 ? [...shown, span(" ".repeat(gap))] : shown;
}

/** The line with every span in one style, filled to `cells`: a bar across the screen. */
export function barLine(line: Line, cells: number, style: Style): Line {
  return [span(plain(fitLine(line, cells)), style)];
}

/** `left` and `right` at the two ends of a row; `right` gives way where both do not fit. */
export function spread(left: Line, right: Line, cells: number): Line {
  const gap = cells - lineWidth(left) - lineWidth(right);
  return gap < 1 ? cutLine(left, cells) : [...left, span(" ".repeat(gap)), ...right];
}

/**
 * Two ends of a row in the longest forms that fit beside each other, given from long to short; the
 * right one keeps its length rather than the left one. Where none fits, the last left is cut.
 */
export function spreadBest(lefts: readonly Line[], rights: readonly Line[], cells: number): Line {
  for (const right of rights) {
    const left = lefts.find((left) => lineWidth(left) + lineWidth(right) + 1 <= cells);
    if (left !== undefined) return spread(left, right, cells);
  }
  const [left = [], right = []] = [lefts.at(-1), rights.at(-1)];
  const room = cells - lineWidth(right) - 1;
  return room < cells / 2 ? cutLine(left, cells) : spread(cutLine(left, room), right, cells);
}

/** `facts` in one line, and then with fewer and fewer of them. */
export function shorter(facts: readonly string[], least = 1): Line[] {
  return facts.slice(least - 1).map((_, dropped) => {
    const kept = facts.slice(0, facts.length - dropped);
    return [span(kept.join(" · ") + " ", "dim")];
  });
}

/** A styled line in rows of at most `cells` cells, broken between words where it can be. */
export function wrapSpans(line: Line, cells: number): Line[] {
  if (lineWidth(line) <= cells) return [line];
  return rowsOf(plain(line), cells).map(({ start, end }) => sliceSpans(line, start, end));
}

/** The characters of a line from `start` to `end`, in their styles. */
function sliceSpans(line: Line, start: number, end: number): Line {
  const row: Span[] = [];
  let at = 0;
  for (const part of line) {
    const text = part.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (text !== "") row.push({ ...part, text });
    at += part.text.length;
    if (at >= end) break;
  }
  return row;
}

/** The line as terminal text. Without `color` only `selected` is marked, in reverse video. */
export function paint(line: Line, color: boolean): string {
  let text = "";
  for (const part of line) {
    const code = color || part.style === "selected" ? CODES[part.style] : "";
    text += code === "" || part.text === "" ? part.text : `\x1b[${code}m${part.text}\x1b[0m`;
  }
  return text;
}
