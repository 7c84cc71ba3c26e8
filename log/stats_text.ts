import { basename } from "@std/path";
import { formatAmount, formatCount, formatMoney } from "./format.ts";
import { inertLine } from "./inert.ts";
import type { QueryModel } from "./model.ts";
import type { Tally, TallyField } from "./tally.ts";
import { fit, pad } from "./width.ts";

/** Characters of a text that are looked at for one line. */
const GLANCE = 2000;

/** A text on one inert line. */
export const glance = (text: string): string => inertLine(text.slice(0, GLANCE));

/** Tokens in all. */
export const tokens = (tally: Tally): string => formatAmount(tally.total, formatCount);

/** US dollars. */
export const cost = (tally: Tally): string => formatAmount(tally.cost, formatMoney);

/** One of a tally's token counts. */
export const count = (tally: Tally, field: Exclude<TallyField, "cost">): string =>
  formatAmount(tally[field], formatCount);

/** The query's text; where the log has none, the name of its file. */
export const titleOf = ({ query, transcript }: QueryModel): string =>
  glance(query) || (transcript === undefined ? "(empty)" : inertLine(basename(transcript.path)));

/** Lines as the text that is written, none wider than `width` columns. */
export const pageOf = (lines: readonly string[], width: number): string =>
  `${lines.map((line) => fit(line.trimEnd(), width)).join("\n")}\n`;

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
