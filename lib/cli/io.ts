import type { Clock } from "../clock.ts";

/** What commands reach of the world; handed in, so that tests decide what it is. */
export interface Io {
  /**
   * Writes to standard output. Once the reader has gone (a closed pipe) it does nothing.
   *
   * @throws {RlmError} `disk` when the text cannot be written, as on a full disk
   */
  stdout(text: string): Promise<void>;
  /** Whether the reader of standard output has gone: nothing more needs to be made for it. */
  readerGone(): boolean;
  /** Writes to standard error; never throws. */
  stderr(text: string): void;
  /** Standard input; touched only when it is asked for. */
  stdin(): ReadableStream<Uint8Array>;
  /** Asks on the terminal; undefined where nobody answered. */
  ask(question: string): string | undefined;
  /** Which streams are terminals. */
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** The terminal's size now; 80 by 24 where there is none. */
  size(): { columns: number; rows: number };
  /** A variable of the environment; one that may not be read is not set. */
  env(name: string): string | undefined;
  /** Calls `listener` at a signal, where the system has it; gives what ends that. */
  onSignal(signal: Deno.Signal, listener: () => void): () => void;
  /** Ends the process at once; only for the second interrupt. */
  exit(code: number): void;
  readonly clock: Clock;
}

/** Whether standard error may be coloured: a terminal, and `NO_COLOR` unset or empty. */
export function colorsOn(io: Io, stream: "stdout" | "stderr"): boolean {
  return io.terminal[stream] && !io.env("NO_COLOR") && io.env("TERM") !== "dumb";
}
