import type { LogModel } from "./model.ts";
import { ledgerLines } from "./stats_ledger.ts";
import { pageOf } from "./stats_text.ts";
import { transcriptLines } from "./stats_transcript.ts";

/** The statistics of a session or transcript as text of at most `width` columns, inert. */
export function renderStats(model: LogModel, width: number): string {
  const [query] = model.queries;
  const lines = model.kind === "transcript" && query?.transcript !== undefined
    ? transcriptLines(query.transcript, width)
    : ledgerLines(model, width);
  return pageOf(lines, width);
}
