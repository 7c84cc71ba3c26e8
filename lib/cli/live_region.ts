import { displayWidth, graphemes } from "../../log/width.ts";

/** Where a live region is drawn. */
export interface RegionIO {
  write(text: string): void;
  /** Columns of the terminal now. */
  columns(): number;
}

/**
 * Lines at the bottom of a terminal that are drawn over and over, below text that stays. The cursor
 * rests on the empty line under them, so what others write starts on a line of its own.
 */
export interface LiveRegion {
  /**
   * Shows these lines in place of the earlier ones; none of them may be wider than the terminal.
   * `above` holds lines that stay, written before them.
   */
  draw(lines: readonly string[], above?: readonly string[]): void;
  /** Takes the region off the screen. */
  clear(): void;
}

/** Colour sequences, which take no cells. */
// deno-lint-ignore no-control-regex -- our own sequences are what is matched
const STYLE = /\x1b\[[\d;]*m/g;

// Synchronised output hides the half-drawn frame; without automatic wrap a character that the
// terminal draws wider than we think cannot push the frame down a line.
const BEGIN = "\x1b[?2026h\x1b[?7l";
const END = "\x1b[?7h\x1b[?2026l";

/** Rows that a terminal wraps a line into; a wide character does not stand across two of them. */
function rowsOf(line: string, columns: number): number {
  if (displayWidth(line) <= columns) return 1;
  let rows = 1;
  let used = 0;
  for (const { segment } of graphemes(line)) {
    const cells = displayWidth(segment);
    if (used + cells > columns) {
      rows++;
      used = 0;
    }
    used += cells;
  }
  return rows;
}

/** A live region with nothing in it. */
export function createLiveRegion(io: RegionIO): LiveRegion {
  let shown: readonly string[] = [];
  let shownColumns = 0;

  /** Rows that the shown lines take now: a terminal that got narrower has wrapped them. */
  const rowsTaken = (columns: number): number =>
    shown.reduce((rows, line) => rows + rowsOf(line.replace(STYLE, ""), columns), 0);

  const toTop = (columns: number): string => {
    const rows = rowsTaken(columns);
    return rows === 0 ? "" : `\r\x1b[${rows}A`;
  };

  const replace = (lines: readonly string[], above: readonly string[]): void => {
    const columns = io.columns();
    const clean = columns < shownColumns || above.length > 0;
    const start = toTop(columns) + (clean ? "\x1b[J" : "");
    // Lines that stay may be wider than the terminal: they wrap, so they are written with it on.
    const stays = above.length === 0 ? "" : `\x1b[?7h${above.join("\n")}\n\x1b[?7l`;
    // Erased before it is written: after a full line the cursor is still on its last cell.
    const region = lines.map((line) => `\x1b[K${line}\n`).join("");
    io.write(`${BEGIN}${start}${stays}${region}\x1b[J${END}`);
    shown = [...lines];
    shownColumns = columns;
  };

  return {
    draw(lines, above = []) {
      const same = lines.length === shown.length && lines.every((line, i) => line === shown[i]);
      if (!same || above.length > 0 || io.columns() !== shownColumns) replace(lines, above);
    },
    clear() {
      if (shown.length > 0) replace([], []);
    },
  };
}
