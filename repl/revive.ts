import type { DefinitionRow, DefinitionTable } from "./definitions.ts";
import { identifyScopes } from "./closures.ts";
import type { ListeningEvaluator as Evaluator } from "./contexts.ts";
import { definition, definitionWithSuper, rememberSource } from "./functions.ts";

/** Functions made again from their sources, by number; an `Error` where one could not be. */
export interface Revived {
  readonly functions: unknown[];
  readonly failed: Map<number, string>;
  readonly scopes: ((name: string, value: unknown) => void)[];
}

/** The name under which generated code finds its parts, for the time of one evaluation. */
const PARTS = "__fast_rlm_parts";

interface Parts {
  f: unknown[];
  s: ((name: string, value: unknown) => void)[];
  v: readonly Readonly<Record<string, unknown>>[];
  e?: unknown;
}

function reason(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replace(/\s+/g, " ").slice(0, 200);
}

function expression(row: DefinitionRow): string {
  return definition(row.s, row.x === 1);
}

/** Code of one outermost scope with everything in it. */
function scopeCode(table: DefinitionTable, scope: number): string {
  const rows = table.s ?? [];
  const row = rows[scope] as NonNullable<typeof rows[number]>;
  const variables = row.n.map((name) =>
    Object.hasOwn(row.v, name) ? `${name}=${PARTS}.v[${scope}][${JSON.stringify(name)}]` : name
  );
  const cases = row.n.map((name) => `case ${JSON.stringify(name)}:${name}=${PARTS}_v;break;`).join(
    "",
  );
  const inner = table.o.filter((n) => table.f[n]?.c === scope && table.f[n]?.m === undefined)
    .map((n) => `${PARTS}.f[${n}]=${expression(table.f[n] as DefinitionRow)};`);
  const nested = rows.flatMap((other, i) => other.o === scope ? [scopeCode(table, i)] : []);
  // Parameters with a prefix of their own: a captured variable may well be called `$` or `key`.
  const setter = row.n.length === 0
    ? ""
    : `${PARTS}.s[${scope}]=(${PARTS}_k,${PARTS}_v)=>{switch(${PARTS}_k){${cases}}};`;
  return `{let ${variables.join()};${setter}\n${inner.join("\n")}\n${nested.join("\n")}}`;
}

/** Makes the functions of one payload. Host calls are disabled by the caller. */
export async function revive(
  evaluator: Evaluator,
  global: object,
  table: DefinitionTable,
  timeoutMs: number,
  made: (number: number, fn: unknown) => void,
  next: () => number,
): Promise<Revived> {
  const parts: Parts = { f: [], s: [], v: (table.s ?? []).map((row) => row.v) };
  const failed = new Map<number, string>();
  const done = new Set<number>();
  const evaluate = async (code: string): Promise<unknown> => {
    Reflect.defineProperty(global, PARTS, { value: parts, configurable: true, writable: true });
    try {
      // V8 keeps compiled scripts by their text; a text of its own gives each function its place.
      return await evaluator.evaluate(`${code}\n//${next()}`, timeoutMs);
    } finally {
      Reflect.deleteProperty(global, PARTS);
    }
  };
  const finish = (number: number): void => {
    done.add(number);
    const row = table.f[number] as DefinitionRow;
    const fn = parts.f[number];
    if (typeof fn !== "function") {
      failed.set(number, failed.get(number) ?? "its source does not make a function");
      return;
    }
    if (row.n !== undefined && Object.getOwnPropertyDescriptor(fn, "name")?.value !== row.n) {
      Reflect.defineProperty(fn, "name", { value: row.n, configurable: true });
    }
    rememberSource(fn, row.s);
    made(number, fn);
  };
  for (const number of table.o) {
    const row = table.f[number] as DefinitionRow;
    if (row.m !== undefined || done.has(number)) continue;
    if (row.c !== undefined) {
      let outermost = row.c;
      for (let o = table.s?.[outermost]?.o; o !== undefined; o = table.s?.[o]?.o) outermost = o;
      const inside = table.o.filter((n) => isInside(table, n, outermost));
      try {
        await evaluate(`(function(${PARTS}){${scopeCode(table, outermost)}})(${PARTS});0`);
      } catch (error) {
        for (const n of inside) failed.set(n, reason(error));
      }
      for (const n of inside) finish(n);
      continue;
    }
    try {
      // Stored and not returned: a class may have a \`then\`, which must not be taken for a promise's.
      const slot = `${PARTS}.f[${number}]`;
      await evaluate(
        row.g === undefined
          ? `${slot}=${expression(row)};0`
          : `${row.x ? '"use strict";' : ""}${row.s}\n;${slot}=${row.g};0`,
      );
    } catch (error) {
      failed.set(number, reason(error));
      const code = row.e === undefined ? undefined : definitionWithSuper(row.s);
      if (code !== undefined && typeof parts.f[row.e as number] === "function") {
        parts.e = parts.f[row.e as number];
        try {
          await evaluate(`${PARTS}.f[${number}]=${code}(${PARTS}.e);0`);
          failed.delete(number);
        } catch {
          // The first error says more.
        }
      }
    }
    finish(number);
  }
  checkMembers(table, parts, failed);
  members(table, parts, failed);
  tokens(table, parts);
  return { functions: parts.f, failed, scopes: parts.s };
}

