import type { LogModel, TranscriptModel } from "../model.ts";
import {
  type AppState,
  back,
  push,
  queryOf,
  screenOf,
  topKey,
  transcriptOf,
  withQuery,
} from "./app_state.ts";
import { treeRows } from "./agent_tree.ts";
import { onHelpKey, renderHelp } from "./help_screen.ts";
import { clamp, type Key } from "./keys.ts";
import type { Line, Size } from "./line.ts";
import { onMemoryKey, renderMemory } from "./memory_screen.ts";
import { isAtEnd, onRunKey, renderRun } from "./run_screen.ts";
import { onTimelineKey, renderTimeline } from "./timeline_screen.ts";

/** The screen on show as exactly `size.rows` lines, none wider than `size.columns`. */
export function renderApp(state: AppState, size: Size): Line[] {
  switch (screenOf(state)) {
    case "timeline":
      return renderTimeline(state, size);
    case "run":
      return renderRun(state, size);
    case "memory":
      return renderMemory(state, size);
    case "help":
      return renderHelp(state, size);
  }
}

/** The state after a key. A key that means nothing changes nothing. */
export function onKey(before: AppState, key: Key): AppState {
  // A key ends the opening: who is in a hurry waits for no animation.
  const state: AppState = { ...before, notice: undefined, grown: 1 };
  const screen = screenOf(state);
  if (key === "ctrl-c") return { ...state, done: true };
  if (screen === "help") {
    return key === "q" ? { ...state, done: true } : onHelpKey(state, key) ?? back(state);
  }
  if (screen === "memory" && state.memory.typing) return onMemoryKey(state, key);
  switch (key) {
    case "q":
      return { ...state, done: true };
    case "?":
      return push({ ...state, helpTop: 0 }, "help");
    case "escape":
      return onEscape(state);
    case "m":
      if (screen === "memory") return state;
      return state.model.memory === undefined
        ? { ...state, notice: "only a session has a memory: open its directory" }
        : push(state, "memory");
    case "[":
      return move(state, -1);
    case "]":
      return move(state, 1);
  }
  if (screen === "timeline") return onTimelineKey(state, key);
  return screen === "run" ? onRunKey(state, key) : onMemoryKey(state, key);
}

/** Back by the smallest step: out of a view or a filter first, then out of the screen. */
function onEscape(state: AppState): AppState {
  if (screenOf(state) === "run" && state.run.view !== "steps") {
    return { ...state, run: { ...state.run, view: "steps" } };
  }
  if (screenOf(state) === "memory" && state.memory.filter !== "") {
    return { ...state, memory: { ...state.memory, filter: "", selected: 0, top: 0 } };
  }
  return back(state);
}

function move(state: AppState, by: number): AppState {
  const moved = withQuery(state, state.query + by);
  if (moved !== state) return { ...moved, run: { ...moved.run, view: state.run.view } };
  return { ...state, notice: by < 0 ? "this is the first query" : "this is the last query" };
}

/** The state on a terminal of another size. */
export function resized(state: AppState, size: Size): AppState {
  const same = size.columns === state.size.columns && size.rows === state.size.rows;
  return same ? state : { ...state, size };
}

/** The state with what a followed log holds now; the place in it is kept. */
export function refreshed(state: AppState, model: LogModel): AppState {
  // Who looks at the newest query of a session stays at the newest.
  const atEnd = screenOf(state) === "timeline" && state.query === state.model.queries.length - 1;
  const last = Math.max(0, model.queries.length - 1);
  const next = { ...state, model, loaded: {}, query: atEnd ? last : clamp(state.query, last) };
  const before = transcriptOf(state);
  const after = transcriptOf(next);
  if (before === undefined || after === undefined) return next;
  const runId = treeRows(before)[state.run.agent]?.agent.runId;
  const agent = Math.max(0, treeRows(after).findIndex((row) => row.agent.runId === runId));
  const top = isAtEnd(state) ? Number.MAX_SAFE_INTEGER : state.run.tops[topKey(state.run)] ?? 0;
  const run = { ...state.run, agent };
  return { ...next, run: { ...run, tops: { [topKey(run)]: top } } };
}

/** The transcript whose steps the screen needs and the model does not hold; undefined if none. */
export function missingTranscript(state: AppState): TranscriptModel | undefined {
  if (!state.screens.includes("run")) return undefined;
  const transcript = transcriptOf(state);
  return transcript?.detail === "counts" && queryOf(state) !== undefined ? transcript : undefined;
}

/** The state with a transcript that was read in full. */
export function withTranscript(state: AppState, transcript: TranscriptModel): AppState {
  return { ...state, loaded: { [transcript.path]: transcript } };
}
