import type { EventSink, RunEvent } from "./events.ts";

/** Events on their way to a sink that takes its time. */
export interface DeferredSink {
  /** Takes an event; `write` gets it a moment later, in order. */
  readonly sink: EventSink;
  /** Hands on what is waiting now. */
  flush(): void;
}

/** Milliseconds after which waiting events are handed on: by then the loop waits for somebody. */
const DELAY_MS = 10;

/**
 * Keeps writing off the way from a reply to the next request: what a kill -9 within that time can
 * lose is the end of a transcript, never state.
 */
export function deferredSink(write: EventSink): DeferredSink {
  let waiting: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    for (const event of events) write(event);
  };
  return {
    sink(event) {
      waiting.push(event);
      timer ??= setTimeout(flush, DELAY_MS);
    },
    flush,
  };
}
