import type { Clock } from "../clock.ts";
import { ModelError, unknownCall } from "./model_error.ts";
import type { ModelReply, ModelRequest } from "./model.ts";
import { longestRetryAfterMs } from "./retry_after.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

/** How failed tries are repeated. */
export interface RetryOptions {
  readonly clock: Clock;
  /** Tries after the first one. @default 3 */
  readonly maxRetries?: number;
  /** Milliseconds one try may take, body included. @default 600_000 */
  readonly timeoutMs?: number;
  /** A number from 0 to 1 that spreads the waits of parallel calls. @default Math.random */
  readonly random?: () => number;
}

const firstWaitMs = 1_000;
const longestBackoffMs = 30_000;

/** One try: gives a reply, or throws `ModelError` or the signal's reason. */
export type Attempt = (signal: AbortSignal) => Promise<ModelReply>;

/**
 * Makes tries until one succeeds, one fails for good, or they run out. The wait before try n + 1 is
 * `Retry-After` where the provider names one of at most a minute (a longer one ends the call at
 * once), else 1, 2, 4 … 30 seconds and up to a quarter more. Each try has a time limit of its own.
 * An abort ends a try or a wait at once, with the signal's reason. What charged tries used is added
 * to the reply's usage, or to that of the error.
 */
export async function withRetries(
  attempt: Attempt,
  request: Pick<ModelRequest, "signal" | "onRetry"> & { readonly model: string },
  options: RetryOptions,
): Promise<ModelReply> {
  const maxRetries = options.maxRetries ?? 3;
  const random = options.random ?? Math.random;
  let spent: Usage = noUsage;
  for (let tries = 1;; tries++) {
    request.signal?.throwIfAborted();
    try {
      const reply = await limited(attempt, request, options);
      return spent === noUsage ? reply : { ...reply, usage: addUsage(spent, reply.usage) };
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (!(error instanceof ModelError)) throw error;
      spent = addUsage(spent, error.usage);
      const waitMs = error.retryAfterMs ??
        Math.round(
          Math.min(longestBackoffMs, firstWaitMs * 2 ** (tries - 1)) * (1 + random() / 4),
        );
      if (!error.retryable || tries > maxRetries || waitMs > longestRetryAfterMs) {
        throw ended(error, tries, waitMs, spent);
      }
      request.onRetry?.({ attempt: tries, waitMs, reason: error.message });
      await options.clock.sleep(waitMs, request.signal);
    }
  }
}

function ended(error: ModelError, tries: number, waitMs: number, usage: Usage): ModelError {
  const tooLong = error.retryable && waitMs > longestRetryAfterMs;
  const after = tooLong
    ? `; the provider asks to wait ${Math.ceil(waitMs / 1000)} s, more than the ${
      longestRetryAfterMs / 1000
    } s that are waited for`
    : tries > 1
    ? `; gave up after ${tries} tries`
    : "";
  return new ModelError(error.code, error.message + after, {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.url === undefined ? {} : { url: error.url }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    usage,
  });
}

/**
 * Runs one try under its time limit. The race with the abort matters: a model handed in by the
 * user may ignore its signal, and then must not hold up the end of the run.
 */
async function limited(
  attempt: Attempt,
  request: Pick<ModelRequest, "signal"> & { readonly model: string },
  options: RetryOptions,
): Promise<ModelReply> {
  const timeoutMs = options.timeoutMs ?? 600_000;
  const done = new AbortController();
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => {});
  const abort = (reason: unknown): void => {
    stop(reason);
    done.abort(reason);
  };
  const onAbort = (): void => abort(request.signal?.reason);
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const timer = new AbortController();
  options.clock.sleep(timeoutMs, timer.signal).then(() =>
    abort(
      new ModelError(
        "model_timeout",
        `Cannot get a reply from ${request.model}: none came within ${timeoutMs / 1000} s`,
        // A slow reply is charged by most providers, although it was not waited for.
        { retryable: true, usage: unknownCall },
      ),
    ), () => {});
  try {
    const running = attempt(done.signal);
    running.catch(() => {});
    return await Promise.race([running, stopped]);
  } finally {
    request.signal?.removeEventListener("abort", onAbort);
    // With a reason of its own: making an abort error takes its time, and nobody reads it.
    timer.abort(null);
  }
}
