import * as types from "node:util/types";

/**
 * Brand checks and built-ins, captured when this module loads, which is before any agent code runs.
 * Importers may rely on them whatever an agent later does to the globals of its realm.
 */
export const {
  isArgumentsObject,
  isAsyncFunction,
  isBoxedPrimitive,
  isDate,
  isGeneratorFunction,
  isGeneratorObject,
  isMap,
  isMapIterator,
  isNativeError,
  isPromise,
  isProxy,
  isRegExp,
  isSet,
  isSetIterator,
  isWeakMap,
  isWeakSet,
} = types;

/** Built-ins of the language and the few of the platform that agent code can see. */
const BUILT_INS = (
  "Object Function Array String Number Boolean BigInt Symbol Error AggregateError EvalError " +
  "RangeError ReferenceError SyntaxError TypeError URIError Map Set WeakMap WeakSet WeakRef " +
  "FinalizationRegistry Promise Proxy Reflect Math JSON Date RegExp ArrayBuffer SharedArrayBuffer " +
  "DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
  "Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Atomics Intl Temporal " +
  "Iterator URL URLSearchParams TextEncoder TextDecoder parseInt parseFloat isNaN isFinite " +
  "encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape structuredClone " +
  "atob btoa"
).split(" ");

const NESTED = new Set([
  "prototype",
  "Duration",
  "Instant",
  "PlainDate",
  "PlainDateTime",
  "PlainMonthDay",
  "PlainTime",
  "PlainYearMonth",
  "ZonedDateTime",
]);

type Table = Record<PropertyKey, unknown>;

const paths = new Map<unknown, string>();
const byPath = new Map<string, unknown>();
/** Objects whose properties `withPristine` watches, with their first descriptors. */
const watched: { object: object; keys: PropertyKey[]; first: PropertyDescriptor[] }[] = [];

function keyText(key: PropertyKey): string {
  return typeof key === "symbol" ? `[${String(key.description)}]` : `.${String(key)}`;
}

function note(value: unknown, path: string): boolean {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  if (paths.has(value)) return false;
  paths.set(value, path);
  byPath.set(path, value);
  return true;
}

function record(object: object, path: string): void {
  const keys = Reflect.ownKeys(object);
  const first: PropertyDescriptor[] = [];
  for (const key of keys) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
    first.push(descriptor);
    const inner = path + keyText(key);
    if (!("value" in descriptor)) {
      note(descriptor.get, `${inner}:get`);
      note(descriptor.set, `${inner}:set`);
    } else if (note(descriptor.value, inner) && NESTED.has(String(key))) {
      record(descriptor.value as object, inner);
    }
  }
  watched.push({ object, keys, first });
}

