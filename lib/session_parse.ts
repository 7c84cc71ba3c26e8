/**
 * Text of `state.json` (and of checkpoints) → checked types. Whatever is wrong with a file is said
 * by name, with the way out; nothing is guessed and nothing written.
 *
 * @module
 */
import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";
import { DEVALUE_VERSION, emptyRecord, FORMAT, type Manifest } from "./session_format.ts";
import { parseFields } from "./session_layout.ts";
import type { FieldBytes } from "./session_text.ts";

type Json = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;
/** What may be absent. */
interface Optional {
  readonly optional: Check;
}

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** Numbers of queries leave room for the next one, and for its checkpoint's name. */
const queryNumber: Check = (value) => count(value) && (value as number) < 1_000_000_000;
const record: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list: Check = Array.isArray;
const HASH = /^[0-9a-f]{64}$/;
const id: Check = (value) => typeof value === "string" && value.length === 64 && HASH.test(value);
const optional = (check: Check): Optional => ({ optional: check });
const oneOf = (...values: unknown[]): Check => (value) => values.includes(value);
const listOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check);
type Checks = Readonly<Record<string, Check | Optional>>;
type Fields = readonly {
  readonly key: string;
  readonly check: Check;
  readonly isOptional: boolean;
}[];
const fieldsOf = (checks: Checks): Fields =>
  Object.entries(checks).map(([key, given]) =>
    typeof given === "function"
      ? { key, check: given, isOptional: false }
      : { key, check: given.optional, isOptional: true }
  );
/** The first field that is not as it should be. Old sessions have many: a plain loop takes half. */
const wrongField = (entry: unknown, fields: Fields): string | undefined => {
  for (let i = 0; i < fields.length; i++) {
    const { key, check, isOptional } = fields[i]!;
    const value = (entry as Json)[key];
    if (value === undefined && isOptional) continue;
    if (!check(value)) return key;
  }
  return undefined;
};
const shape = (checks: Checks): Check => {
  const fields = fieldsOf(checks);
  return (value) => record(value) && wrongField(value, fields) === undefined;
};

const origin = { query: count, step: count };
const named = {
  ...origin,
  preview: text,
  bytes: count,
  value: shape({ payload: id, slot: count }),
  comment: optional(text),
  note: optional(text),
  committed: optional(oneOf(true)),
  used: optional(shape(origin)),
  failed: optional(text),
  loss: optional(listOf(shape({ path: text, reason: text }))),
};
const kinds = ["function", "async function", "generator", "async generator", "class", "method"];

/** Fields of the entries of each named record, in the order in which they are checked. */
const entries = {
  variables: fieldsOf({ ...named, type: text }),
  functions: fieldsOf({ ...named, kind: oneOf(...kinds), source: text, order: count }),
  dropped: fieldsOf({ ...origin, type: text, reason: text, bytes: optional(count) }),
  payloads: fieldsOf({ bytes: count, text: optional(text) }),
};

const queryFields = fieldsOf({
  number: queryNumber,
  query: text,
  status: oneOf("running", "answered", "limit", "failed", "interrupted"),
  started: text,
  ended: optional(text),
  steps: count,
  usage: record,
  log: optional(text),
  error: optional(text),
});

const stepFields = fieldsOf({
  ...origin,
  code: text,
  error: optional(text),
  names: listOf(text),
});

/** A fault of a state file, before it is told with its path. */
export class StateFault extends Error {}

/** A manifest, and the bytes of its fields where the file has the engine's layout. */
export interface ParsedManifest {
  readonly manifest: Manifest;
  readonly fields?: FieldBytes;
}

/** The manifest in the bytes of the file at `path`. Throws `session_unreadable` naming the file. */
export function parseManifest(bytes: Uint8Array, path: string, dir: string): ParsedManifest {
  try {
    const { value, ...fields } = readJson(bytes);
    return { manifest: checkManifest(value), ...fields };
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    throw unreadable(path, dir, error.message, error instanceof NewerFormat);
  }
}

/** The error for a state file that cannot be used. A newer one is not for repair to touch. */
export function unreadable(path: string, dir: string, fault: string, newer = false): RlmError {
  const way = newer
    ? "open it with the fast-rlm that wrote it, or use another session directory"
    : `try "fast-rlm session repair ${inertLine(dir, 500)}"`;
  return new RlmError(
    "session_unreadable",
    `Cannot read the session: ${inertLine(path, 500)} ${fault}; nothing was changed; ${way}`,
  );
}

