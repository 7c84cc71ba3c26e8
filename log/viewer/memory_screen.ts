import { formatBytes, formatCount, plural } from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { MemoryItem, MemoryModel } from "../model.ts";
import { wrap } from "../width.ts";
import type { AppState, MemoryState } from "./app_state.ts";
import { highlight } from "./highlight.ts";
import { clamp, type Key, movement } from "./keys.ts";
import { beside, bodyRows, compose, hints, pageTop, position, rule } from "./layout.ts";
import {
  barLine,
  fitLine,
  type Line,
  plain,
  shorter,
  type Size,
  span,
  spread,
  spreadBest,
  type Style,
  wrapSpans,
} from "./line.ts";

const HEADER_ROWS = 2;

const EMPTY: MemoryModel = { variables: [], functions: [], dropped: [], failed: [] };

/** What a session remembers: names at the left, the selected one at the right or below. */
export function renderMemory(state: AppState, size: Size): Line[] {
  const memory = state.model.memory ?? EMPTY;
  const items = filtered(memory, state.memory.filter);
  const panes = panesOf(size);
  const selected = clamp(state.memory.selected, items.length - 1);
  const list = listLines(memory, items, selected, panes.list);
  const detail = detailOf(items[selected], panes.detail.columns);
  const top = clamp(state.memory.top, Math.max(0, detail.length - panes.detail.rows));
  const shown = detail.slice(top, top + panes.detail.rows);
  const body = panes.side
    ? beside(list, shown, panes.list.columns, panes.list.rows)
    : [...list, ...shown];
  const where = position(top, panes.detail.rows, detail.length);
  return compose({
    header: [titleLine(memory, size), []],
    body,
    footer: footerLine(state, where, size),
  }, size);
}

/** Moves through the names, scrolls the detail, edits the filter. */
export function onMemoryKey(state: AppState, key: Key): AppState {
  const { memory } = state;
  if (memory.typing) return onFilterKey(state, key);
  if (key === "/") return withMemory(state, { typing: true });
  const items = filtered(state.model.memory ?? EMPTY, memory.filter);
  const panes = panesOf(state.size);
  if (key === "J" || key === "K") {
    const total = detailOf(items[memory.selected], panes.detail.columns).length;
    const top = clamp(memory.top + (key === "J" ? 1 : -1), Math.max(0, total - panes.detail.rows));
    return withMemory(state, { top });
  }
  const by = movement(key, panes.list.rows);
  if (by === undefined) return state;
  return withMemory(state, { selected: clamp(memory.selected + by, items.length - 1), top: 0 });
}

function onFilterKey(state: AppState, key: Key): AppState {
  const { filter } = state.memory;
  const edit = (text: string): AppState => withMemory(state, { filter: text, selected: 0, top: 0 });
  if (key === "enter") return withMemory(state, { typing: false });
  if (key === "escape") return withMemory(edit(""), { typing: false });
  if (key === "backspace") return edit([...filter].slice(0, -1).join(""));
  // A name of a key is longer than one character; a typed one is not.
  return [...key].length === 1 ? edit(filter + key) : state;
}

function withMemory(state: AppState, change: Partial<MemoryState>): AppState {
  return { ...state, memory: { ...state.memory, ...change } };
}

/** The items whose name, type, comment or note holds the filter, in the order they are shown. */
export function filtered(memory: MemoryModel, filter: string): readonly MemoryItem[] {
  const items = [...memory.variables, ...memory.functions, ...memory.dropped, ...memory.failed];
  const wanted = filter.toLowerCase();
  if (wanted === "") return items;
  return items.filter((item) =>
    [item.name, item.type, item.comment, item.note]
      .some((text) => text?.toLowerCase().includes(wanted) === true)
  );
}

interface Panes {
  readonly side: boolean;
  readonly list: Size;
  readonly detail: Size;
}

function panesOf(size: Size): Panes {
  const rows = bodyRows(size, HEADER_ROWS);
  if (size.columns >= 60) {
    const left = Math.min(48, Math.floor(size.columns * 0.4));
    return {
      side: true,
      list: { columns: left, rows },
      detail: { columns: size.columns - left - 2, rows },
    };
  }
  const list = rows < 5 ? rows : Math.ceil(rows / 2);
  return {
    side: false,
    list: { columns: size.columns, rows: list },
    detail: { columns: size.columns, rows: rows - list },
  };
}

function titleLine(memory: MemoryModel, size: Size): Line {
  const saved = [...memory.variables, ...memory.functions];
  const bytes = saved.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
  const facts = [
    plural(memory.variables.length, "variable"),
    plural(memory.functions.length, "function"),
    `${formatCount(memory.dropped.length)} dropped`,
    `${formatCount(memory.failed.length)} failed`,
    formatBytes(bytes),
  ];
  return spreadBest([[span(" memory", "title")]], shorter(facts), size.columns);
}

