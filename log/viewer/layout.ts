import { displayWidth } from "../width.ts";
import { clamp } from "./keys.ts";
import { cutLine, fitLine, type Line, lineWidth, type Size, span } from "./line.ts";

/** The parts of a screen, from top to bottom. */
export interface Frame {
  readonly header: readonly Line[];
  /** Drawn for the rows that `bodyRows` tells. */
  readonly body: readonly Line[];
  readonly footer: Line;
}

/** Rows of a screen's parts: a low terminal gives up the footer first, then the header. */
export function bodyRows(size: Size, header: number): number {
  if (size.rows >= header + 4) return size.rows - header - 1;
  if (size.rows >= 4) return size.rows - 2;
  return Math.max(1, size.rows);
}

/** The parts put together: exactly `rows` lines, none wider than `columns`. */
export function compose(frame: Frame, size: Size): Line[] {
  const rows = bodyRows(size, frame.header.length);
  const header = size.rows >= frame.header.length + 4
    ? frame.header
    : size.rows >= 4
    ? frame.header.slice(0, 1)
    : [];
  const body = frame.body.slice(0, rows);
  const blank = Array.from({ length: rows - body.length }, (): Line => []);
  const footer = size.rows >= 4 ? [frame.footer] : [];
  return [...header, ...body, ...blank, ...footer].slice(0, size.rows)
    .map((line) => cutLine(line, size.columns));
}

/** The first row to show so that `selected` of `total` is on a page of `rows`. */
export function pageTop(selected: number, total: number, rows: number): number {
  return clamp(selected - Math.floor(rows / 2), Math.max(0, total - rows));
}

/** Two blocks side by side: `left` in `columns` cells, a rule, then `right`. */
export function beside(
  left: readonly Line[],
  right: readonly Line[],
  columns: number,
  rows: number,
): Line[] {
  return Array.from({ length: rows }, (_, row): Line => [
    ...fitLine(left[row] ?? [], columns),
    span("│ ", "dim"),
    ...(right[row] ?? []),
  ]);
}

/** A rule with a title in it, across `cells`. */
export function rule(title: Line, cells: number, right: Line = []): Line {
  const head: Line = [span("── ", "dim"), ...title, span(" ", "dim")];
  const tail: Line = right.length === 0 ? [] : [span(" ", "dim"), ...right];
  const gap = cells - lineWidth(head) - lineWidth(tail);
  if (gap < 2) return cutLine([...head, ...right], cells);
  return [...head, span("─".repeat(gap), "dim"), ...tail];
}

/** Key hints, as many as fit: `↵ open  m memory  …`. */
export function hints(pairs: readonly (readonly [string, string])[], cells: number): Line {
  const line: Line[] = [];
  let used = 1;
  for (const [key, does] of pairs) {
    const needed = displayWidth(key) + displayWidth(does) + 3;
    if (used + needed > cells && line.length > 0) break;
    used += needed;
    line.push([span(key, "accent"), span(` ${does}  `, "dim")]);
  }
  return [span(" "), ...line.flat()];
}

/** How far down a text is: `12/340`, or nothing where all of it is on the screen. */
export function position(top: number, rows: number, total: number): string {
  return total <= rows ? "" : `${Math.min(total, top + rows)}/${total}`;
}
