import {
  finalText,
  formatAmount,
  formatCount,
  formatDuration,
  formatMoneyExact,
  plural,
  UNKNOWN,
} from "./format.ts";
import { inertLine } from "./inert.ts";
import type { AgentModel, TranscriptModel } from "./model.ts";
import { durationOf } from "./queries.ts";
import { describeSkipped } from "./reader.ts";
import { type Column, cost, count, glance, table, tokens } from "./stats_text.ts";
import { fit, wrap } from "./width.ts";

/** Agents that the table lists. */
const AGENTS_SHOWN = 40;

/** The lines of one transcript. */
export function transcriptLines(transcript: TranscriptModel, width: number): string[] {
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
    ["agents", formatCount(transcript.runs)],
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

interface AgentColumn extends Column {
  readonly cell: (agent: AgentModel, level: number) => string;
  /** The column is left out on terminals of fewer columns. */
  readonly from: number;
}

const AGENT_COLUMNS: readonly AgentColumn[] = [
  {
    head: "agent",
    width: 12,
    from: 0,
    cell: (agent, level) => `${"  ".repeat(Math.min(level, 4))}${inertLine(agent.path)}`,
  },
  { head: "status", width: 11, from: 60, cell: (agent) => agent.status },
  {
    head: "steps",
    width: 5,
    align: "right",
    from: 0,
    cell: (agent) => formatCount(agent.stepCount),
  },
  {
    head: "errors",
    width: 6,
    align: "right",
    from: 70,
    cell: (agent) => formatCount(agent.errorCount),
  },
  { head: "tokens", width: 11, align: "right", from: 34, cell: (agent) => tokens(agent.tally) },
  { head: "cost", width: 10, align: "right", from: 46, cell: (agent) => cost(agent.tally) },
  {
    head: "time",
    width: 8,
    align: "right",
    from: 78,
    cell: (agent) => {
      const ms = durationOf(agent);
      return ms === undefined ? UNKNOWN : formatDuration(ms);
    },
  },
];

function agentLines(transcript: TranscriptModel, width: number): string[] {
  const shown = AGENT_COLUMNS.filter(({ from }) => width >= from);
  const rest = width - shown.reduce((sum, column) => sum + column.width + 2, 0);
  const columns: AgentColumn[] = [...shown, {
    head: "task",
    width: Math.max(0, rest),
    from: 0,
    cell: (agent) => glance(agent.task ?? agent.runId),
  }];
  const rows: string[] = [];
  const walk = (agents: readonly AgentModel[], level: number): void => {
    for (const agent of agents) {
      if (rows.length >= AGENTS_SHOWN) return;
      rows.push(table(columns, columns.map(({ cell }) => cell(agent, level))));
      walk(agent.children, level + 1);
    }
  };
  walk(transcript.roots, 0);
  const more = transcript.runs - rows.length;
  return [
    table(columns, undefined),
    ...rows,
    ...(more > 0 ? [`… ${plural(more, "more agent")}`] : []),
  ];
}

function formatName({ format, entries }: TranscriptModel): string {
  if (entries === 0) return UNKNOWN;
  return format === undefined ? "fast-rlm (Python)" : `fast-rlm, format ${format}`;
}
