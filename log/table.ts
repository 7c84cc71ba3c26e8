import { pad } from "./width.ts";

/** A column of a table; the last one takes what is left. */
export interface Column {
  readonly head: string;
  /** Columns of the terminal. */
  readonly width: number;
  /** @default "left" */
  readonly align?: "left" | "right";
}

/** One row of inert cells, or the heads, each cut or padded to its column. */
export function table(columns: readonly Column[], cells: readonly string[] | undefined): string {
  return columns
    .map(({ head, width, align }, index) =>
      pad(cells === undefined ? head : cells[index] ?? "", width, align)
    )
    .join("  ");
}
