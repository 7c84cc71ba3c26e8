import { unflatten } from "./devalue.ts";
import type { DefinitionTable } from "./definitions.ts";
import { intrinsicAt } from "./intrinsics.ts";
import { isOrdinaryPrototype } from "./kinds.ts";
import { linkTable } from "./link.ts";
import { applyPatch } from "./patches.ts";
import { DecodeError, readTable } from "./table.ts";

/** A payload whose text was checked and whose values are not made yet. */
export interface OpenPayload {
  readonly table: unknown[];
  /** Functions to make first; undefined where there are none. */
  readonly definitions: DefinitionTable | undefined;
}

/** The live parts that a payload's values refer to. */
export interface Live {
  /** By number. */
  readonly functions: readonly unknown[];
  /** Setters of captured variables, by scope number. */
  readonly scopes: readonly ((name: string, value: unknown) => void)[];
  /** Whether built-ins may be named; only inside a sandbox. */
  readonly natives: boolean;
}

const noDefinitions: Live = { functions: [], scopes: [], natives: false };

/** Runs a step of reading; anything it throws becomes a `DecodeError`. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    const message = error instanceof Error ? error.message : "unknown error";
    throw new DecodeError(`the saved text is damaged: ${message.slice(0, 200)}`);
  }
}

function root(table: unknown[]): Record<string, number> {
  const row = table[0];
  if (row === null || typeof row !== "object" || Array.isArray(row)) {
    throw new DecodeError("the saved text is damaged: it has no root");
  }
  return row as Record<string, number>;
}

/** Checks a payload's text and reads its definitions; makes no value yet. */
export function openPayload(text: string): OpenPayload {
  return guarded(() => {
    const table = readTable(text);
    const at = root(table)["d"];
    if (at === undefined) return { table, definitions: undefined };
    const part = table.slice();
    part[0] = table[at];
    const definitions = unflatten(part, revivers(noDefinitions)) as DefinitionTable;
    checkDefinitions(definitions);
    return { table, definitions };
  });
}

function isNumber(value: unknown, limit: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < limit;
}

function checkDefinitions({ f, o, s = [] }: DefinitionTable): void {
  const ok = Array.isArray(f) && Array.isArray(o) && Array.isArray(s) &&
    o.length === f.length && o.every((n) => isNumber(n, f.length)) &&
    f.every((row) =>
      typeof row === "object" && row !== null && typeof row.s === "string" &&
      (row.n === undefined || typeof row.n === "string") &&
      (row.c === undefined || isNumber(row.c, s.length)) &&
      (row.e === undefined || isNumber(row.e, f.length)) &&
      (row.x === undefined || row.x === 1) &&
      (row.k === undefined || (Array.isArray(row.k) && row.k.every(Array.isArray))) &&
      (row.g === undefined || typeof row.g === "string") &&
      (row.m === undefined || (Array.isArray(row.m) && isNumber(row.m[0], f.length)))
    ) &&
    s.every((row, i) =>
      typeof row === "object" && row !== null && Array.isArray(row.n) &&
      row.n.every((name: unknown) => typeof name === "string") &&
      typeof row.v === "object" && (row.o === undefined || isNumber(row.o, i))
    );
  if (!ok) throw new DecodeError("the saved text is damaged: its definitions");
}

const wellKnown = new Map<string, symbol>();
for (const key of Reflect.ownKeys(Symbol)) {
  const value = (Symbol as unknown as Record<PropertyKey, unknown>)[key];
  if (typeof value === "symbol") wellKnown.set(`known:Symbol.${String(key)}`, value);
}

function symbolOf(text: string): symbol {
  if (text.startsWith("for:")) return Symbol.for(text.slice(4));
  if (text.startsWith("new")) return Symbol(text.startsWith("new:") ? text.slice(4) : undefined);
  const known = wellKnown.get(text);
  if (known === undefined) throw new DecodeError("the saved text is damaged: a symbol");
  return known;
}

function emptyError(name: string): Error {
  const constructor = intrinsicAt(name) as new (first?: unknown) => Error;
  if (!name.endsWith("Error") || typeof constructor !== "function") {
    throw new DecodeError("the saved text is damaged: an error");
  }
  const error = name === "AggregateError" ? new constructor([]) : new constructor();
  for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
  return error;
}

function revivers(live: Live): Record<string, (payload: unknown) => unknown> {
  const functionAt = (number: unknown): object => {
    const fn = live.functions[number as number];
    if (typeof fn !== "function" && typeof fn !== "object") {
      throw new DecodeError("the saved text is damaged: a function");
    }
    return fn as object;
  };
  return {
    function: functionAt,
    prototype: (number) => {
      const fn = functionAt(number) as { prototype?: unknown };
      if (typeof fn.prototype !== "object" || fn.prototype === null) {
        throw new DecodeError("the saved text is damaged: a prototype");
      }
      return fn.prototype;
    },
    symbol: (text) => symbolOf(String(text)),
    error: (name) => emptyError(String(name)),
    native: (path) => {
      const value = live.natives ? intrinsicAt(String(path)) : undefined;
      if (value === undefined) throw new DecodeError(`the built-in ${path} is not available`);
      return value;
    },
  };
}

/** Makes the values of a payload; returns its slots. Data is made in the table, which is used up. */
export function hydrate(open: OpenPayload, live: Live = noDefinitions): unknown[] {
  return guarded(() => {
    const linked = open.definitions === undefined ? linkTable(open.table) : undefined;
    const root = linked ? linked.root : unflatten(open.table, revivers(live));
    const { v, p } = root as { v: unknown; p?: unknown };
    if (!Array.isArray(v)) throw new DecodeError("the saved text is damaged: it has no values");
    if (p === undefined) return v;
    if (!Array.isArray(p)) throw new DecodeError("the saved text is damaged: its patches");
    for (const patch of p) applyPatch(patch, live.scopes, prototypeAt);
    return v;
  });
}

function prototypeAt(name: string): object | null {
  const value = intrinsicAt(name);
  if (!isOrdinaryPrototype(name) || value === undefined) {
    throw new DecodeError("the saved text is damaged: a prototype");
  }
  return value as object;
}