/** The JSON in the bytes. Throws a {@linkcode StateFault} that says what is wrong with them. */
export function parseJson(bytes: Uint8Array): unknown {
  return readJson(bytes).value;
}

function readJson(bytes: Uint8Array): ReturnType<typeof parseFields> {
  if (bytes.length === 0) throw new StateFault("is empty");
  if (bytes.every((byte) => byte === 0)) throw new StateFault("holds only NUL bytes");
  try {
    return parseFields(bytes);
  } catch (cause) {
    throw new StateFault(`is no valid JSON (torn, or no state file) at ${bytes.length} bytes`, {
      cause,
    });
  }
}

/** The value as a manifest. Throws a {@linkcode StateFault} that names the field at fault. */
export function checkManifest(value: unknown): Manifest {
  const state = checkVersions(value);
  const queries = checkList(state, "queries", queryFields);
  const steps = checkList(state, "steps", stepFields);
  const manifest = { ...state, queries, steps, ...checkNames(state) };
  return manifest as unknown as Manifest;
}

/** The records by name of a manifest or checkpoint, copied to records without a prototype. */
export function checkNames(
  state: Json,
): Pick<Manifest, "variables" | "functions" | "dropped" | "payloads"> {
  const names = {} as Record<keyof typeof entries, Record<string, never>>;
  for (const [field, fields] of Object.entries(entries)) {
    const given = state[field];
    if (!record(given)) throw new StateFault(`has no record "${field}"`);
    const checked = emptyRecord<never>();
    for (const name of Object.keys(given as Json)) {
      const entry = (given as Json)[name];
      checkEntry(entry, fields, () => `${field}[${JSON.stringify(inertLine(name, 60))}]`);
      checked[name] = entry as never;
    }
    names[field as keyof typeof entries] = checked;
  }
  for (const key of Object.keys(names.payloads)) {
    if (!id(key)) throw new StateFault(`has a payload that is not named by a SHA-256`);
  }
  return names;
}

/** One checked query entry. */
export function checkQuery(value: unknown): Manifest["queries"][number] {
  checkEntry(value, queryFields, () => "query");
  return value as Manifest["queries"][number];
}

/** Checked step entries under the key `steps`. */
export function checkSteps(state: Json): Manifest["steps"] {
  return checkList(state, "steps", stepFields) as Manifest["steps"];
}

/** The value as an object whose format and devalue versions this engine can read. */
export function checkVersions(value: unknown): Json {
  if (!record(value)) throw new StateFault("is no state file: it holds no JSON object");
  const { format, devalue, engine } = value as Json;
  if (!Number.isSafeInteger(format) || (format as number) < 1) {
    throw new StateFault(`is no state file: "format" is ${shown(format)}`);
  }
  if ((format as number) > FORMAT) {
    throw new NewerFormat(`has format ${format}, this engine reads up to ${FORMAT}`);
  }
  const major = typeof devalue === "string" ? Number.parseInt(devalue) : NaN;
  if (!(major >= 1)) throw new StateFault(`has no version in "devalue": ${shown(devalue)}`);
  if (major > Number.parseInt(DEVALUE_VERSION)) {
    throw new NewerFormat(
      `was written with devalue ${inertLine(String(devalue), 40)}, ` +
        `this engine reads up to ${DEVALUE_VERSION}`,
    );
  }
  if (typeof engine !== "string") {
    throw new StateFault(`has no version in "engine": ${shown(engine)}`);
  }
  return value as Json;
}

/** A fault that is none: a newer engine wrote the file. */
export class NewerFormat extends StateFault {}

function checkList(state: Json, field: string, fields: Fields): unknown[] {
  const given = state[field];
  if (!list(given)) throw new StateFault(`has no list "${field}"`);
  (given as unknown[]).forEach((entry, index) =>
    checkEntry(entry, fields, () => `${field}[${index}]`)
  );
  return given as unknown[];
}

function checkEntry(entry: unknown, fields: Fields, where: () => string): void {
  if (!record(entry)) throw new StateFault(`has a wrong entry: ${where()} is no object`);
  const wrong = wrongField(entry, fields);
  if (wrong !== undefined) {
    const value = shown((entry as Json)[wrong]);
    throw new StateFault(`has a wrong entry: ${where()}.${wrong} is ${value}`);
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "a list" : "an object";
  }
  return inertLine(JSON.stringify(value) ?? typeof value, 60);
}
