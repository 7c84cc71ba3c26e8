import { dirname } from "@std/path";
import type { RunEvent } from "../lib/events.ts";
import { type EncoderOptions, EntryEncoder } from "./encode.ts";

/** Options of a `TranscriptWriter`. */
export interface TranscriptWriterOptions extends EncoderOptions {
  /** Told once, one line, when a line could not be written. The run goes on. */
  readonly onProblem?: (message: string) => void;
}

const NEWLINE = 0x0a;

/**
 * Appends the events of one run to a transcript. The file (0600) and its directory (0700) are made
 * at the first event. Lines are handed to the operating system one by one, so a killed process loses
 * none that was written; a torn line that an earlier process left is closed first. No method throws.
 */
export class TranscriptWriter implements Disposable {
  /** Where the transcript is. */
  readonly path: string;
  readonly #encoder: EntryEncoder;
  readonly #onProblem: ((message: string) => void) | undefined;
  readonly #utf8 = new TextEncoder();
  #file: Deno.FsFile | undefined;
  #torn = false;
  #closed = false;
  #problem: string | undefined;

  constructor(path: string, options: TranscriptWriterOptions = {}) {
    this.path = path;
    this.#encoder = new EntryEncoder(options);
    this.#onProblem = options.onProblem;
  }

  /** The first thing that went wrong; undefined while everything was written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Appends one event. An `EventSink`: it can be handed on without its writer. */
  readonly write = (event: RunEvent): void => {
    if (this.#closed) return;
    try {
      const line = this.#encoder.line(event);
      if (line === undefined) return;
      this.#file ??= this.#open();
      this.#append(this.#utf8.encode(this.#torn ? `\n${line}` : line));
    } catch (error) {
      this.#report(error);
    }
  };

  /** Closes the file. Further events are ignored. */
  close(): void {
    this.#closed = true;
    try {
      this.#file?.close();
    } catch (error) {
      this.#report(error);
    }
    this.#file = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = Deno.openSync(this.path, { read: true, append: true, create: true, mode: 0o600 });
    // A mode applies only to a new file: an old one may be open to others. Windows has no modes.
    if (Deno.build.os !== "windows") Deno.chmodSync(this.path, 0o600);
    if (file.statSync().size > 0) {
      const last = new Uint8Array(1);
      file.seekSync(-1, Deno.SeekMode.End);
      file.readSync(last);
      this.#torn = last[0] !== NEWLINE;
    }
    return file;
  }

  #append(bytes: Uint8Array): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += this.#file?.writeSync(bytes.subarray(written)) ?? bytes.length;
      }
      this.#torn = false;
    } catch (error) {
      if (written > 0) this.#torn = true;
      throw error;
    }
  }

  #report(error: unknown): void {
    if (this.#problem !== undefined) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#problem = `Cannot write the transcript ${this.path}: ${reason}`;
    this.#onProblem?.(this.#problem);
  }
}
