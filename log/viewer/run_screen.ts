import {
  finalText,
  formatAmount,
  formatCount,
  formatDuration,
  formatMoney,
  plural,
} from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { QueryModel } from "../model.ts";
import { durationOf } from "../queries.ts";
import { wrap } from "../width.ts";
import { relative, treeBlock, type TreeRow, treeRows } from "./agent_tree.ts";
import {
  type AppState,
  queryOf,
  type RunState,
  type RunView,
  topKey,
  transcriptOf,
} from "./app_state.ts";
import { ganttAxis, ganttLegend, ganttRows } from "./gantt.ts";
import { clamp, type Key, movement } from "./keys.ts";
import { beside, bodyRows, compose, hints, pageTop, position } from "./layout.ts";
import {
  cutLine,
  type Line,
  lineWidth,
  shorter,
  type Size,
  span,
  spread,
  spreadBest,
} from "./line.ts";
import { amountText, costText } from "./numbers.ts";
import { RunDocument, runDocument, type TextView } from "./run_document.ts";
import { statusText } from "./status.ts";

const HEADER_ROWS = 3;

const VIEW_KEYS: Readonly<Record<string, RunView>> = {
  I: "input",
  R: "reasoning",
  O: "final",
  T: "gantt",
};

const VIEW_NAMES: Readonly<Record<RunView, string>> = {
  steps: "steps",
  input: "user input",
  reasoning: "reasoning",
  final: "final output",
  gantt: "timeline of agents",
};

/** One agent of a run: its steps, or what a key asked for in their place; the tree at its side. */
export function renderRun(state: AppState, size: Size): Line[] {
  const query = queryOf(state);
  if (query === undefined) {
    return compose({ header: [], body: [[span("no query")]], footer: [] }, size);
  }
  const rows = rowsOf(state);
  const height = bodyRows(size, HEADER_ROWS);
  const body = bodyLines(state, query, rows, { columns: size.columns, rows: height });
  return compose({
    header: [titleLine(state, query, size), agentLine(state, rows, size), []],
    body: body.lines,
    footer: footerLine(state, body.position, size),
  }, size);
}

/** Scrolls, walks the tree of agents, changes the view. */
export function onRunKey(state: AppState, key: Key): AppState {
  const { run } = state;
  const rows = rowsOf(state);
  const view = VIEW_KEYS[key];
  if (view !== undefined) return withRun(state, { view: run.view === view ? "steps" : view });
  if (key === "enter" && run.view !== "steps") return withRun(state, { view: "steps" });
  const step = STEPS[key];
  if (step !== undefined) {
    const [to, none] = step;
    const next = to === "child" ? childInView(state, rows) : relative(rows, run.agent, to);
    return next === undefined ? { ...state, notice: none } : withRun(state, { agent: next });
  }
  const height = bodyRows(state.size, HEADER_ROWS);
  const by = movement(key, height);
  if (by === undefined) return state;
  if (run.view === "gantt") {
    return withRun(state, { agent: clamp(run.agent + by, rows.length - 1) });
  }
  const query = queryOf(state);
  if (query === undefined) return state;
  const text = documentOf(state, query, rows, state.size.columns, run.view);
  const top = text.clampTop(Math.max(0, text.clampTop(topOf(run), height) + by), height);
  return withRun(state, { tops: { ...run.tops, [topKey(run)]: top } });
}

const STEPS: Readonly<
  Record<string, readonly ["parent" | "child" | "next" | "previous", string]>
> = {
  left: ["parent", "this is the root agent"],
  right: ["child", "this agent has no sub-agent"],
  tab: ["next", "this agent has no sibling"],
  "shift-tab": ["previous", "this agent has no sibling"],
};

/** Whether the end of the text is on the screen: a followed run then stays there. */
export function isAtEnd(state: AppState): boolean {
  const query = queryOf(state);
  const { run } = state;
  if (query === undefined || run.view === "gantt") return false;
  const text = documentOf(state, query, rowsOf(state), state.size.columns, run.view);
  const height = bodyRows(state.size, HEADER_ROWS);
  return text.clampTop(topOf(run) + 1, height) <= topOf(run);
}

function withRun(state: AppState, change: Partial<RunState>): AppState {
  return { ...state, run: { ...state.run, ...change } };
}

const topOf = (run: RunState): number => run.tops[topKey(run)] ?? 0;

function rowsOf(state: AppState): readonly TreeRow[] {
  const transcript = transcriptOf(state);
  return transcript === undefined ? [] : treeRows(transcript);
}

/** The first sub-agent of the steps on the screen, else the first of all. */
function childInView(state: AppState, rows: readonly TreeRow[]): number | undefined {
  const first = relative(rows, state.run.agent, "child");
  const query = queryOf(state);
  if (first === undefined || query === undefined || state.run.view !== "steps") return first;
  const height = bodyRows(state.size, HEADER_ROWS);
  const text = documentOf(state, query, rows, state.size.columns, "steps");
  const top = text.clampTop(topOf(state.run), height);
  for (const { children: [id] } of text.stepsWithin(top, top + height)) {
    const found = rows.findIndex(({ agent }) => agent.runId === id);
    if (id !== undefined && found >= 0) return found;
  }
  return first;
}

/** Cells of the tree at the side; 0 where there is no room or nothing to choose. */
function treeCells(rows: readonly TreeRow[], columns: number): number {
  return rows.length < 2 || columns < 90 ? 0 : columns >= 130 ? 32 : 26;
}

