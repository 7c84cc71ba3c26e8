import { displayWidth } from "../../log/width.ts";

/** One row of the grid; the second cell of a wide character holds "". */
interface Row {
  cells: string[];
  /** The text goes on in the next row because it reached the edge. */
  wrapped: boolean;
}

interface Buffer {
  rows: Row[];
  x: number;
  y: number;
  /** The last column was written; the next character wraps first. */
  pending: boolean;
}

const blank = (): Row => ({ cells: [], wrapped: false });

/**
 * A terminal as a user would see it: applies text and ANSI sequences to a grid of cells, with wide
 * characters, automatic wrap, scrolling, the alternate screen and a resize. A sequence that the
 * product has no business to write throws.
 */
export class FakeTerminal {
  columns: number;
  rows: number;
  /** Rows that scrolled off the top of the main screen, oldest first. */
  readonly scrollback: string[] = [];
  /** Everything that was written, raw. */
  raw = "";
  /** How often something was written. */
  writes = 0;
  cursorVisible = true;
  autowrap = true;
  alternate = false;
  /** Whether a resize re-wraps long lines, as tmux and most terminals do; xterm does not. */
  readonly reflow: boolean;
  #main: Buffer;
  #other: Buffer;
  #rest = "";

  constructor(columns = 80, rows = 24, options: { reflow?: boolean } = {}) {
    this.columns = columns;
    this.rows = rows;
    this.reflow = options.reflow ?? true;
    this.#main = this.#empty();
    this.#other = this.#empty();
  }

