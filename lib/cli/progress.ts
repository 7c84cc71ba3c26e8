import { cutLine, type Line, paint } from "../../log/viewer/line.ts";
import type { Clock } from "../clock.ts";
import type { EventSink, RunEvent } from "../events.ts";
import { createLiveRegion } from "./live_region.ts";
import { plainLine, stayingLine, verboseBlock } from "./progress_plain.ts";
import { type ProgressBudgets, renderProgress, summaryLine } from "./progress_render.ts";
import { noProgress, type ProgressState, reduceProgress } from "./progress_state.ts";

export type { ProgressBudgets } from "./progress_render.ts";

/** How much of a run is shown while it works. */
export type Verbosity = "quiet" | "normal" | "verbose";

/** Where progress goes and what it is measured against. */
export interface ProgressIO {
  /** Writes to standard error. */
  write(text: string): void;
  /** Whether that is a terminal; if not, progress is plain lines. */
  readonly isTerminal: boolean;
  /** Columns of the terminal now. */
  columns(): number;
  /** Rows of the terminal now. */
  rows(): number;
  readonly clock: Clock;
  readonly color: boolean;
  readonly verbosity: Verbosity;
  readonly budgets: ProgressBudgets;
}

/** Progress of one run. */
export interface Progress {
  /** Takes the events of the run; never throws. */
  readonly sink: EventSink;
  /** Takes the live tree off the screen and ends its clock. May be called more than once. */
  stop(): void;
}

/** Milliseconds between two frames. */
const FRAME_MS = 120;

/** Shows a run while it works: a live tree on a terminal, plain lines elsewhere, nothing if quiet. */
export function createProgress(io: ProgressIO): Progress {
  if (io.verbosity === "quiet") return { sink: () => {}, stop: () => {} };
  return io.isTerminal ? liveProgress(io) : plainProgress(io);
}

/** A write that fails once (a closed pipe) is not tried again: progress never ends a run. */
function guarded(io: ProgressIO): (text: string) => void {
  let broken = false;
  return (text) => {
    if (broken) return;
    try {
      io.write(text);
    } catch {
      broken = true;
    }
  };
}

function plainProgress(io: ProgressIO): Progress {
  const write = guarded(io);
  let state = noProgress;
  const sink = (event: RunEvent): void => {
    state = reduceProgress(state, event);
    const line = plainLine(event, state.since ?? event.time);
    const lines = [
      ...(line === undefined ? [] : [line]),
      ...(io.verbosity === "verbose" ? verboseBlock(event).map((each) => paint(each, false)) : []),
      ...(event.type === "run_end" ? [paint(summaryLine(state), false)] : []),
    ];
    if (lines.length > 0) write(lines.map((each) => `${each}\n`).join(""));
  };
  return { sink, stop: () => {} };
}

function liveProgress(io: ProgressIO): Progress {
  const write = guarded(io);
  const region = createLiveRegion({ write, columns: () => io.columns() });
  const ended = new AbortController();
  let state: ProgressState = noProgress;
  let ticking = false;
  let drawnAt = -Infinity;

  const draw = (above: readonly Line[] = []): void => {
    const now = io.clock.now();
    drawnAt = now;
    const size = { columns: io.columns(), rows: io.rows() };
    const options = { size, now, color: io.color, budgets: io.budgets };
    region.draw(renderProgress(state, options), above.map((line) => paint(line, io.color)));
  };

  /** Frames between events, so that clocks run and a resize is seen; ends with the run. */
  const tick = async (): Promise<void> => {
    ticking = true;
    try {
      while (!ended.signal.aborted) {
        await io.clock.sleep(FRAME_MS, ended.signal);
        draw();
      }
    } catch {
      // The sleep was ended by stop().
    }
  };

  const stop = (): void => {
    if (ended.signal.aborted) return;
    ended.abort();
    region.clear();
  };

  const sink = (event: RunEvent): void => {
    if (ended.signal.aborted) return;
    state = reduceProgress(state, event);
    if (event.type === "run_end") {
      stop();
      write(paint(cutLine(summaryLine(state), io.columns()), io.color) + "\n");
      return;
    }
    const above = [
      ...stayingLine(event),
      ...(io.verbosity === "verbose" ? verboseBlock(event) : []),
    ] satisfies Line[];
    if (above.length > 0 || io.clock.now() - drawnAt >= FRAME_MS) draw(above);
    if (!ticking) void tick();
  };
  return { sink, stop };
}
