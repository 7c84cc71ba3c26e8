/**
 * Reads the layout that `ManifestText` writes: a field of `state.json` begins a line, a record or
 * list ends with a line of its own. Other layouts are as good, and read as a whole.
 *
 * @module
 */
import type { FieldBytes } from "./session_text.ts";

const LINE_END = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const RECORD = 0x7b;
/** Keys are short; what is longer is another layout. */
const LONGEST_KEY = 60;
/** From `{` to `}`, and from `[` to `]`. */
const TO_CLOSE = 2;

/**
 * The JSON of a file. Where that has the engine's layout, each field is read by itself, and told:
 * fields that are whole JSON, one after another, make the whole.
 *
 * @throws what `TextDecoder` and `JSON.parse` throw
 */
export function parseFields(bytes: Uint8Array): { value: unknown; fields?: FieldBytes } {
  const fields = fieldsOf(bytes);
  if (fields) {
    try {
      const entries = [...fields].map(([key, field]) => [key, parse(field, true)]);
      return { value: Object.fromEntries(entries), fields };
    } catch {
      // It only looks like the layout, or is damaged: the whole tells.
    }
  }
  return { value: parse(bytes) };
}

function parse(bytes: Uint8Array, ignoreBOM = false): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes));
}

function fieldsOf(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  const fields = new Map<string, Uint8Array>();
  if (bytes[0] !== RECORD || bytes[1] !== LINE_END) return undefined;
  for (let at = 2;;) {
    const colon = bytes.indexOf(COLON, at);
    const name = String.fromCharCode(...bytes.subarray(at, Math.min(colon, at + LONGEST_KEY)));
    const key = /^"([\w.-]+)"$/.exec(name)?.[1];
    if (key === undefined || fields.has(key) || bytes[colon + 1] !== SPACE) return undefined;
    const from = colon + 2;
    const [end, lineEnd] = fieldEnd(bytes, from);
    if (lineEnd === -1) return undefined;
    fields.set(key, bytes.subarray(from, end));
    if (end === lineEnd) {
      const isWhole = bytes[end + 1] === RECORD + TO_CLOSE && bytes[end + 2] === LINE_END;
      return isWhole && end + 3 === bytes.length ? fields : undefined;
    }
    if (bytes[end] !== COMMA || end + 1 !== lineEnd) return undefined;
    at = lineEnd + 1;
  }
}

/** Where a field ends, and the line that it ends on; -1 where the bytes end first. */
function fieldEnd(bytes: Uint8Array, from: number): [end: number, lineEnd: number] {
  let lineEnd = bytes.indexOf(LINE_END, from);
  const open = bytes[from];
  if (lineEnd !== from + 1 || (open !== LIST && open !== RECORD)) {
    return [bytes[lineEnd - 1] === COMMA ? lineEnd - 1 : lineEnd, lineEnd];
  }
  for (let line = from + 2; lineEnd !== -1; line = lineEnd + 1) {
    lineEnd = bytes.indexOf(LINE_END, line);
    if (bytes[line] === open + TO_CLOSE) return [line + 1, lineEnd];
  }
  return [-1, -1];
}
