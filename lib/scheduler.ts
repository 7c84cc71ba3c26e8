/** Memory that one sandbox may need, bytes: its process, its heap and its share of the host. */
const SANDBOX_BYTES = 256 * 1024 * 1024;

/**
 * How many sub-agents work at once by default: four a core, because most of the time they wait for
 * a model, fewer where half of the machine's memory would not hold them; from 1 to 32.
 *
 * @param memoryBytes the memory of the machine; unknown sizes count as 4 GiB
 */
export function defaultConcurrency(cores: number, memoryBytes: number): number {
  const memory = memoryBytes > 0 ? memoryBytes : 4 * 1024 ** 3;
  const byCores = 4 * Math.max(1, Math.floor(cores) || 1);
  const byMemory = Math.floor(memory / 2 / SANDBOX_BYTES);
  return Math.max(1, Math.min(byCores, byMemory, 32));
}

/** The place of one sub-agent among those that work. */
export interface Slot {
  /**
   * Gives the place away while `wait` runs: for an agent that waits for its own sub-agents. Of
   * several waits at once the first gives the place away, and the last to end gets one back before
   * it returns. The signal ends the wait for the place, not `wait` itself.
   */
  yieldWhile<T>(wait: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Gives a place to someone who waits for one. */
type Grant = () => void;

/** The agents of one depth. Sets keep their order, and an aborted wait leaves them at no cost. */
class Level {
  readonly depth: number;
  /** Begun and not ended. */
  open = 0;
  /** Had a place and go on; they come before new ones. */
  readonly resumes: Set<Grant> = new Set();
  readonly starts: Set<Grant> = new Set();

  constructor(depth: number) {
    this.depth = depth;
  }
}

/**
 * Lets at most `max` sub-agents of a run work at once; the others wait in order.
 *
 * A place is held only by agents that can go on by themselves: one that waits for its sub-agents
 * gives its place away, so a tree of any depth gets through with one place. At most `max` agents of
 * each depth are begun and not ended, and deeper agents are served first, so that a wide tree does
 * not open a sandbox for each of its nodes. Agents of one depth start in the order they were asked
 * for.
 */
export class Scheduler {
  readonly max: number;
  #working = 0;
  #waiting = 0;
  /** Deepest first. */
  #levels: Level[] = [];

  /**
   * @param max places, at least 1
   * @throws {RangeError} for anything else
   */
  constructor(max: number) {
    if (!(max >= 1)) {
      throw new RangeError(`Cannot schedule: max must be from 1, current value is ${max}`);
    }
    this.max = Math.floor(max);
  }

  /** Sub-agents that work now. */
  get working(): number {
    return this.#working;
  }

  /** Sub-agents that wait for a place now. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs `work` as soon as there is a place. Rejects with the signal's reason while it waits; a
   * running `work` must watch the signal itself.
   *
   * @param options.depth the sub-agent's depth, from 1
   */
  async run<T>(
    work: (slot: Slot) => Promise<T>,
    options: { depth: number; signal?: AbortSignal | undefined },
  ): Promise<T> {
    const level = this.#level(options.depth);
    await this.#acquire(level.starts, options.signal);
    const place = new Place(
      () => this.#release(),
      (signal) => this.#acquire(level.resumes, signal ?? options.signal),
    );
    try {
      return await work(place);
    } finally {
      level.open--;
      place.leave();
      this.#serve();
    }
  }

  #level(depth: number): Level {
    let level = this.#levels.find((one) => one.depth === depth);
    if (!level) {
      level = new Level(depth);
      this.#levels = [...this.#levels, level].sort((a, b) => b.depth - a.depth);
    }
    return level;
  }

  #acquire(queue: Set<Grant>, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      if (queue.delete(grant)) this.#waiting--;
      reject(signal?.reason);
    };
    const grant = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    queue.add(grant);
    this.#waiting++;
    this.#serve();
    return promise;
  }

  #release(): void {
    this.#working--;
    this.#serve();
  }

  /** Gives free places to those who wait. */
  #serve(): void {
    while (this.#working < this.max) {
      const grant = this.#next();
      if (!grant) return;
      this.#waiting--;
      this.#working++;
      grant();
    }
  }

  /** Takes the next in order out of its queue. */
  #next(): Grant | undefined {
    for (const level of this.#levels) {
      for (const grant of level.resumes) {
        level.resumes.delete(grant);
        return grant;
      }
      if (level.open >= this.max) continue;
      for (const grant of level.starts) {
        level.starts.delete(grant);
        level.open++;
        return grant;
      }
    }
    return undefined;
  }
}

class Place implements Slot {
  readonly #release: () => void;
  readonly #acquire: (signal: AbortSignal | undefined) => Promise<void>;
  #waits = 0;
  #held = true;
  #left = false;

  constructor(release: () => void, acquire: (signal: AbortSignal | undefined) => Promise<void>) {
    this.#release = release;
    this.#acquire = acquire;
  }

  async yieldWhile<T>(wait: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#waits++;
    if (this.#held) {
      this.#held = false;
      this.#release();
    }
    try {
      return await wait();
    } finally {
      if (--this.#waits === 0 && !this.#left) await this.#take(signal);
    }
  }

  /** A place may come after the agent has ended, or while it waits again: then it goes back. */
  async #take(signal: AbortSignal | undefined): Promise<void> {
    await this.#acquire(signal);
    if (this.#left || this.#waits > 0 || this.#held) this.#release();
    else this.#held = true;
  }

  leave(): void {
    this.#left = true;
    if (!this.#held) return;
    this.#held = false;
    this.#release();
  }
}