const SECTIONS: Readonly<Record<MemoryItem["kind"], string>> = {
  variable: "variables",
  function: "functions",
  dropped: "dropped",
  failed: "failed",
};

const NAME_STYLES: Readonly<Record<MemoryItem["kind"], Style>> = {
  variable: "plain",
  function: "call",
  dropped: "dim",
  failed: "bad",
};

function listLines(
  memory: MemoryModel,
  items: readonly MemoryItem[],
  selected: number,
  size: Size,
): Line[] {
  if (items.length === 0) {
    const none = filtered(memory, "").length === 0 ? "nothing remembered yet" : "no name matches";
    return [fitLine([span(` ${none}`, "dim")], size.columns), ...blank(size.rows - 1)];
  }
  const rows: Line[] = [];
  let selectedRow = 0;
  for (const [i, item] of items.entries()) {
    if (item.kind !== items[i - 1]?.kind) {
      const count = items.filter((other) => other.kind === item.kind).length;
      rows.push([span(` ${SECTIONS[item.kind]} ${count}`, "accent")]);
    }
    if (i === selected) selectedRow = rows.length;
    rows.push(itemLine(item, i === selected, size.columns));
  }
  const top = pageTop(selectedRow, rows.length, size.rows);
  const shown = rows.slice(top, top + size.rows);
  return [...shown, ...blank(size.rows - shown.length)];
}

const blank = (rows: number): Line[] => Array.from({ length: Math.max(0, rows) }, (): Line => []);

function itemLine(item: MemoryItem, isSelected: boolean, cells: number): Line {
  const bytes = item.bytes === undefined || cells < 24 ? "" : formatBytes(item.bytes);
  const left: Line = [
    span(item.committed ? " ★ " : "   ", "warn"),
    span(inertLine(item.name), NAME_STYLES[item.kind]),
    span(` ${inertLine(item.type)}`, "dim"),
  ];
  const shown = bytes === ""
    ? fitLine(left, cells)
    : [...fitLine(left, cells - bytes.length - 2), span(` ${bytes} `, "dim")];
  return isSelected ? barLine([span(plain(shown))], cells, "selected") : shown;
}

function detailOf(item: MemoryItem | undefined, cells: number): Line[] {
  if (item === undefined) return [];
  const text = (value: string, style: Style = "plain"): Line[] =>
    wrap(inert(value), Math.max(1, cells - 2)).map((line): Line => [span(" "), span(line, style)]);
  const origin = `query ${item.query}, step ${item.step}`;
  const size = item.bytes === undefined ? "" : ` · ${formatBytes(item.bytes)}`;
  return [
    rule([
      ...(item.committed ? [span("★ ", "warn")] : []),
      span(inertLine(item.name), "strong"),
      span(` ${inertLine(item.type)}`, "dim"),
    ], cells),
    [span(` ${origin}${size}`, "dim")],
    ...(item.note === undefined ? [] : [[], [span(" note", "accent")], ...text(item.note)]),
    ...(item.comment === undefined
      ? []
      : [[], [span(" comment", "accent")], ...text(item.comment, "comment")]),
    ...(item.loss.length === 0
      ? []
      : [[], [span(" not kept", "warn")], ...item.loss.flatMap((loss) => text(loss))]),
    [],
    ...valueOf(item, cells, text),
  ];
}

function valueOf(
  item: MemoryItem,
  cells: number,
  text: (value: string, style?: Style) => Line[],
): Line[] {
  switch (item.kind) {
    case "function":
      return highlight(item.detail).flatMap((line) =>
        wrapSpans(line, Math.max(1, cells - 2)).map((row): Line => [span(" "), ...row])
      );
    case "variable":
      return text(item.detail);
    case "dropped":
      return [[span(" not saved", "warn")], ...text(item.detail)];
    case "failed":
      return [[span(" not restored", "bad")], ...text(item.detail)];
  }
}

function footerLine(state: AppState, where: string, size: Size): Line {
  const { filter, typing } = state.memory;
  const right: Line = where === "" ? [] : [span(`${where} `, "dim")];
  if (typing) return [span(" /", "accent"), span(inertLine(filter)), span("▏", "accent")];
  if (state.notice !== undefined) {
    return spread([span(` ${state.notice}`, "warn")], right, size.columns);
  }
  const keys = hints([
    ["esc", "back"],
    ["?", "help"],
    ["/", filter === "" ? "filter" : `filter: ${inertLine(filter)}`],
    ["j/k", "move"],
    ["J/K", "scroll"],
    ["q", "quit"],
  ], size.columns - where.length - 2);
  return spread(keys, right, size.columns);
}
