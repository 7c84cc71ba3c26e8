import type { LogModel, QueryModel, TranscriptModel } from "../model.ts";
import type { Size } from "./line.ts";

/** The screens. */
export type ScreenName = "timeline" | "run" | "memory" | "help";

/** What the run screen shows of an agent. */
export type RunView = "steps" | "input" | "reasoning" | "final" | "gantt";

/** Where the run screen is. */
export interface RunState {
  /** Index into the agents of the transcript, in tree order. */
  readonly agent: number;
  readonly view: RunView;
  /** The first row shown of each text, by `agent:view`. */
  readonly tops: Readonly<Record<string, number>>;
}

/** Where the memory inspector is. */
export interface MemoryState {
  /** Index into the items that the filter leaves. */
  readonly selected: number;
  /** First row of the detail. */
  readonly top: number;
  readonly filter: string;
  /** Whether keys go into the filter. */
  readonly typing: boolean;
}

/** Everything that a frame is drawn from. */
export interface AppState {
  readonly model: LogModel;
  readonly size: Size;
  /** The screen on show is the last; Escape goes back to the one before. */
  readonly screens: readonly ScreenName[];
  /** Index of the query. */
  readonly query: number;
  readonly run: RunState;
  readonly memory: MemoryState;
  /** The first row of the help. */
  readonly helpTop: number;
  /** How much of the bars has grown, 0 to 1; 1 once the opening is over. */
  readonly grown: number;
  /** One line about the last key, until the next one. */
  readonly notice: string | undefined;
  readonly done: boolean;
  /** Transcripts that were read in full later than the model, by path. */
  readonly loaded: Readonly<Record<string, TranscriptModel>>;
}

/** The key of `tops` for the text on show. */
export function topKey(run: RunState): string {
  return `${run.agent}:${run.view}`;
}

const FIRST_RUN: RunState = { agent: 0, view: "steps", tops: {} };

/** The state that a log opens with: a session at its timeline, a transcript at its run. */
export function openState(model: LogModel, size: Size): AppState {
  return {
    model,
    size,
    screens: [model.kind === "transcript" ? "run" : "timeline"],
    query: Math.max(0, model.kind === "transcript" ? 0 : model.queries.length - 1),
    run: FIRST_RUN,
    memory: { selected: 0, top: 0, filter: "", typing: false },
    helpTop: 0,
    grown: 0,
    notice: undefined,
    done: false,
    loaded: {},
  };
}

/** The screen on show. */
export function screenOf(state: AppState): ScreenName {
  return state.screens.at(-1) ?? "timeline";
}

/** The query that is selected; undefined in a session without queries. */
export function queryOf(state: AppState): QueryModel | undefined {
  return state.model.queries[state.query];
}

/** The transcript of the selected query, in full where it was read later. */
export function transcriptOf(state: AppState): TranscriptModel | undefined {
  const transcript = queryOf(state)?.transcript;
  return transcript === undefined ? undefined : state.loaded[transcript.path] ?? transcript;
}

/** Another query, at the first step of its root agent. */
export function withQuery(state: AppState, query: number): AppState {
  const last = Math.max(0, state.model.queries.length - 1);
  const next = Math.max(0, Math.min(last, query));
  return next === state.query ? state : { ...state, query: next, run: FIRST_RUN };
}

/** Opens a screen on top of this one. */
export function push(state: AppState, screen: ScreenName): AppState {
  return screenOf(state) === screen ? state : { ...state, screens: [...state.screens, screen] };
}

/** Back to the screen before; the first one stays. */
export function back(state: AppState): AppState {
  if (state.screens.length > 1) return { ...state, screens: state.screens.slice(0, -1) };
  return { ...state, notice: "this is the first screen; q quits" };
}
