import type { Clock } from "../../lib/clock.ts";

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test moves it, and remembers who slept how long. */
export interface FakeClock extends Clock {
  /** Every sleep that was asked for, in milliseconds, in order. */
  readonly sleeps: readonly number[];
  /** Sleepers that still wait. */
  readonly waiting: number;
  /** Moves time on and wakes every sleeper whose time has come, earliest first. */
  advance(ms: number): Promise<void>;
  /** Resolves once somebody sleeps for exactly `ms`, now or later. */
  untilAsleep(ms: number): Promise<void>;
}

/** What a fake clock starts with. */
export interface FakeClockOptions {
  /** @default 1_700_000_000_000 */
  readonly now?: number;
  /** Sleeps up to this many milliseconds end at once, time moving on by as much. @default 0 */
  readonly autoAdvanceUpTo?: number;
}

/** A `Clock` for tests. */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  let now = options.now ?? 1_700_000_000_000;
  const auto = options.autoAdvanceUpTo ?? 0;
  const sleeps: number[] = [];
  const sleepers = new Set<Sleeper>();
  const watchers: { ms: number; seen: () => void }[] = [];

  return {
    sleeps,
    get waiting() {
      return sleepers.size;
    },
    now: () => now,
    sleep(ms, signal) {
      sleeps.push(ms);
      for (const watcher of watchers.filter((one) => one.ms === ms)) watcher.seen();
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms <= auto) {
        now += ms;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          due: now + ms,
          wake: () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    async advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers].sort((a, b) => a.due - b.due)) {
        if (sleeper.due > now || !sleepers.delete(sleeper)) continue;
        sleeper.wake();
        await Promise.resolve();
      }
    },
    untilAsleep(ms) {
      if (sleeps.includes(ms)) return Promise.resolve();
      return new Promise((seen) => void watchers.push({ ms, seen }));
    },
  };
}
