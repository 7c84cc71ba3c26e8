/** Where things are in a source text, and where they went when it was edited. */

/** A 1-based place in a text; columns count UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** ECMAScript's line terminators, which are the ones V8 counts. */
const lineTerminator = /\r\n|[\n\r\u2028\u2029]/g;

/** Converts between offsets and 1-based places in one text. */
export class LineMap {
  readonly #text: string;
  #lineStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Most maps are made for an error that does not come. */
  get #starts(): readonly number[] {
    const ends = () => [...this.#text.matchAll(lineTerminator)].map((m) => m.index + m[0].length);
    return this.#lineStarts ??= [0, ...ends()];
  }

  /** How many lines the text has; an empty text has one. */
  get lines(): number {
    return this.#starts.length;
  }

  /** The place of an offset; offsets outside the text are moved to its nearest end. */
  place(offset: number): Place {
    const at = clamp(offset, 0, this.#text.length);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#starts[low] ?? 0) + 1 };
  }

  /** The offset of a place; places outside the text are moved to the nearest one inside. */
  offset(line: number, column: number): number {
    const index = clamp(Math.trunc(line) || 1, 1, this.lines) - 1;
    const start = this.#starts[index] ?? 0;
    return clamp(start + (Math.trunc(column) || 1) - 1, start, start + this.line(index + 1).length);
  }

  /** The text of a 1-based line, without its terminator; empty outside the text. */
  line(line: number): string {
    const start = this.#starts[line - 1];
    if (start === undefined) return "";
    return this.#text.slice(start, this.#starts[line]).replace(/(?:\r\n|[\n\r\u2028\u2029])$/, "");
  }
}

/** A replacement of `[start, end)` of the source by `text`; an insertion has `start === end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An edited text that knows where each of its characters came from. */
export interface EditedText {
  readonly text: string;
  /** The source offset that a text offset came from; inserted text maps to where it was inserted. */
  origin(offset: number): number;
  /** Where a source offset went: behind what was inserted there, or before it. */
  target(offset: number, side: "behind" | "before"): number;
}

/** Applies edits that do not overlap, in the order of their places; equal places keep their order. */
export function applyEdits(source: string, edits: readonly Edit[]): EditedText {
  const sorted = [...edits].sort((a, b) => a.start - b.start);
  const pieces: { at: number; from: number; room: number }[] = [];
  let text = "";
  let done = 0;
  for (const edit of sorted) {
    pieces.push({ at: text.length, from: done, room: edit.start - done });
    text += source.slice(done, edit.start);
    pieces.push({ at: text.length, from: edit.start, room: edit.end - edit.start });
    text += edit.text;
    done = edit.end;
  }
  pieces.push({ at: text.length, from: done, room: source.length - done });
  text += source.slice(done);
  return {
    text,
    origin(offset: number): number {
      const piece = pieces.findLast((p) => p.at <= offset);
      if (piece === undefined) return 0;
      return piece.from + Math.min(offset - piece.at, piece.room);
    },
    target(offset: number, side: "behind" | "before"): number {
      let moved = offset;
      for (const edit of sorted) {
        if (edit.start > offset || (side === "before" && edit.start === offset)) break;
        moved += edit.text.length - (edit.end - edit.start);
      }
      return moved;
    },
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
