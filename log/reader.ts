import { type Entry, parseEntry } from "./entry.ts";

/** Receives what a `LineSplitter` finds; line numbers count from 1. */
export interface LineSink {
  /** A line without its `\n`; bytes that are no UTF-8 became U+FFFD. */
  line(text: string, number: number): void;
  /** A line longer than the limit, not kept. */
  tooLong(bytes: number, number: number): void;
}

/** Bytes of one line that are held; a longer line is passed over. */
export const LINE_LIMIT = 32 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines on `\n` and on nothing else (U+2028, U+2029 and U+0085 are text), in
 * memory that one line bounds. Chunks may end anywhere, within a character too.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limit: number;
  readonly #utf8 = new TextDecoder();
  #held: Uint8Array[] = [];
  #length = 0;
  #number = 1;

  constructor(sink: LineSink, limit: number = LINE_LIMIT) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Takes the next bytes. They are copied where they must be kept. */
  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      this.#hold(chunk.subarray(from, end), false);
      this.#emit();
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from), true);
  }

  /** Ends the input: what follows the last `\n`, if anything, is a line too. */
  end(): void {
    if (this.#length > 0) this.#emit();
  }

  #hold(part: Uint8Array, copy: boolean): void {
    this.#length += part.length;
    if (this.#length > this.#limit) this.#held = [];
    else if (part.length > 0) this.#held.push(copy ? part.slice() : part);
  }

  #emit(): void {
    const number = this.#number++;
    const length = this.#length;
    const held = this.#held;
    this.#held = [];
    this.#length = 0;
    if (length > this.#limit) return this.#sink.tooLong(length, number);
    this.#sink.line(this.#utf8.decode(joined(held, length)), number);
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0] ?? new Uint8Array();
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Lines that could not be read. */
export interface Skipped {
  readonly count: number;
  /** Numbers of the first of them, from 1. */
  readonly lines: readonly number[];
}

/** Line numbers that are kept of what was skipped. */
const NUMBERS_KEPT = 20;
const CHUNK = 256 * 1024;
/** Bytes of a file that may be read as one text. */
const SMALL = 1024 * 1024;
// A file of NULs, as a full disk or a crash leaves it, is blank and yet no blank line.
const BLANK = /^[ \t\r\ufeff]*$/;

/** Turns the bytes of a transcript into entries; keeps count of the lines that are none. */
export class EntryReader {
  readonly #onEntry: (entry: Entry) => void;
  readonly #splitter: LineSplitter;
  readonly #lineLimit: number;
  readonly #lines: number[] = [];
  #count = 0;
  #bytes = 0;

  constructor(onEntry: (entry: Entry) => void, lineLimit: number = LINE_LIMIT) {
    this.#onEntry = onEntry;
    this.#lineLimit = lineLimit;
    this.#splitter = new LineSplitter({
      line: (text, number) => this.#line(text, number),
      tooLong: (_bytes, number) => this.#skip(number),
    }, lineLimit);
  }

  /** Lines skipped so far. */
  get skipped(): Skipped {
    return { count: this.#count, lines: [...this.#lines] };
  }

  /** Bytes taken so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the next bytes of the file. */
  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#splitter.push(chunk);
  }

  /** Takes a whole file, which is all that it is given. @throws Deno's errors of the file */
  file(path: string): void {
    const small = this.#lineLimit < SMALL ? undefined : smallText(path);
    if (small === undefined) {
      using file = Deno.openSync(path, { read: true });
      this.drain(file);
    } else {
      this.#bytes = small.bytes;
      const lines = small.text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      for (const [at, line] of lines.entries()) {
        // As the decoder of a line does.
        this.#line(line.startsWith("\ufeff") ? line.slice(1) : line, at + 1);
      }
    }
    this.#splitter.end();
  }

  /** Takes the rest of an open file, up to its present end, or at most about `most` bytes of it. */
  drain(file: Deno.FsFile, most: number = Infinity): void {
    const buffer = new Uint8Array(CHUNK);
    for (const end = this.#bytes + most; this.#bytes < end;) {
      const read = file.readSync(buffer);
      if (read === null) return;
      this.push(buffer.subarray(0, read));
    }
  }

  /** Ends the input; a last line without `\n` is read where it is whole, else skipped. */
  end(): void {
    this.#splitter.end();
  }

  #line(text: string, number: number): void {
    // Nearly every line is an object: then the expression need not even be compiled.
    if (!text.startsWith("{") && BLANK.test(text)) return;
    let entry: Entry | undefined;
    try {
      entry = parseEntry(JSON.parse(text));
    } catch {
      // Torn, damaged or foreign: the line is counted and the next one read.
    }
    if (entry === undefined) this.#skip(number);
    else this.#onEntry(entry);
  }

  #skip(number: number): void {
    this.#count++;
    if (this.#lines.length < NUMBERS_KEPT) this.#lines.push(number);
  }
}

/**
 * The text of a small file: to open a file and decode its pieces takes 0.6 ms longer at the first time,
 * more than all else that is done with a small one. Undefined where it is large or cannot be read so.
 */
function smallText(path: string): { readonly text: string; readonly bytes: number } | undefined {
  try {
    const { size, isFile } = Deno.statSync(path);
    return isFile && size <= SMALL ? { text: Deno.readTextFileSync(path), bytes: size } : undefined;
  } catch {
    return undefined; // what is wrong says the one that opens it
  }
}

/** Reads a transcript in memory that its longest line bounds. @throws Deno's errors of the file */
export function readEntries(
  path: string,
  onEntry: (entry: Entry) => void,
  lineLimit: number = LINE_LIMIT,
): Skipped {
  const reader = new EntryReader(onEntry, lineLimit);
  reader.file(path);
  return reader.skipped;
}

/** The entries of a transcript in its order, some at a time, so that a file of any size can be read. */
export function* entryPieces(path: string): Generator<readonly Entry[], void, void> {
  using file = Deno.openSync(path, { read: true });
  let entries: Entry[] = [];
  const reader = new EntryReader((entry) => entries.push(entry));
  for (let before = -1; reader.bytes > before;) {
    before = reader.bytes;
    reader.drain(file, CHUNK);
    yield entries;
    entries = [];
  }
  reader.end();
  if (entries.length > 0) yield entries;
}

/** `1 line skipped (line 50)`, `3 lines skipped (lines 2, 7 and 9)`; empty where none was. */
export function describeSkipped({ count, lines }: Skipped): string {
  if (count === 0) return "";
  const [first] = lines;
  if (count === 1) return `1 line skipped (line ${first})`;
  const more = count - lines.length;
  const named = more > 0 ? lines.join(", ") : lines.slice(0, -1).join(", ");
  return `${count} lines skipped (lines ${named} and ${
    more > 0 ? `${more} more` : lines[lines.length - 1]
  })`;
}
