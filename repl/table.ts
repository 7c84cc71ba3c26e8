/** The table of a payload: its limits, and the check of a text that someone may have edited. */

/** Links below this depth are made by patches, so that no reader runs out of stack. */
export const MAX_DEPTH = 200;
/** Longest sparse array; anything longer is an attack or a mistake. */
export const MAX_SPARSE = 50_000_000;
/** Longest bigint in decimal digits: reading one takes more than linear time. */
export const MAX_BIGINT_DIGITS = 1_000_000;

/** Thrown while encoding when a value is larger than its cap. */
export class CapExceeded extends Error {
  override readonly name = "CapExceeded";
  /** @param bytes Encoded bytes counted when the limit was met. */
  constructor(readonly bytes: number) {
    super(`the encoded value is larger than its cap: at least ${bytes} bytes`);
  }
}

/** Thrown when a payload is not what an encoder writes. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

// deno-lint-ignore no-control-regex
const ASCII = /^[\x00-\x7f]*$/;

/** UTF-8 bytes of well-formed text. */
export function jsonBytes(text: string): number {
  if (ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Whether an own key is an array index in canonical form. */
export function isIndex(key: PropertyKey): boolean {
  if (typeof key !== "string" || key.length > 10) return false;
  const number = Number(key) >>> 0;
  return String(number) === key && number !== 0xffffffff;
}

/** A key as a part of a path. */
export function pathKey(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  if (typeof key === "symbol") return `[${String(key)}]`;
  const text = String(key);
  if (isIndex(text)) return `[${text}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)
    ? `.${text}`
    : `[${JSON.stringify(text.slice(0, 60))}]`;
}

const VIEWS = new Set([
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Float16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "DataView",
]);
const TEXTS = new Set([
  "Date",
  "URL",
  "URLSearchParams",
  "Temporal.Duration",
  "Temporal.Instant",
  "Temporal.PlainDate",
  "Temporal.PlainTime",
  "Temporal.PlainDateTime",
  "Temporal.PlainMonthDay",
  "Temporal.PlainYearMonth",
  "Temporal.ZonedDateTime",
]);
/** Rows that a reviver reads: tag, then the index of a number or string. */
const REVIVED: Readonly<Record<string, "number" | "string">> = {
  function: "number",
  prototype: "number",
  symbol: "string",
  error: "string",
  native: "string",
};

function fail(what: string): never {
  throw new DecodeError(`the saved text is damaged: ${what}`);
}

/**
 * Reads a payload's text and checks every row, so that what follows can neither loop, allocate more
 * than the text is worth, nor touch a prototype.
 */
export function readTable(text: string): unknown[] {
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch {
    fail("it is not JSON");
  }
  if (!Array.isArray(table) || table.length === 0) fail("it is not a table");
  const rows = table as unknown[];
  for (let i = 0; i < rows.length; i++) checkRow(rows, rows[i]);
  return rows;
}

function checkRef(rows: unknown[], ref: unknown, holes = false): void {
  if (typeof ref !== "number" || !Number.isInteger(ref)) fail("an index is not a whole number");
  if (ref >= rows.length || ref < -6 || (ref === -2 && !holes)) fail("an index is out of range");
}

function checkRow(rows: unknown[], row: unknown): void {
  if (row === null || typeof row !== "object") return;
  if (!Array.isArray(row)) {
    for (const key in row) {
      if (key === "__proto__") fail("a key is __proto__");
      checkRef(rows, (row as Record<string, unknown>)[key]);
    }
    return;
  }
  if (typeof row[0] === "string") return checkTagged(rows, row[0], row);
  if (row[0] === -7) {
    const length = row[1] as number;
    if (!Number.isInteger(length) || length < 0 || length > MAX_SPARSE) {
      fail(`an array is ${String(length)} long`);
    }
    for (let i = 2; i < row.length; i += 2) {
      const at = row[i] as number;
      if (!Number.isInteger(at) || at < 0 || at >= length) fail("an array index is out of range");
      checkRef(rows, row[i + 1]);
    }
    return;
  }
  for (let i = 0; i < row.length; i++) checkRef(rows, row[i], true);
}

function checkTagged(rows: unknown[], tag: string, row: unknown[]): void {
  const size = row.length;
  const text = row[1];
  if (tag === "Set" || tag === "Map") {
    if (tag === "Map" && size % 2 === 0) fail("a Map has a key without a value");
    for (let i = 1; i < size; i++) checkRef(rows, row[i]);
  } else if (tag === "null") {
    if (size % 2 === 0) fail("an object has a key without a value");
    for (let i = 1; i < size; i += 2) {
      if (typeof row[i] !== "string" || row[i] === "__proto__") fail("a key is not usable");
      checkRef(rows, row[i + 1]);
    }
  } else if (TEXTS.has(tag)) {
    if (size !== 2 || typeof text !== "string" || text.length > 100_000_000) fail(`a ${tag}`);
  } else if (tag === "RegExp") {
    if (typeof text !== "string" || (size > 2 && !/^[dgimsuvy]{0,8}$/.test(String(row[2])))) {
      fail("a RegExp");
    }
  } else if (tag === "BigInt") {
    if (
      size !== 2 || typeof text !== "string" || text.length > MAX_BIGINT_DIGITS ||
      !/^-?\d+$/.test(text)
    ) fail("a BigInt");
  } else if (tag === "Object") {
    const inner = rows[text as number];
    checkRef(rows, text);
    if ((text as number) >= 0) {
      const bigint = Array.isArray(inner) && inner[0] === "BigInt";
      if (inner === null || (typeof inner === "object" && !bigint)) fail("a boxed value");
    }
  } else if (tag === "ArrayBuffer") {
    if (size !== 2 || typeof text !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
      fail("an ArrayBuffer");
    }
  } else if (VIEWS.has(tag)) {
    checkRef(rows, text);
    const buffer = rows[text as number];
    if (!Array.isArray(buffer) || buffer[0] !== "ArrayBuffer") fail("a view without a buffer");
    for (let i = 2; i < size; i++) if (!Number.isInteger(row[i])) fail("the bounds of a view");
  } else if (Object.hasOwn(REVIVED, tag)) {
    checkRef(rows, text);
    const kind = typeof rows[text as number];
    if (kind !== REVIVED[tag]) fail(`a ${tag}`);
  } else fail(`an unknown kind of value`);
}
