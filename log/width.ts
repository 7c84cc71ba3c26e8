/** How many terminal columns text takes, and cutting, padding and wrapping by columns. */

import { PLAIN } from "./inert.ts";

let segmenter: Intl.Segmenter | undefined;

/** A character as a reader sees it, and where it begins. */
export interface Grapheme {
  readonly segment: string;
  readonly index: number;
}

/**
 * Beside plain ones, the characters of common scripts and symbols that no other joins: each of them is
 * what a reader takes for one character, unless a mark outside these ranges follows it.
 */
const SINGLE =
  "\\x20-\\x7e\\xa0-\\xac\\xae-\\u02ff\\u0370-\\u0482\\u048a-\\u0557\\u2010-\\u2027\\u2030-\\u205e" +
  "\\u20a0-\\u20c0\\u2100-\\u2bff\\u3000-\\u3029\\u3030-\\u3098\\u309b-\\u31ff\\u3400-\\u9fff";
const SINGLES = new RegExp(`^[${SINGLE}]*$`);
const JOINED = new RegExp(`[${SINGLE}]?(?:[^${SINGLE}]+[${SINGLE}]?)+`, "g");

/**
 * What a reader takes for single characters. The segmenter is made when the first text needs it: its
 * language data takes 12 ms to load, and most text is its own characters.
 */
export function graphemes(text: string): Iterable<Grapheme> {
  if (SINGLES.test(text)) return [...text].map((segment, index) => ({ segment, index }));
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return mixed(text, segmenter);
}

/** The segmenter is slow, so it is asked only for what may be more than its single characters. */
function* mixed(text: string, segmenter: Intl.Segmenter): Generator<Grapheme, void, void> {
  let at = 0;
  // What is no single character may join the ones beside it.
  for (const match of text.matchAll(JOINED)) {
    for (; at < match.index; at++) yield { segment: text.charAt(at), index: at };
    for (const { segment, index } of segmenter.segment(match[0])) {
      yield { segment, index: match.index + index };
    }
    at += match[0].length;
  }
  for (; at < text.length; at++) yield { segment: text.charAt(at), index: at };
}

/** East Asian wide and full-width blocks, as pairs of first and last code point. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
];

/** Made when a text needs them: the tables of Unicode's properties take a millisecond to build. */
let classes: { readonly zero: RegExp; readonly emoji: RegExp } | undefined;
const classesOf = () =>
  classes ??= {
    zero: /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u,
    emoji: /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u,
  };

/** The first character that two columns are taken for, among those that no other joins. */
const FIRST_WIDE = "\u231a";

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme < FIRST_WIDE && SINGLES.test(grapheme)) return 1;
  const { zero, emoji } = classesOf();
  if (zero.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Columns that one line of inert text takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** The longest start of `text` that fits `columns`, split between graphemes. */
function headOf(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const { segment, index } of graphemes(text)) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** `text` cut to `columns`, with `…` where something was cut. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return "";
  if (text.length <= columns && PLAIN.test(text)) return text;
  // No grapheme is wider than two columns, so what lies far behind the limit need not be measured.
  const near = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (near === text && displayWidth(text) <= columns) return text;
  return `${headOf(near, columns - 1)}…`;
}

/** `text` cut or padded with spaces to exactly `columns`. */
export function pad(text: string, columns: number, align: "left" | "right" = "left"): string {
  const cut = fit(text, columns);
  const space = " ".repeat(Math.max(0, columns - displayWidth(cut)));
  return align === "left" ? cut + space : space + cut;
}

/** `text` broken into lines of at most `columns`, between words where it can be. */
export function wrap(text: string, columns: number): string[] {
  const limit = Math.max(2, columns);
  return text.split("\n").flatMap((line) => wrapLine(line, limit));
}

function wrapLine(line: string, limit: number): string[] {
  if (line.length <= limit && PLAIN.test(line)) return [line];
  return rowsOf(line, limit).map(({ start, end }) => line.slice(start, end));
}

/** The rows of at most `columns` that one line is broken into, as places in it. */
export function rowsOf(line: string, columns: number): { start: number; end: number }[] {
  const limit = Math.max(2, columns);
  const rows: { start: number; end: number }[] = [];
  for (let start = 0; start < line.length;) {
    const { end, next } = plainRow(line, start, limit) ?? mixedRow(line, start, limit);
    rows.push({ start, end });
    start = next;
  }
  return rows;
}

/** Where a row ends, and where the next one begins: a space at which it breaks belongs to neither. */
interface Row {
  readonly end: number;
  readonly next: number;
}

/** The row from `start`, where every character there takes one column; most rows are so. */
function plainRow(line: string, start: number, limit: number): Row | undefined {
  const near = line.slice(start, start + limit + 2);
  if (!PLAIN.test(near)) return undefined;
  if (near.length <= limit) return { end: line.length, next: line.length };
  const space = near.lastIndexOf(" ", limit);
  if (space > limit / 2) return { end: start + space, next: start + space + 1 };
  return { end: start + limit, next: start + limit };
}

/** The row from `start`, measured character by character. */
function mixedRow(line: string, start: number, limit: number): Row {
  let width = 0;
  // The last place where the line may break well, and the columns up to there.
  let space = -1;
  let spaceWidth = 0;
  for (const { segment, index } of nearGraphemes(line, start, limit)) {
    if (segment === " ") {
      space = index;
      spaceWidth = width;
    }
    width += graphemeWidth(segment);
    if (width <= limit || index === start) continue;
    if (spaceWidth > limit / 2) return { end: space, next: space + 1 };
    return { end: index, next: index };
  }
  return { end: line.length, next: line.length };
}

/** The characters from `start` on; what lies far behind the row is looked at only if it is reached. */
function* nearGraphemes(line: string, start: number, limit: number): Generator<Grapheme> {
  const near = line.slice(start, start + limit * 4);
  let at = start;
  if (start + near.length < line.length) {
    for (const { segment, index } of graphemes(near)) {
      // The last one may have been cut in two.
      if (index + segment.length >= near.length) break;
      yield { segment, index: start + index };
      at = start + index + segment.length;
    }
  }
  for (const { segment, index } of graphemes(line.slice(at))) yield { segment, index: at + index };
}