function documentOf(
  state: AppState,
  query: QueryModel,
  rows: readonly TreeRow[],
  columns: number,
  view: TextView,
): RunDocument {
  const transcript = transcriptOf(state);
  const agent = rows[state.run.agent]?.agent;
  if (transcript === undefined || agent === undefined) return withoutTranscript(query, columns);
  const side = treeCells(rows, columns);
  return runDocument(agent, view, columns - (side > 0 ? side + 2 : 0), query, transcript);
}

/** What the ledger alone tells of a run. */
function withoutTranscript(query: QueryModel, columns: number): RunDocument {
  const text = (value: string): Line[] =>
    wrap(inert(value), Math.max(1, columns - 2)).map((line): Line => [span("  "), span(line)]);
  const lines: Line[] = [
    [span(`  transcript: ${inertLine(query.missing ?? "empty")}`, "warn")],
    [],
    [span("  query", "accent")],
    ...text(query.query),
    ...("final" in query ? [[], [span("  FINAL", "good")], ...text(finalText(query.final))] : []),
    ...(query.error === undefined ? [] : [[], [span("  error", "bad")], ...text(query.error)]),
  ];
  return new RunDocument([{ lines }]);
}

function bodyLines(
  state: AppState,
  query: QueryModel,
  rows: readonly TreeRow[],
  size: Size,
): { lines: readonly Line[]; position: string } {
  const { run } = state;
  if (run.view === "gantt" && rows.length > 0) {
    const height = Math.max(1, size.rows - 2);
    const top = pageTop(run.agent, rows.length, height);
    return {
      lines: [
        ...(size.rows > 3 ? [ganttLegend, ganttAxis(rows, size.columns)] : []),
        ...ganttRows(rows, { top, height }, run.agent, size.columns),
      ],
      position: position(top, height, rows.length),
    };
  }
  const view = run.view === "gantt" ? "steps" : run.view;
  const text = documentOf(state, query, rows, size.columns, view);
  const top = text.clampTop(topOf(run), size.rows);
  const shown = text.slice(top, size.rows);
  const side = treeCells(rows, size.columns);
  return {
    lines: side === 0
      ? shown
      : beside(treeBlock(rows, run.agent, side, size.rows), shown, side, size.rows),
    position: text.complete ? position(top, size.rows, text.reach(0)) : `${top + size.rows}/…`,
  };
}

function titleLine(state: AppState, query: QueryModel, size: Size): Line {
  const { queries } = state.model;
  const name = state.model.kind === "session" ? "query" : "run";
  const left: Line = [
    span(` ${name} ${query.number}`, "title"),
    span(queries.length > 1 ? ` of ${queries.length}  ` : "  ", "dim"),
    span(inertLine(query.query.slice(0, 1000))),
  ];
  const status: Line = [statusText(query.status), span(" ")];
  const facts: Line = [span(`${runFacts(query)}  `, "dim"), ...status];
  // The figures of the run have their place where the query keeps half of the row.
  const right = [facts, status].find((line) => lineWidth(line) <= size.columns / 2) ?? [];
  return spreadCut(left, right, size.columns);
}

/** The figures of a whole run, the same as in the statistics. */
function runFacts({ tally, transcript }: QueryModel): string {
  return [
    ...(transcript === undefined
      ? []
      : [plural(transcript.runs, "agent"), plural(transcript.steps, "step")]),
    `${formatAmount(tally.total, formatCount)} tokens`,
    tally.cost.value === undefined ? "cost unknown" : formatAmount(tally.cost, formatMoney),
  ].join(" · ");
}

/** As `spread`, but it is the left that gives way. */
function spreadCut(left: Line, right: Line, cells: number): Line {
  return spread(cutLine(left, cells - lineWidth(right) - 1), right, cells);
}

function agentLine(state: AppState, rows: readonly TreeRow[], size: Size): Line {
  const agent = rows[state.run.agent]?.agent;
  if (agent === undefined) return [];
  const ms = durationOf(agent);
  const model = inertLine((agent.model ?? "").slice((agent.model ?? "").lastIndexOf("/") + 1));
  const facts = [
    plural(agent.stepCount, "step"),
    `${amountText(agent.tally.total)} tokens`,
    costText(agent.tally.cost),
    ms === undefined ? "time unknown" : formatDuration(ms),
    ...(agent.errorCount === 0 ? [] : [plural(agent.errorCount, "error")]),
  ];
  const lefts = [model === "" ? "" : ` ${model}`, ""].map((named): Line => [
    span(` agent ${inertLine(agent.path)}`, "strong"),
    span(named, "dim"),
    span(` · ${VIEW_NAMES[state.run.view]}`, state.run.view === "steps" ? "dim" : "accent"),
  ]);
  return spreadBest(lefts, shorter(facts), size.columns);
}

function footerLine(state: AppState, where: string, size: Size): Line {
  const right: Line = where === "" ? [] : [span(`${where} `, "dim")];
  if (state.notice !== undefined) {
    return spread([span(` ${state.notice}`, "warn")], right, size.columns);
  }
  const keys = hints([
    ["esc", "back"],
    ["?", "help"],
    ["j/k", "scroll"],
    ["←/→", "parent/child"],
    ["tab", "sibling"],
    ["I", "input"],
    ["R", "reasoning"],
    ["O", "output"],
    ["T", "timeline"],
    ["[ ]", "query"],
  ], size.columns - where.length - 2);
  return spread(keys, right, size.columns);
}
