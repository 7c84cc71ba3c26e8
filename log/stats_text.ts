import { basename } from "@std/path";
import { formatAmount, formatCount, formatMoney } from "./format.ts";
import { inertLine } from "./inert.ts";
import type { QueryModel } from "./model.ts";
import type { Tally, TallyField } from "./tally.ts";

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
