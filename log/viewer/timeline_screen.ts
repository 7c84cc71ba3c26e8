import { basename } from "@std/path";
import { finalText, formatDuration, plural, UNKNOWN } from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { QueryModel } from "../model.ts";
import { durationOf } from "../queries.ts";
import { describeSkipped } from "../reader.ts";
import { pad, wrap } from "../width.ts";
import { type AppState, push, withQuery } from "./app_state.ts";
import { bar } from "./bars.ts";
import { clamp, type Key, movement } from "./keys.ts";
import { bodyRows, compose, hints, pageTop, rule } from "./layout.ts";
import {
  barLine,
  cutLine,
  type Line,
  plain,
  shorter,
  type Size,
  span,
  spreadBest,
} from "./line.ts";
import { amountText, compactMoney, costText } from "./numbers.ts";
import { statusMark, statusText } from "./status.ts";

/** The queries of a session, one a row with bars for tokens and cost; below, the selected one. */
export function renderTimeline(state: AppState, size: Size): Line[] {
  const header = [titleLine(state, size), []];
  const rows = bodyRows(size, header.length);
  const { list, detail } = split(rows, state.model.queries.length);
  const body = [
    ...listLines(state, size, list),
    ...(detail > 0 ? detailLines(state, size, detail) : []),
  ];
  const footer = state.notice === undefined
    ? hints([
      ["↵", "open"],
      ["?", "help"],
      ["j/k", "move"],
      ["m", "memory"],
      ["q", "quit"],
    ], size.columns)
    : [span(` ${state.notice}`, "warn")];
  return compose({ header, body, footer }, size);
}

/** Moves the selection, opens the run. */
export function onTimelineKey(state: AppState, key: Key): AppState {
  const rows = split(bodyRows(state.size, 2), state.model.queries.length).list;
  const by = movement(key, rows);
  if (by !== undefined) {
    return withQuery(state, clamp(state.query + by, state.model.queries.length - 1));
  }
  if (key === "enter" || key === "right") {
    return state.model.queries.length === 0
      ? { ...state, notice: "no query to open" }
      : push(state, "run");
  }
  return state;
}

/** Rows of the list and of the detail below it. */
function split(rows: number, queries: number): { list: number; detail: number } {
  const wanted = queries + 1;
  if (rows < 10) return { list: rows, detail: 0 };
  const list = Math.min(wanted, Math.max(4, Math.floor(rows * 0.6)));
  return { list, detail: rows - list };
}

function titleLine({ model }: AppState, size: Size): Line {
  const { totals } = model;
  const noun = model.kind === "session" ? ["query", "queries"] : ["run", "runs"];
  const title = span(model.kind === "session" ? " session " : " transcripts ", "title");
  const paths = [model.path, basename(model.path)];
  const facts = [
    plural(totals.queries, noun[0] ?? "", noun[1]),
    `${amountText(totals.tally.total)} tokens`,
    costText(totals.tally.cost),
    amountText(totals.ms, (ms) => ms === undefined ? `time ${UNKNOWN}` : formatDuration(ms)),
  ];
  const lefts = paths.map((path): Line => [title, span(inertLine(path))]);
  return spreadBest(lefts, shorter(facts), size.columns);
}

/** Cells of each column; 0 where there is no room for it. */
interface Widths {
  readonly query: number;
  readonly tokenBar: number;
  readonly costBar: number;
  readonly cost: number;
  readonly steps: number;
  readonly time: number;
}

/** What the mark, the number, the status and the token count take before and after the query. */
const FIXED = 2 + 3 + 2 + 2 + 1 + 7;

function widthsFor(columns: number, isCostKnown: boolean): Widths {
  const wide = columns >= 100;
  const middle = columns >= 70;
  const tokenBar = wide ? 16 : middle ? 10 : columns >= 36 ? 6 : 0;
  const costBar = wide && isCostKnown ? 10 : 0;
  const cost = columns >= 54 ? 9 : 0;
  const steps = middle ? 6 : 0;
  const time = middle ? 8 : 0;
  const taken = FIXED + tokenBar + costBar + cost + steps + time +
    [tokenBar, costBar, cost, steps, time].filter((cells) => cells > 0).length;
  return { query: Math.max(4, columns - taken - 1), tokenBar, costBar, cost, steps, time };
}

