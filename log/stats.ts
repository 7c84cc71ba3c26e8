import type { LogModel } from "./model.ts";
import { ledgerLines } from "./stats_ledger.ts";
import { memoryNameLines } from "./stats_memory.ts";
import { transcriptLines } from "./stats_transcript.ts";
import { fit } from "./width.ts";

/** The statistics of a session or transcript as text of at most `width` columns, inert. */
export function renderStats(model: LogModel, width: number): string {
  const [query] = model.queries;
  const lines = model.kind === "transcript" && query?.transcript !== undefined
    ? transcriptLines(query.transcript, width)
    : ledgerLines(model, width);
  return textOf(lines, width);
}

/** The statistics of a session with the names that it holds, as `renderStats`. */
export function renderSession(model: LogModel, width: number): string {
  const names = model.memory === undefined ? [] : memoryNameLines(model.memory, width);
  return textOf([...ledgerLines(model, width), ...names], width);
}

const textOf = (lines: readonly string[], width: number): string =>
  `${lines.map((line) => fit(line.trimEnd(), width)).join("\n")}\n`;