const globals: Table = globalThis as unknown as Table;
const globalDescriptors = new Map<string, PropertyDescriptor>();
const hidden: [string, unknown][] = [
  ["%TypedArray%", Object.getPrototypeOf(Uint8Array)],
  ["%ArrayIterator%", Object.getPrototypeOf([][Symbol.iterator]())],
  ["%MapIterator%", Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ["%SetIterator%", Object.getPrototypeOf(new Set()[Symbol.iterator]())],
  ["%StringIterator%", Object.getPrototypeOf(""[Symbol.iterator]())],
  ["%RegExpStringIterator%", Object.getPrototypeOf("".matchAll(/x/g))],
  ["%GeneratorFunction%", Object.getPrototypeOf(function* (): Generator {})],
  ["%AsyncFunction%", Object.getPrototypeOf(async function (): Promise<void> {})],
  ["%AsyncGeneratorFunction%", Object.getPrototypeOf(async function* (): AsyncGenerator {})],
  ["%Generator%", Object.getPrototypeOf(Object.getPrototypeOf((function* (): Generator {})()))],
];

/**
 * Takes the built-ins as they are now for those that agent code must not change unseen. Done when
 * this module loads; the worker does it once more when its lockdown has replaced some of them.
 */
export function captureIntrinsics(): void {
  paths.clear();
  byPath.clear();
  globalDescriptors.clear();
  watched.length = 0;
  for (const name of BUILT_INS) {
    const descriptor = Object.getOwnPropertyDescriptor(globals, name);
    if (descriptor === undefined) continue;
    globalDescriptors.set(name, descriptor);
    const value = "value" in descriptor ? descriptor.value : globals[name];
    if (note(value, name)) record(value as object, name);
  }
  for (const [path, value] of hidden) if (note(value, path)) record(value as object, path);
  note(globalThis, "globalThis");
}

captureIntrinsics();

const wellKnown = new Map<unknown, string>();
for (const key of Reflect.ownKeys(Symbol)) {
  const value = (Symbol as unknown as Table)[key];
  if (typeof value === "symbol") wellKnown.set(value, `Symbol.${String(key)}`);
}

/** Name of a symbol of the language, such as `Symbol.iterator`; undefined for any other. */
export function wellKnownSymbol(value: symbol): string | undefined {
  return wellKnown.get(value);
}

/** Stable name of a built-in, such as `Math.floor`; undefined for anything else. */
export function intrinsicName(value: unknown): string | undefined {
  return paths.get(value);
}

/** The built-in of a name given by `intrinsicName`; undefined where there is none. */
export function intrinsicAt(path: string): unknown {
  return byPath.get(path);
}

const get = Object.getOwnPropertyDescriptor;
const define = Reflect.defineProperty;
const ownKeys = Reflect.ownKeys;
const drop = Reflect.deleteProperty;
const same = Object.is;
type Change = [object: object, key: PropertyKey, descriptor: PropertyDescriptor | undefined];

function differs(a: PropertyDescriptor, b: PropertyDescriptor): boolean {
  return !same(a.value, b.value) || a.get !== b.get || a.set !== b.set;
}

/** Puts first descriptors back; returns what the agent had, without calling any patched built-in. */
function repair(): Change[] {
  const changes: Change[] = [];
  let count = 0;
  const changed = (object: object, key: PropertyKey, now: PropertyDescriptor | undefined): void => {
    define(changes, count++, {
      value: [object, key, now],
      writable: true,
      enumerable: true,
      configurable: true,
    });
  };
  for (let w = 0; w < watched.length; w++) {
    const { object, keys, first } = watched[w] as typeof watched[number];
    const now = ownKeys(object);
    for (let k = 0; k < keys.length; k++) {
      const key = keys[k] as PropertyKey;
      const before = first[k] as PropertyDescriptor;
      const current = get(object, key);
      if (current !== undefined && !differs(before, current)) continue;
      if (define(object, key, before)) changed(object, key, current);
    }
    if (now.length > keys.length || count > 0) {
      for (let n = 0; n < now.length; n++) {
        const key = now[n] as PropertyKey;
        let known = false;
        for (let k = 0; k < keys.length && !known; k++) known = keys[k] === key;
        if (known) continue;
        const current = get(object, key);
        if (drop(object, key)) changed(object, key, current);
      }
    }
  }
  return changes;
}

/** The same for the names of built-ins; runs when their prototypes are whole again. */
function repairGlobals(changes: Change[]): string[] {
  const replaced: string[] = [];
  globalDescriptors.forEach((before, name) => {
    const current = get(globals, name);
    if (current !== undefined && !differs(before, current)) return;
    replaced.push(name);
    if (define(globals, name, before)) changes.push([globals, name, current]);
  });
  return replaced;
}

/** What the platform itself calls to take a message in; with another one there, none would come. */
const vital: readonly [object: object, key: PropertyKey, value: unknown, name: string][] = [
  [Function.prototype, "call", Function.prototype.call, "Function.prototype.call"],
  [Function.prototype, "apply", Function.prototype.apply, "Function.prototype.apply"],
  [
    Array.prototype,
    Symbol.iterator,
    Array.prototype[Symbol.iterator],
    "Array.prototype[Symbol.iterator]",
  ],
  [
    Object.getPrototypeOf([][Symbol.iterator]()) as object,
    "next",
    Object.getPrototypeOf([][Symbol.iterator]()).next,
    "the next() of array iterators",
  ],
];

/**
 * Puts the few built-ins back for good without which the worker would be deaf. Fixing them once would
 * make every loop over an array ten times slower.
 * @returns what had been replaced
 */
export function putVitalBack(): string[] {
  const replaced: string[] = [];
  for (let i = 0; i < vital.length; i++) {
    const entry = vital[i] as typeof vital[number];
    const value = entry[2];
    if (get(entry[0], entry[1])?.value === value) continue;
    define(entry[0], entry[1], { value, writable: true, enumerable: false, configurable: true });
    define(replaced, replaced.length, {
      value: entry[3],
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return replaced;
}

/** Whether a name is that of a built-in of the language or platform. */
export function isBuiltInName(name: string): boolean {
  return globalDescriptors.has(name);
}

/** Names that the outermost hold found replaced. */
let held: readonly string[] | undefined;

/**
 * Puts the built-ins back as they were at the start, until `release` gives the agent its own changes
 * again. `replaced` lists the names of built-ins that held something else. Costs a comparison of
 * about 2,000 descriptors when nothing was changed.
 */
export function holdPristine(): { readonly replaced: readonly string[]; release(): void } {
  const changes = repair();
  const outside = held;
  const own = repairGlobals(changes);
  const replaced = outside === undefined ? own : [...outside, ...own];
  held = replaced;
  return {
    replaced,
    release() {
      held = outside;
      for (let i = changes.length - 1; i >= 0; i--) {
        const change = changes[i] as Change;
        if (change[2] === undefined) drop(change[0], change[1]);
        else define(change[0], change[1], change[2]);
      }
    },
  };
}

/** Runs synchronous code while the built-ins are as they were at the start. */
export function withPristine<T>(run: () => T): T {
  const hold = holdPristine();
  try {
    return run();
  } finally {
    hold.release();
  }
}