  #empty(): Buffer {
    return { rows: Array.from({ length: this.rows }, blank), x: 0, y: 0, pending: false };
  }

  /** Row and column of the cursor, from 0. */
  get cursor(): { x: number; y: number } {
    return { x: this.#main.x, y: this.#main.y };
  }

  /** The screen, one string a row, without spaces at the end. */
  screen(): string[] {
    return this.#main.rows.map((row) => textOf(row));
  }

  /** The screen without the empty rows at its end. */
  text(): string {
    return this.screen().join("\n").trimEnd();
  }

  /** Scrollback and screen: what a user who scrolls up would read. */
  history(): string {
    return [...this.scrollback, ...this.screen()].join("\n").trimEnd();
  }

  write(text: string): void {
    this.raw += text;
    this.writes++;
    const input = this.#rest + text;
    this.#rest = "";
    let at = 0;
    while (at < input.length) {
      const char = input[at] ?? "";
      if (char === "\x1b") {
        // deno-lint-ignore no-control-regex -- a terminal is what reads these
        const match = /^\x1b(?:\[([?>=<]?)([\d;]*)([A-Za-z])|([78]))/.exec(
          input.slice(at, at + 40),
        );
        if (match === null) {
          // deno-lint-ignore no-control-regex -- an incomplete sequence waits for its rest
          if (/^\x1b(\[[?>=<]?[\d;]*)?$/.test(input.slice(at))) {
            this.#rest = input.slice(at);
            return;
          }
          throw new Error(`Stray escape: ${JSON.stringify(input.slice(at, at + 20))}`);
        }
        this.#csi(match[1] ?? "", match[2] ?? "", match[3] ?? "");
        at += match[0].length;
        continue;
      }
      if (char < " " || (char >= "\x7f" && char <= "\x9f")) {
        this.#control(char);
        at++;
        continue;
      }
      const point = String.fromCodePoint(input.codePointAt(at) ?? 32);
      this.#put(point);
      at += point.length;
    }
  }

  #control(char: string): void {
    const buffer = this.#main;
    buffer.pending = false;
    if (char === "\r") buffer.x = 0;
    else if (char === "\n") {
      // A terminal in its usual mode adds the carriage return.
      buffer.x = 0;
      this.#down();
    } else if (char === "\b") buffer.x = Math.max(0, buffer.x - 1);
    else throw new Error(`Stray control character: ${JSON.stringify(char)}`);
  }

  #down(): void {
    const buffer = this.#main;
    if (buffer.y < this.rows - 1) {
      buffer.y++;
      return;
    }
    const gone = buffer.rows.shift();
    if (gone !== undefined && !this.alternate) this.scrollback.push(textOf(gone));
    buffer.rows.push(blank());
  }

  #put(point: string): void {
    const buffer = this.#main;
    const cells = displayWidth(point);
    if (cells === 0) {
      const row = buffer.rows[buffer.y];
      const last = row === undefined
        ? -1
        : row.cells.findLastIndex((cell, x) => cell !== "" && x < buffer.x + 1);
      if (row !== undefined && last >= 0) row.cells[last] += point;
      return;
    }
    if (buffer.pending || buffer.x + cells > this.columns) {
      if (!this.autowrap) buffer.x = Math.max(0, this.columns - cells);
      else {
        const row = buffer.rows[buffer.y];
        if (row !== undefined) row.wrapped = true;
        buffer.x = 0;
        this.#down();
      }
      buffer.pending = false;
    }
    if (cells > this.columns) return;
    const row = buffer.rows[buffer.y];
    if (row === undefined) return;
    while (row.cells.length < buffer.x) row.cells.push(" ");
    // What is left of a wide character that was half overwritten is blank.
    if (row.cells[buffer.x] === "") row.cells[buffer.x - 1] = " ";
    if (row.cells[buffer.x + cells] === "") row.cells[buffer.x + cells] = " ";
    row.cells[buffer.x] = point;
    if (cells === 2) row.cells[buffer.x + 1] = "";
    buffer.x += cells;
    if (buffer.x >= this.columns) {
      buffer.x = this.columns - 1;
      buffer.pending = true;
    }
  }

  #csi(prefix: string, params: string, final: string): void {
    const numbers = params.split(";").map((part) => part === "" ? undefined : Number(part));
    const first = numbers[0];
    const buffer = this.#main;
    const row = buffer.rows[buffer.y] ?? blank();
    if (final !== "m" && prefix === "") buffer.pending = false;
    if (prefix === "?" && (final === "h" || final === "l")) return this.#mode(first, final === "h");
    if (prefix !== "") return;
    switch (final) {
      case "m":
      case "":
        return;
      case "A":
        buffer.y = Math.max(0, buffer.y - (first ?? 1));
        return;
      case "B":
        buffer.y = Math.min(this.rows - 1, buffer.y + (first ?? 1));
        return;
      case "C":
        buffer.x = Math.min(this.columns - 1, buffer.x + (first ?? 1));
        return;
      case "D":
        buffer.x = Math.max(0, buffer.x - (first ?? 1));
        return;
      case "E":
        buffer.x = 0;
        buffer.y = Math.min(this.rows - 1, buffer.y + (first ?? 1));
        return;
      case "G":
        buffer.x = Math.min(this.columns, first ?? 1) - 1;
        return;
      case "H":
        buffer.y = Math.min(this.rows, first ?? 1) - 1;
        buffer.x = Math.min(this.columns, numbers[1] ?? 1) - 1;
        return;
      case "J":
        if (first === 2 || first === 3) buffer.rows = buffer.rows.map(blank);
        else {
          row.cells.length = Math.min(row.cells.length, buffer.x);
          row.wrapped = false;
          for (let y = buffer.y + 1; y < this.rows; y++) buffer.rows[y] = blank();
        }
        return;
      case "K":
        if (first === 2) row.cells.length = 0;
        else if (first === undefined || first === 0) {
          row.cells.length = Math.min(row.cells.length, buffer.x);
        }
        row.wrapped = false;
        return;
      default:
        throw new Error(`Unknown sequence: CSI ${params}${final}`);
    }
  }

  #mode(mode: number | undefined, on: boolean): void {
    if (mode === 25) this.cursorVisible = on;
    else if (mode === 7) this.autowrap = on;
    else if (mode === 1049 && on !== this.alternate) {
      [this.#main, this.#other] = [this.#other, this.#main];
      if (on) this.#main = this.#empty();
      this.alternate = on;
    } else if (mode !== 1049 && mode !== 2026 && mode !== 2004) {
      throw new Error(`Unknown mode: ${mode}`);
    }
  }

  /** Changes the size as a window manager would; lines that no longer fit are wrapped or cut. */
  resize(columns: number, rows: number): void {
    const buffer = this.#main;
    if (this.reflow && !this.alternate) this.#rewrap(columns);
    else for (const row of buffer.rows) row.cells.length = Math.min(row.cells.length, columns);
    this.columns = columns;
    this.rows = rows;
    // A terminal that gets lower drops empty rows below the cursor first, then rows at the top.
    while (buffer.rows.length > rows && buffer.rows.length - 1 > buffer.y) buffer.rows.pop();
    while (buffer.rows.length > rows) {
      const gone = buffer.rows.shift();
      if (gone !== undefined && !this.alternate) this.scrollback.push(textOf(gone));
      buffer.y--;
    }
    while (buffer.rows.length < rows) buffer.rows.push(blank());
    buffer.x = Math.min(buffer.x, columns - 1);
    buffer.pending = false;
  }

  #rewrap(columns: number): void {
    const buffer = this.#main;
    const rows: Row[] = [];
    let cursor = buffer.y;
    for (let y = 0; y < buffer.rows.length; y++) {
      const isCursorLine = y === buffer.y;
      const cells: string[] = [...(buffer.rows[y]?.cells ?? [])];
      while (buffer.rows[y]?.wrapped && y + 1 < buffer.rows.length) {
        y++;
        cells.push(...(buffer.rows[y]?.cells ?? []));
      }
      if (isCursorLine || y === buffer.y) cursor = rows.length;
      let from = 0;
      do {
        // A wide character is not torn at the edge.
        const torn = cells[from + columns] === "";
        const to = from + Math.max(1, torn ? columns - 1 : columns);
        rows.push({ cells: cells.slice(from, to), wrapped: to < cells.length });
        from = to;
      } while (from < cells.length);
    }
    buffer.rows = rows;
    buffer.y = cursor;
  }
}

function textOf(row: Row): string {
  return Array.from(row.cells, (cell) => cell ?? " ").join("").trimEnd();
}