function listLines(state: AppState, size: Size, rows: number): Line[] {
  const { queries } = state.model;
  if (queries.length === 0) return [[span("  no queries yet", "dim")]];
  const most = {
    tokens: Math.max(0, ...queries.map((query) => query.tally.total.value ?? 0)),
    cost: Math.max(0, ...queries.map((query) => query.tally.cost.value ?? 0)),
  };
  const widths = widthsFor(size.columns, most.cost > 0);
  const heads = rows > 3 ? [headLine(widths)] : [];
  const page = rows - heads.length;
  const top = pageTop(state.query, queries.length, page);
  return [
    ...heads,
    ...queries.slice(top, top + page).map((query, i) => {
      const line = queryLine(query, widths, most, state.grown);
      return top + i === state.query ? selectedLine(line, size) : line;
    }),
  ];
}

function headLine(widths: Widths): Line {
  return [
    span(
      "    # " + pad("  query", widths.query + 3) + cell("steps", widths.steps) +
        cell("tokens", 7) + cell("", widths.tokenBar) + cell("cost", widths.cost) +
        cell("", widths.costBar) + cell("time", widths.time),
      "dim",
    ),
  ];
}

/** A cell with the space before it, its text at the right; nothing where it has no room. */
function cell(text: string, cells: number): string {
  return cells === 0 ? "" : " " + pad(text, cells, "right");
}

function barCell(part: number | undefined, whole: number, cells: number, grown: number): string {
  return cells === 0 ? "" : " " + pad(bar((part ?? 0) * grown, whole, cells), cells);
}

function queryLine(
  query: QueryModel,
  widths: Widths,
  most: { readonly tokens: number; readonly cost: number },
  grown: number,
): Line {
  const { tally } = query;
  const ms = durationOf(query);
  const text = inertLine(query.query.slice(0, 1000)) || "(no prompt in the log)";
  return [
    span("  "),
    span(String(query.number).padStart(3) + " ", "dim"),
    statusMark(query.status),
    span(" " + pad(text, widths.query) + " "),
    span(cell(String(query.steps), widths.steps), "dim"),
    span(cell(amountText(tally.total), 7)),
    span(barCell(tally.total.value, most.tokens, widths.tokenBar, grown), "accent"),
    span(cell(amountText(tally.cost, compactMoney), widths.cost)),
    span(barCell(tally.cost.value, most.cost, widths.costBar, grown), "number"),
    span(cell(ms === undefined ? "?" : formatDuration(ms), widths.time), "dim"),
  ];
}

/** The selected row keeps its colours but stands out: a mark, and its text in reverse. */
function selectedLine(line: Line, size: Size): Line {
  const text = plain(line).replace(/^ {2}/, "▸ ");
  return barLine([span(text)], size.columns, "selected");
}

function detailLines(state: AppState, size: Size, rows: number): Line[] {
  const query = state.model.queries[state.query];
  if (query === undefined) return [];
  const cells = Math.max(1, size.columns - 4);
  const block = (text: string, mark: string, most: number): Line[] => {
    const wrapped = wrap(inert(text.slice(0, 4000)), cells);
    const shown = wrapped.slice(0, Math.max(1, most));
    const cutOff = wrapped.length > shown.length;
    return shown.map((line, i): Line => [
      span(i === 0 ? ` ${mark} ` : "   ", "accent"),
      span(cutOff && i === shown.length - 1 ? `${line} …` : line),
    ]);
  };
  const skipped = query.transcript === undefined ? "" : describeSkipped(query.transcript.skipped);
  const facts: Line[] = [
    ...(query.error === undefined ? [] : [[span(` ! ${inertLine(query.error)}`, "bad")]]),
    ...(query.missing === undefined
      ? []
      : [[span(` ! transcript ${inertLine(query.missing)}`, "warn")]]),
    ...(skipped === "" ? [] : [[span(` ! ${skipped}`, "warn")]]),
  ];
  const half = Math.max(1, Math.floor((rows - 2 - facts.length) / 2));
  const asked = block(query.query === "" ? "(no prompt in the log)" : query.query, "?", half);
  const left = rows - 2 - facts.length - asked.length;
  const answer = "final" in query ? block(finalText(query.final), "→", left) : [];
  const when = query.started === undefined
    ? []
    : [span(new Date(query.started).toISOString().slice(0, 16).replace("T", " ") + " UTC", "dim")];
  return [
    [],
    rule([span(`query ${query.number} `, "strong"), statusText(query.status)], size.columns, when),
    ...asked,
    ...answer,
    ...facts,
  ].slice(0, rows).map((line) => cutLine(line, size.columns));
}
