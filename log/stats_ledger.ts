import { basename } from "@std/path";
import {
  finalText,
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  plural,
  UNKNOWN,
} from "./format.ts";
import { inertLine } from "./inert.ts";
import type { LogModel, QueryModel } from "./model.ts";
import { durationOf } from "./queries.ts";
import { describeSkipped } from "./reader.ts";
import { type Column, cost, glance, table, titleOf, tokens } from "./stats_text.ts";
import { wrap } from "./width.ts";

/** Columns below which figures stand in a sentence and not in a table. */
const TABLE_WIDTH = 62;

/** The lines of a session, or of a directory of transcripts. */
export function ledgerLines(model: LogModel, width: number): string[] {
  const { totals } = model;
  const made = model.engine === undefined ? "" : `  (fast-rlm ${inertLine(model.engine)})`;
  const noun = model.kind === "session" ? "query" : "run";
  const many = model.kind === "session" ? "queries" : "runs";
  return [
    `${model.kind === "session" ? "Session" : "Transcripts in"} ${inertLine(model.path)}${made}`,
    ...wrap(
      [
        plural(totals.queries, noun, many),
        `${formatCount(totals.answered)} answered`,
        plural(totals.steps, "step"),
        `${tokens(totals.tally)} tokens`,
        `cost ${cost(totals.tally)}`,
        totals.ms.value === undefined ? `time ${UNKNOWN}` : formatAmount(totals.ms, formatDuration),
      ].join(" · "),
      width,
    ),
    ...(totals.queries === 0 ? [] : [
      "",
      ...model.queries.flatMap((item, index) => [
        ...(index === 0 ? queryHead(width) : []),
        ...queryLines(item, remarkOn(item, model), width),
      ]),
    ]),
    ...memoryLines(model, width),
  ];
}

const columns = (width: number): Column[] => [
  { head: "#", width: 4, align: "right" },
  { head: "status", width: 11 },
  { head: "time", width: 8, align: "right" },
  { head: "steps", width: 5, align: "right" },
  { head: "tokens", width: 11, align: "right" },
  { head: "cost", width: 10, align: "right" },
  { head: "", width: Math.max(0, width - 61) },
];

const queryHead = (width: number): string[] =>
  width < TABLE_WIDTH ? [] : [table(columns(width), undefined)];

/** Why a query has no transcript; of a directory of transcripts, which of them a run is. */
const remarkOn = ({ missing, transcript }: QueryModel, { kind }: LogModel): string => {
  if (missing !== undefined) return `(${inertLine(missing)})`;
  return kind === "directory" && transcript !== undefined
    ? inertLine(basename(transcript.path))
    : "";
};

function queryLines(query: QueryModel, remark: string, width: number): string[] {
  const indent = width < TABLE_WIDTH ? "  " : "      ";
  const lines = [...figureLines(query, remark, width), `${indent}${titleOf(query)}`];
  if ("final" in query) lines.push(`${indent}→ ${glance(finalText(query.final)) || "(empty)"}`);
  if (query.error !== undefined) lines.push(`${indent}! ${glance(query.error)}`);
  const skipped = query.transcript === undefined ? "" : describeSkipped(query.transcript.skipped);
  if (skipped !== "") lines.push(`${indent}! ${skipped}`);
  return lines;
}

function figureLines(query: QueryModel, remark: string, width: number): string[] {
  const ms = durationOf(query);
  if (width >= TABLE_WIDTH) {
    return [table(columns(width), [
      String(query.number),
      query.status,
      ms === undefined ? UNKNOWN : formatDuration(ms),
      formatCount(query.steps),
      tokens(query.tally),
      cost(query.tally),
      remark,
    ])];
  }
  const facts = [
    `${query.number} ${query.status}`,
    ms === undefined ? `time ${UNKNOWN}` : formatDuration(ms),
    plural(query.steps, "step"),
    `${tokens(query.tally)} tokens`,
    `cost ${cost(query.tally)}`,
    remark,
  ];
  return wrap(facts.filter((fact) => fact !== "").join(" · "), width);
}

function memoryLines({ memory }: LogModel, width: number): string[] {
  if (memory === undefined) return [];
  const saved = [...memory.variables, ...memory.functions];
  const committed = saved.filter((item) => item.committed).length;
  const bytes = saved.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
  return [
    "",
    ...wrap(
      `Memory: ${plural(memory.variables.length, "variable")}, ${
        plural(memory.functions.length, "function")
      } (${formatCount(committed)} committed), ${formatBytes(bytes)}; ${
        formatCount(memory.dropped.length)
      } dropped, ${formatCount(memory.failed.length)} failed`,
      width,
    ),
  ];
}
