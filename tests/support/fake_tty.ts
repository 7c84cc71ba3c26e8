import { EventEmitter } from "node:events";
import type { ReadStream, WriteStream } from "node:tty";
import type { FakeTerminal } from "./fake_terminal.ts";

/** Standard output that writes to a fake terminal, as far as ink uses it. */
class FakeStdout extends EventEmitter {
  readonly isTTY = true;
  readonly terminal: FakeTerminal;

  constructor(terminal: FakeTerminal) {
    super();
    this.terminal = terminal;
  }

  get columns(): number {
    return this.terminal.columns;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  write(text: string, done?: () => void): boolean {
    this.terminal.write(text);
    done?.();
    return true;
  }
}

/** Standard input whose keys the test presses. */
class FakeStdin extends EventEmitter {
  readonly isTTY = true;
  raw = false;
  #waiting: string[] = [];

  setRawMode(raw: boolean): this {
    this.raw = raw;
    return this;
  }

  press(keys: string): void {
    this.#waiting.push(keys);
    this.emit("readable");
  }

  read(): string | null {
    return this.#waiting.shift() ?? null;
  }

  setEncoding(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  pause(): this {
    return this;
  }
}

/** The two streams of a fake terminal. */
export interface FakeTty {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Sends bytes as a keyboard would. */
  press(keys: string): void;
  /** Changes the size and tells the program. */
  resize(columns: number, rows: number): void;
  /** Whether keys reach the program one by one. */
  readonly raw: boolean;
}

/** Streams for a program that believes it runs on `terminal`. */
export function fakeTty(terminal: FakeTerminal): FakeTty {
  const stdin = new FakeStdin();
  const stdout = new FakeStdout(terminal);
  return {
    stdin: stdin as unknown as ReadStream,
    stdout: stdout as unknown as WriteStream,
    press: (keys) => stdin.press(keys),
    resize(columns, rows) {
      terminal.resize(columns, rows);
      stdout.emit("resize");
    },
    get raw() {
      return stdin.raw;
    },
  };
}
