import type { Comment } from "acorn";
import { LineMap } from "./positions.ts";

/** Something that gives values to names, and where the comments on it may stand. */
export interface Item {
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
  /** Where a comment at the end of the first line may begin, at the earliest. */
  readonly valueStart: number;
  /** Comments for an item without its own; those of the declaration around it. */
  readonly fallback?: () => readonly Comment[];
}

/** Finds the comments of one source text by where they stand. */
export class CommentFinder {
  readonly #source: string;
  readonly #map: LineMap;
  readonly #byStart: ReadonlyMap<number, Comment>;
  readonly #byEnd: ReadonlyMap<number, Comment>;

  constructor(source: string, comments: readonly Comment[]) {
    this.#source = source;
    this.#map = new LineMap(source);
    this.#byStart = new Map(comments.map((c) => [c.start, c]));
    this.#byEnd = new Map(comments.map((c) => [c.end, c]));
  }

  /** The comments above an item, at the end of its first line, and after it. */
  of(item: Item): Comment[][] {
    return [this.above(item.start), this.#endOfFirstLine(item), this.after(item.end)];
  }

  sameLine(a: number, b: number): boolean {
    return this.#map.place(a).line === this.#map.place(b).line;
  }

  /** The comments that end directly before `start`, with no blank line and no code between. */
  above(start: number): Comment[] {
    const found: Comment[] = [];
    let at = start;
    for (;;) {
      const blank = /\s*$/.exec(this.#source.slice(Math.max(0, at - 2_000), at))?.[0] ?? "";
      const comment = this.#byEnd.get(at - blank.length);
      if (comment === undefined || new LineMap(blank).lines > 2) break;
      found.unshift(comment);
      at = comment.start;
    }
    // What stands behind code on that code's line belongs to it, unless a comma came before.
    while (found[0] !== undefined) {
      const { line, column } = this.#map.place(found[0].start);
      const before = this.#map.line(line).slice(0, column - 1).trimEnd();
      const inline = before.endsWith(",") && this.sameLine(found[0].end, start);
      if (before === "" || inline) break;
      found.shift();
    }
    return found;
  }

  /** The comments after `end` on its line, before any other code. */
  after(end: number): Comment[] {
    const found: Comment[] = [];
    let at = end;
    let comma = false;
    for (;;) {
      const between = /[^\S\n\r\u2028\u2029]*[;,)\]}]?/y;
      between.lastIndex = at;
      const [text = ""] = between.exec(this.#source) ?? [];
      if (text.endsWith(",")) comma = true;
      at += text.length;
      const comment = this.#byStart.get(at);
      if (comment === undefined) {
        if (text === "") break;
        continue;
      }
      found.push(comment);
      at = comment.end;
      if (!this.sameLine(comment.start, comment.end)) break;
    }
    const rest = this.#source.slice(at, this.#map.offset(this.#map.place(at).line, Infinity));
    // After a comma, an inner comment is about what follows it.
    return comma && rest.trim() !== "" ? [] : found;
  }

  /** A comment at the end of the first line of an item that goes on below. */
  #endOfFirstLine(item: Item): Comment[] {
    if (this.sameLine(item.start, item.end)) return [];
    const { line } = this.#map.place(item.start);
    const text = this.#map.line(line).trimEnd();
    const comment = this.#byEnd.get(this.#map.offset(line, 1) + text.length);
    if (comment === undefined || comment.start < item.valueStart || comment.end > item.end) {
      return [];
    }
    return [comment];
  }
}
