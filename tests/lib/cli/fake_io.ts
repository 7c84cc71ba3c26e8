import type { Io } from "../../../lib/cli/io.ts";

/** A world for commands, and what they did to it. */
export interface FakeIo extends Io {
  /** All that was written to standard output. */
  readonly out: () => string;
  /** All that was written to standard error. */
  readonly err: () => string;
  /** Whether standard input was asked for. */
  readonly stdinTouched: () => boolean;
  /** Sends a signal to whoever listens. */
  readonly send: (signal: Deno.Signal) => void;
  /** Listeners that are still there. */
  readonly listening: () => number;
  /** Codes that the process was ended with. */
  readonly exits: readonly number[];
  readonly questions: readonly string[];
}

/** What a fake world is like; all is plain and empty where nothing is said. */
export interface FakeWorld {
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  readonly stdin?: Uint8Array | ReadableStream<Uint8Array>;
  readonly answer?: string;
  readonly columns?: number;
  readonly now?: number;
  /** The reader of standard output goes after so many writes. */
  readonly writesUntilGone?: number;
}

export function fakeIo(world: FakeWorld = {}): FakeIo {
  let out = "";
  let err = "";
  let touched = false;
  let writes = 0;
  const listeners = new Map<Deno.Signal, Set<() => void>>();
  const exits: number[] = [];
  const questions: string[] = [];
  const terminal = world.terminal ?? false;
  const gone = (): boolean => writes >= (world.writesUntilGone ?? Infinity);
  return {
    out: () => out,
    err: () => err,
    stdinTouched: () => touched,
    exits,
    questions,
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
    send: (signal) => [...listeners.get(signal) ?? []].forEach((listener) => listener()),
    stdout(text) {
      if (!gone()) out += text;
      writes++;
      return Promise.resolve();
    },
    readerGone: gone,
    stderr(text) {
      err += text;
    },
    stdin() {
      touched = true;
      return world.stdin instanceof ReadableStream
        ? world.stdin
        : ReadableStream.from(world.stdin === undefined ? [] : [world.stdin]);
    },
    ask(question) {
      questions.push(question);
      return world.answer;
    },
    terminal: { stdin: terminal, stdout: terminal, stderr: terminal },
    size: () => ({ columns: world.columns ?? 80, rows: 24 }),
    env: (name) => world.env?.[name],
    onSignal(signal, listener) {
      const set = listeners.get(signal) ?? new Set();
      listeners.set(signal, set.add(listener));
      return () => void set.delete(listener);
    },
    exit: (code) => void exits.push(code),
    clock: { now: () => world.now ?? 0, sleep: () => Promise.resolve() },
  };
}