function isInside(table: DefinitionTable, number: number, scope: number): boolean {
  const row = table.f[number] as DefinitionRow;
  if (row.m !== undefined) return false;
  for (let s = row.c; s !== undefined; s = table.s?.[s]?.o) if (s === scope) return true;
  return false;
}

const OF_EVERY_CLASS: ReadonlySet<PropertyKey> = new Set([
  "constructor",
  "length",
  "name",
  "prototype",
]);

/** A class's source brings back members that the agent had deleted, and may bring other ones. */
function checkMembers(table: DefinitionTable, parts: Parts, failed: Map<number, string>): void {
  table.f.forEach(({ k, m }, number) => {
    const constructor = parts.f[number];
    if (k === undefined || m !== undefined || typeof constructor !== "function") return;
    [constructor.prototype as object, constructor].forEach((holder, onClass) => {
      const gone = k[onClass]?.find((key) => !Object.hasOwn(holder, key));
      if (gone !== undefined) failed.set(number, `its source does not make ${String(gone)} again`);
      for (const key of Reflect.ownKeys(holder)) {
        if (typeof key === "symbol" || OF_EVERY_CLASS.has(key) || k[onClass]?.includes(key)) {
          continue;
        }
        Reflect.deleteProperty(holder, key);
      }
    });
  });
}

/** Members of classes are there already: they are found on their class. */
function members(table: DefinitionTable, parts: Parts, failed: Map<number, string>): void {
  table.f.forEach(({ m }, number) => {
    if (m === undefined) return;
    const [owner, onClass, key, slot] = m;
    const constructor = parts.f[owner];
    const holder = typeof constructor !== "function"
      ? undefined
      : onClass
      ? constructor
      : constructor.prototype as object;
    const fn = holder && (Object.getOwnPropertyDescriptor(holder, key)?.[slot] as unknown);
    if (typeof fn === "function") parts.f[number] = fn;
    else failed.set(number, failed.get(owner) ?? `its class has no ${String(key)}`);
  });
}

function tokens(table: DefinitionTable, parts: Parts): void {
  const identities = (table.s ?? []).map(() => ({}));
  table.f.forEach((row, number) => {
    const fn = parts.f[number];
    if (row.c === undefined || typeof fn !== "function") return;
    const chain: object[] = [];
    for (let s: number | undefined = row.c; s !== undefined; s = table.s?.[s]?.o) {
      if ((table.s?.[s]?.n.length ?? 0) > 0) chain.push(identities[s] as object);
    }
    identifyScopes(fn, chain);
  });
}
