/**
 * The outcome of `work`, or the signal's reason as soon as it is aborted: for work that may not
 * watch the signal. What such work does after that is nobody's; its failure is not reported.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Before anything may throw: work that fails later must not end the process.
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
