import type { Clock } from "./clock.ts";
import { LimitError } from "./errors.ts";

/** A signal with an end; disposing it stops its clock. */
export interface Deadline extends Disposable {
  /** Aborted with the reason of the parent, or with a {@linkcode LimitError} of `maxSeconds`. */
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted with `parent`, and when the time is up.
 *
 * @param at milliseconds since the epoch (see `AgentBudget.deadline`); undefined for no end
 */
export function deadline(at: number | undefined, clock: Clock, parent: AbortSignal): Deadline {
  if (at === undefined) return { signal: parent, [Symbol.dispose]: () => {} };
  const stop = new AbortController();
  const end = new AbortController();
  const timeUp = () =>
    end.abort(
      new LimitError(
        "maxSeconds",
        "Cannot go on: the time of maxSeconds is used up; raise it with --max-seconds",
      ),
    );
  const left = at - clock.now();
  if (left <= 0) timeUp();
  // A timer of more than 24 days would fire at once; such a run has no end worth a timer.
  else if (left < 2 ** 31) clock.sleep(left, stop.signal).then(timeUp, () => {});
  return {
    signal: AbortSignal.any([parent, end.signal]),
    [Symbol.dispose]: () => stop.abort(),
  };
}
