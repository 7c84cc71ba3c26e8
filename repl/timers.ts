/**
 * Timers of agent code. They take functions only, and none outlives the step that set it: what is
 * left when a step ends is cancelled and named to the agent.
 */

/** The timer functions of a REPL and what the step loop does with them. */
export interface Timers {
  readonly globals: Readonly<Record<string, unknown>>;
  /** Cancels what is pending; returns how many there were. */
  cancelAll(): number;
  /** One turn of the event loop: what failed without anybody waiting is reported by then. */
  turn(): Promise<void>;
}

/** Wraps the native timers, which must still be on the global. */
export function createTimers(): Timers {
  const native = { setTimeout, setInterval, clearTimeout, clearInterval };
  const immediate = (globalThis as unknown as { setImmediate(f: () => void): void }).setImmediate;
  const NativePromise = Promise;
  const pending = new Set<number>();
  const { call } = Function.prototype;
  const add = call.bind(Set.prototype.add) as (s: unknown, v: number) => void;
  const remove = call.bind(Set.prototype.delete) as (s: unknown, v: number) => void;
  const forEach = call.bind(Set.prototype.forEach) as (s: unknown, f: (v: number) => void) => void;
  const clear = call.bind(Set.prototype.clear) as (s: unknown) => void;
  const sizeOf = call.bind(
    Object.getOwnPropertyDescriptor(Set.prototype, "size")!.get!,
  ) as (s: unknown) => number;

  type Callback = (...args: unknown[]) => void;
  const check = (name: string, callback: unknown): Callback => {
    if (typeof callback !== "function") {
      throw new TypeError(`${name} takes a function; got ${typeof callback}`);
    }
    return callback as Callback;
  };
  const setters = {
    setTimeout(callback: unknown, ms?: number, ...args: unknown[]): number {
      const run = check("setTimeout", callback);
      const id = native.setTimeout(() => {
        remove(pending, id);
        run(...args);
      }, ms) as unknown as number;
      add(pending, id);
      return id;
    },
    setInterval(callback: unknown, ms?: number, ...args: unknown[]): number {
      const run = check("setInterval", callback);
      const id = native.setInterval(() => run(...args), ms) as unknown as number;
      add(pending, id);
      return id;
    },
  };
  const stop = (id: unknown) => {
    if (typeof id !== "number") return;
    remove(pending, id);
    native.clearTimeout(id);
  };
  return {
    globals: { ...setters, clearTimeout: stop, clearInterval: (id: unknown) => stop(id) },
    turn: () => new NativePromise((resolve) => immediate(resolve)),
    cancelAll() {
      const count = sizeOf(pending);
      forEach(pending, (id) => native.clearTimeout(id));
      clear(pending);
      return count;
    },
  };
}
