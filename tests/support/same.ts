import * as types from "node:util/types";

/** Whether two keys, flags and prototypes of functions say something or are the engine's business. */
const SKIPPED = new Set<PropertyKey>(["stack", "arguments", "caller"]);

const brands = [
  "isMap",
  "isSet",
  "isDate",
  "isRegExp",
  "isNativeError",
  "isTypedArray",
  "isDataView",
  "isArrayBuffer",
  "isBoxedPrimitive",
  "isPromise",
  "isArgumentsObject",
  "isAsyncFunction",
  "isGeneratorFunction",
] as const;

type Pair = [a: unknown, b: unknown, path: string];

/**
 * Compares two values the way a fresh process would tell them apart: brands, prototypes, property
 * descriptors and their order, extensibility, contents, and which references are one object. Functions
 * are the same when their text, own properties and prototypes are.
 * @returns the path and kind of the first difference; undefined where there is none.
 */
export function difference(first: unknown, second: unknown): string | undefined {
  const forward = new Map<unknown, unknown>();
  const backward = new Map<unknown, unknown>();
  const stack: Pair[] = [[first, second, "value"]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [a, b, path] = pair;
    if (typeof a !== typeof b) return `${path}: ${typeof a} and ${typeof b}`;
    const isSymbol = typeof a === "symbol";
    if (isSymbol && (a as symbol).toString() !== (b as symbol).toString()) return `${path}: symbol`;
    const isFixed = isSymbol &&
      (Symbol.keyFor(a as symbol) !== undefined ||
        Object.values(Object.getOwnPropertyDescriptors(Symbol)).some(({ value }) => value === a));
    if (isFixed && a !== b) return `${path}: symbol of the realm`;
    if (!isSymbol && ((typeof a !== "object" && typeof a !== "function") || a === null)) {
      if (!Object.is(a, b)) return `${path}: ${String(a)} and ${String(b)}`;
      continue;
    }
    if (b === null) return `${path}: null`;
    if (forward.has(a) || backward.has(b)) {
      if (forward.get(a) !== b || backward.get(b) !== a) return `${path}: identity`;
      continue;
    }
    forward.set(a, b);
    backward.set(b, a);
    if (isSymbol || a === b) continue;
    const wrong = objects(a as object, b as object, path, stack);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function objects(a: object, b: object, path: string, stack: Pair[]): string | undefined {
  for (const brand of brands) if (types[brand](a) !== types[brand](b)) return `${path}: ${brand}`;
  if (Array.isArray(a) !== Array.isArray(b)) return `${path}: isArray`;
  if (
    typeof a === "function" && Function.prototype.toString.call(a) !==
      Function.prototype.toString.call(b)
  ) return `${path}: source`;
  stack.push([Object.getPrototypeOf(a), Object.getPrototypeOf(b), `${path}.__proto__`]);
  const keys = Reflect.ownKeys(a).filter((key) => !SKIPPED.has(key));
  const other = Reflect.ownKeys(b).filter((key) => !SKIPPED.has(key));
  if (keys.map(String).join() !== other.map(String).join()) {
    return `${path}: keys ${keys.map(String).join()} and ${other.map(String).join()}`;
  }
  keys.forEach((key, i) => {
    const x = Object.getOwnPropertyDescriptor(a, key) as PropertyDescriptor;
    const y = Object.getOwnPropertyDescriptor(b, other[i] as PropertyKey) as PropertyDescriptor;
    const flags = (d: PropertyDescriptor): string =>
      `${d.writable}${d.enumerable}${d.configurable}`;
    const at = `${path}.${String(key)}`;
    stack.push([x.value, y.value, at], [x.get, y.get, `${at}:get`], [x.set, y.set, `${at}:set`]);
    stack.push([flags(x), flags(y), `${at}:flags`]);
  });
  const integrity = (o: object): string =>
    `${Object.isExtensible(o)}${Object.isSealed(o)}${Object.isFrozen(o)}`;
  if (integrity(a) !== integrity(b)) return `${path}: integrity`;
  stack.push([content(a), content(b), `${path}<>`]);
  return undefined;
}

/** What an object holds beside its properties. */
function content(value: object): unknown {
  if (types.isMap(value)) {
    const entries = [...Map.prototype.entries.call(value)];
    return frozenList(entries.flat());
  }
  if (types.isSet(value)) return frozenList([...Set.prototype.values.call(value)]);
  if (types.isDate(value)) return Date.prototype.getTime.call(value);
  if (types.isRegExp(value)) return String(value);
  if (types.isArrayBuffer(value)) return new Uint8Array(value).join();
  if (types.isTypedArray(value) || types.isDataView(value)) {
    const view = value as Uint8Array;
    return frozenList([view.buffer, view.byteOffset, view.byteLength]);
  }
  if (types.isBoxedPrimitive(value)) return (value as { valueOf(): unknown }).valueOf();
  if (value instanceof URL || value instanceof URLSearchParams) return String(value);
  if (/^Temporal\./.test(Object.prototype.toString.call(value).slice(8))) return String(value);
  return undefined;
}

/** A list that compares by its items: its own identity is of no interest. */
function frozenList(items: unknown[]): unknown {
  return items.length === 0 ? undefined : { items };
}
