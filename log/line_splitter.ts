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
