import type { ReadStream, WriteStream } from "node:tty";
import type { LogModel, TranscriptModel } from "../model.ts";
import { missingTranscript, onKey, refreshed, renderApp, resized, withTranscript } from "./app.ts";
import { type AppState, openState } from "./app_state.ts";

/** What the viewer shows. */
export interface TuiSource {
  readonly model: LogModel;
  /** Newer states of the same log, as `followLog` yields them. */
  readonly updates?: AsyncIterable<{ readonly model: LogModel }>;
  /** Reads a transcript in full whose steps the model does not hold, because they are large. */
  readonly loadTranscript?: (path: string) => TranscriptModel;
}

/** The terminal that the viewer runs on. */
export interface TuiIO {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Whether colours are wanted; false under NO_COLOR. */
  readonly color: boolean;
  /** Resolves after `ms` milliseconds, rejects when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How long the bars grow when a session is opened, and how often they are drawn meanwhile. */
const OPENING_MS = 480;
const FRAME_MS = 40;

/**
 * Shows a log full-screen until the user quits. Returns false at once, having written nothing, where
 * input or output is no terminal: the caller then prints the statistics.
 *
 * The terminal is restored whatever happens; an error in the viewer is thrown after that.
 */
export async function showTui(source: TuiSource, io: TuiIO): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) return false;
  // Ink and React are only paid for here.
  const { openScreen } = await import("./screen_driver.ts");
  const ended = new AbortController();
  const finished = Promise.withResolvers<void>();

  let state: AppState | undefined;
  const change = (next: (state: AppState) => AppState): void => {
    if (state === undefined || ended.signal.aborted) return;
    try {
      const after = next(state);
      if (after === state) return;
      state = loaded(after, source);
      if (state.done) finished.resolve();
      else screen.draw(renderApp(state, state.size));
    } catch (error) {
      finished.reject(error);
    }
  };

  const screen = openScreen(io, {
    onKey: (key) => change((now) => onKey(now, key)),
    onResize: () => change((now) => resized(now, screen.size())),
  });
  try {
    state = openState(source.model, screen.size());
    change((now) => ({ ...now }));
    const background = Promise.all([
      opening(io, ended.signal, change),
      follow(source, ended.signal, change),
    ]);
    background.catch((error) => {
      if (!ended.signal.aborted) finished.reject(error);
    });
    await finished.promise;
  } finally {
    ended.abort();
    await screen.close();
  }
  return true;
}

/** Reads the steps of a large transcript once a screen needs them. */
function loaded(state: AppState, source: TuiSource): AppState {
  const missing = missingTranscript(state);
  if (missing === undefined || source.loadTranscript === undefined) return state;
  try {
    return withTranscript(state, source.loadTranscript(missing.path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...state, notice: reason };
  }
}

type Change = (next: (state: AppState) => AppState) => void;

/** Lets the bars grow, fast first. */
async function opening(io: TuiIO, signal: AbortSignal, change: Change): Promise<void> {
  const frames = OPENING_MS / FRAME_MS;
  for (let frame = 1; frame <= frames && !signal.aborted; frame++) {
    await io.sleep(FRAME_MS, signal);
    const grown = 1 - (1 - frame / frames) ** 3;
    change((state) => state.grown >= 1 ? state : { ...state, grown });
  }
}

async function follow(source: TuiSource, signal: AbortSignal, change: Change): Promise<void> {
  if (source.updates === undefined) return;
  const updates = source.updates[Symbol.asyncIterator]();
  signal.addEventListener("abort", () => void updates.return?.().catch(() => {}), { once: true });
  for (;;) {
    const next = await updates.next();
    if (next.done === true || signal.aborted) return;
    change((state) => refreshed(state, next.value.model));
  }
}
