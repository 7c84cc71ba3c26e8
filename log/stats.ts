import { basename } from "@std/path";
import { finalText } from "./final_text.ts";
import {
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  formatMoney,
  formatMoneyExact,
  plural,
  UNKNOWN,
} from "./format.ts";
import { inertLine } from "./inert.ts";
import type { AgentModel, LogModel, QueryModel, TranscriptModel } from "./model.ts";
import { durationOf } from "./queries.ts";
import { describeSkipped } from "./reader.ts";
import { type Column, table } from "./table.ts";
import type { Tally } from "./tally.ts";
import { fit, wrap } from "./width.ts";

/** Characters of a text that are looked at for one line. */
const GLANCE = 2000;
/** Agents that the table lists. */
const AGENTS_SHOWN = 40;

/** The statistics of a session or transcript as text of at most `width` columns, inert. */
export function renderStats(model: LogModel, width: number): string {
  const [query] = model.queries;
  const lines = model.kind === "transcript" && query?.transcript !== undefined
    ? transcriptLines(query.transcript, width)
    : ledgerLines(model, width);
  return lines.map((line) => fit(line.trimEnd(), width)).join("\n") + "\n";
}

function ledgerLines(model: LogModel, width: number): string[] {
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
        formatDuration(totals.ms),
      ].join(" · "),
      width,
    ),
    ...(totals.queries === 0 ? [] : [
      "",
      ...model.queries.flatMap((item, index) => [
        ...(index === 0 ? queryHead(width) : []),
        ...queryLines(item, width),
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

const queryHead = (width: number): string[] => [table(columns(width), undefined)];

function queryLines(query: QueryModel, width: number): string[] {
  const ms = durationOf(query);
  const row = table(columns(width), [
    String(query.number),
    query.status,
    ms === undefined ? UNKNOWN : formatDuration(ms),
    formatCount(query.steps),
    tokens(query.tally),
    cost(query.tally),
    query.missing === undefined ? "" : `(${inertLine(query.missing)})`,
  ]);
  const lines = [row, `      ${titleOf(query)}`];
  if ("final" in query) lines.push(`      → ${glance(finalText(query.final)) || "(empty)"}`);
  if (query.error !== undefined) lines.push(`      ! ${glance(query.error)}`);
  const skipped = query.transcript === undefined ? "" : describeSkipped(query.transcript.skipped);
  if (skipped !== "") lines.push(`      ! ${skipped}`);
  return lines;
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

function transcriptLines(transcript: TranscriptModel, width: number): string[] {
  const { tally } = transcript;
  const ms = durationOf(transcript);
  const kinds = Object.entries(transcript.events)
    .map(([type, count]) => `${inertLine(type)} ${formatCount(count)}`).join(", ");
  const probes = transcript.probes > 0 ? ` and ${plural(transcript.probes, "probe")}` : "";
  const skipped = describeSkipped(transcript.skipped);
  const facts: [string, string][] = [
    ["format", formatName(transcript)],
    ["status", transcript.status],
    ["entries", `${formatCount(transcript.entries)} (${kinds})`],
    ["runs", formatCount(transcript.runs)],
    ["depth", formatCount(transcript.depth)],
    ["steps", `${formatCount(transcript.steps)}${probes}`],
    ["calls", formatCount(tally.calls)],
    [
      "tokens",
      `${tokens(tally)} (prompt ${count(tally, "prompt")}, cached ${
        count(tally, "cached")
      }; completion ${count(tally, "completion")}, reasoning ${count(tally, "reasoning")})`,
    ],
    ["cost", formatAmount(tally.cost, formatMoneyExact)],
    ["time", ms === undefined ? UNKNOWN : formatDuration(ms)],
    ...(skipped === "" ? [] : [["skipped", skipped] as [string, string]]),
    ...(transcript.prompt === undefined
      ? []
      : [["prompt", glance(transcript.prompt)] as [string, string]]),
    ...("final" in transcript
      ? [["final", glance(finalText(transcript.final)) || "(empty)"] as [string, string]]
      : []),
    ...(transcript.error === undefined
      ? []
      : [["error", glance(transcript.error)] as [string, string]]),
  ];
  return [
    `Transcript ${inertLine(transcript.path)}`,
    ...facts.flatMap(([name, value]) => fact(name, value, width)),
    "",
    ...agentLines(transcript, width),
  ];
}

function fact(name: string, value: string, width: number): string[] {
  const all = wrap(value, width - 10);
  const lines = all.slice(0, 3);
  if (all.length > 3) lines[2] = `${fit(lines[2] ?? "", width - 12)} …`;
  return lines.map((line, index) => `${(index === 0 ? name : "").padEnd(8)}  ${line}`);
}

function agentLines(transcript: TranscriptModel, width: number): string[] {
  const layout: Column[] = [
    { head: "agent", width: 12 },
    { head: "status", width: 11 },
    { head: "steps", width: 5, align: "right" },
    { head: "errors", width: 6, align: "right" },
    { head: "tokens", width: 11, align: "right" },
    { head: "cost", width: 10, align: "right" },
    { head: "time", width: 8, align: "right" },
    { head: "task", width: Math.max(0, width - 77) },
  ];
  const rows: string[] = [];
  const walk = (agents: readonly AgentModel[], level: number): void => {
    for (const agent of agents) {
      if (rows.length >= AGENTS_SHOWN) return;
      const ms = durationOf(agent);
      rows.push(table(layout, [
        `${"  ".repeat(Math.min(level, 4))}${inertLine(agent.path)}`,
        agent.status,
        formatCount(agent.stepCount),
        formatCount(agent.errorCount),
        tokens(agent.tally),
        cost(agent.tally),
        ms === undefined ? UNKNOWN : formatDuration(ms),
        glance(agent.task ?? agent.runId),
      ]));
      walk(agent.children, level + 1);
    }
  };
  walk(transcript.roots, 0);
  const more = transcript.runs - rows.length;
  return [
    table(layout, undefined),
    ...rows,
    ...(more > 0 ? [`… ${plural(more, "more agent")}`] : []),
  ];
}

function formatName({ format, entries }: TranscriptModel): string {
  if (entries === 0) return UNKNOWN;
  return format === undefined ? "fast-rlm (Python)" : `fast-rlm, format ${format}`;
}

/** The query's text; where the log has none, the name of its file. */
const titleOf = ({ query, transcript }: QueryModel): string =>
  glance(query) || (transcript === undefined ? "(empty)" : inertLine(basename(transcript.path)));

const glance = (text: string): string => inertLine(text.slice(0, GLANCE));

const tokens = (tally: Tally): string => formatAmount(tally.total, formatCount);
const cost = (tally: Tally): string => formatAmount(tally.cost, formatMoney);
const count = (
  tally: Tally,
  field: "prompt" | "cached" | "completion" | "reasoning",
): string => formatAmount(tally[field], formatCount);
