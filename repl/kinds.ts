import {
  intrinsicName,
  isArgumentsObject,
  isBoxedPrimitive,
  isDate,
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
} from "./intrinsics.ts";

/** What an object is by its internal slots, whatever its prototype says. */
export type Brand =
  | "plain"
  | "array"
  | "map"
  | "set"
  | "date"
  | "regexp"
  | "error"
  | "boxed"
  | "buffer"
  | "view"
  | "text"
  | "function"
  | "arguments"
  | "promise"
  | "proxy"
  | "generator"
  | "iterator"
  | "weak";

const getPrototype = Object.getPrototypeOf;
const objectPrototype = Object.prototype;
const getOwn = Object.getOwnPropertyDescriptor;
const isView = ArrayBuffer.isView;
const isArray = Array.isArray;
const call = Function.prototype.call.bind(Function.prototype.call) as (
  fn: unknown,
  self: unknown,
  ...args: unknown[]
) => unknown;

function getter(prototype: object, key: string): unknown {
  return getOwn(prototype, key)?.get;
}
const bufferLength = getter(ArrayBuffer.prototype, "byteLength");

/** Built-ins whose whole state is a text: by prototype, a getter or method that only they survive. */
const texts = new Map<object, { tag: string; read: unknown }>();
texts.set(URL.prototype, { tag: "URL", read: getter(URL.prototype, "href") });
texts.set(URLSearchParams.prototype, {
  tag: "URLSearchParams",
  read: URLSearchParams.prototype.toString,
});
const temporal =
  (globalThis as unknown as { Temporal?: Record<string, { prototype: object }> }).Temporal;
for (
  const name of [
    "Duration",
    "Instant",
    "PlainDate",
    "PlainTime",
    "PlainDateTime",
    "PlainMonthDay",
    "PlainYearMonth",
    "ZonedDateTime",
  ]
) {
  const prototype = temporal?.[name]?.prototype;
  if (prototype !== undefined) {
    const read = getOwn(prototype, "toString")?.value as unknown;
    texts.set(prototype, { tag: `Temporal.${name}`, read });
  }
}

/** Tag and text of a URL, URLSearchParams or Temporal value; undefined for anything else. */
export function textOf(value: object): { tag: string; text: string } | undefined {
  for (let p = getPrototype(value) as object | null; p !== null; p = getPrototype(p)) {
    if (isProxy(p)) return undefined;
    const found = texts.get(p);
    if (found === undefined) continue;
    try {
      return { tag: found.tag, text: String(call(found.read, value)) };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function isBuffer(value: object): boolean {
  try {
    call(bufferLength, value);
    return true;
  } catch {
    return false;
  }
}

/** Tells an object's brand without running any code of its own (no traps, getters or tags). */
export function brandOf(value: object): Brand {
  if (isProxy(value)) return "proxy";
  if (typeof value === "function") return "function";
  if (isArray(value)) return "array";
  if (getPrototype(value) === objectPrototype) {
    // Nearly every object; an exotic one in disguise is told apart by the checks below.
    if (getOwn(value, "length") === undefined && !isDisguised(value)) return "plain";
  }
  if (isMap(value)) return "map";
  if (isSet(value)) return "set";
  if (isDate(value)) return "date";
  if (isRegExp(value)) return "regexp";
  if (isNativeError(value)) return "error";
  if (isView(value)) return "view";
  if (isBoxedPrimitive(value)) return "boxed";
  if (isPromise(value)) return "promise";
  if (isArgumentsObject(value)) return "arguments";
  if (isGeneratorObject(value)) return "generator";
  if (isMapIterator(value) || isSetIterator(value) || isIterator(value)) return "iterator";
  if (isWeakMap(value) || isWeakSet(value)) return "weak";
  if (isBuffer(value)) return "buffer";
  if (textOf(value) !== undefined) return "text";
  return "plain";
}

const tagOf = Object.prototype.toString;
const apply = Reflect.apply;
const NO_ARGUMENTS: unknown[] = [];
const toStringTag = Symbol.toStringTag;

/** An object with a plain prototype that has internal slots: `Object.setPrototypeOf(new Map(), {})`. */
function isDisguised(value: object): boolean {
  // Safe to ask: only an own tag could run code, and then the slow path decides.
  if (getOwn(value, toStringTag) !== undefined) return true;
  if (apply(tagOf, value, NO_ARGUMENTS) !== "[object Object]") return true;
  // The other slots show in no tag; checked only where there is nothing else in the object.
  // A loop over names makes no list of them, and an ordinary object has one for all of its shape.
  for (const _name in value) return false;
  return isMap(value) || isSet(value) || isPromise(value) || isView(value) || isBuffer(value);
}

function isIterator(value: object): boolean {
  const name = intrinsicName(getPrototype(value));
  return name !== undefined && name.startsWith("%") && name.includes("Iterator");
}

/** Prototypes that a restore can give back, each with the brand it needs. */
const ORDINARY =
  /^(?:Object|Array|Map|Set|Date|RegExp|Number|String|Boolean|BigInt|ArrayBuffer|DataView|Function|URL|URLSearchParams|%TypedArray%|\w*Error|\w+Array|Temporal\.\w+|Iterator)(?:\.prototype)?$|^%(?:Generator|Async)\w*Function%$/;

/** Whether a built-in prototype belongs to a kind of value that a restore can make again. */
export function isOrdinaryPrototype(name: string): boolean {
  return ORDINARY.test(name);
}

const regexpFlags: readonly [string, unknown][] = [
  ["d", getter(RegExp.prototype, "hasIndices")],
  ["g", getter(RegExp.prototype, "global")],
  ["i", getter(RegExp.prototype, "ignoreCase")],
  ["m", getter(RegExp.prototype, "multiline")],
  ["s", getter(RegExp.prototype, "dotAll")],
  ["u", getter(RegExp.prototype, "unicode")],
  ["v", getter(RegExp.prototype, "unicodeSets")],
  ["y", getter(RegExp.prototype, "sticky")],
];
const regexpSource = getter(RegExp.prototype, "source");

/** Source and flags from the internal slots, whatever own properties the object has. */
export function regexpParts(value: object): { source: string; flags: string } {
  let flags = "";
  for (const [flag, read] of regexpFlags) if (call(read, value)) flags += flag;
  return { source: String(call(regexpSource, value)), flags };
}

/** A name with its article: `a Map`, `an Index`. */
export function withArticle(name: string): string {
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

/** Name of the class that an object's prototype chain names, read without running code. */
export function className(value: object): string | undefined {
  for (let p = getPrototype(value) as object | null; p !== null; p = getPrototype(p)) {
    if (isProxy(p)) return undefined;
    const constructor = getOwn(p, "constructor")?.value as unknown;
    if (typeof constructor !== "function" || isProxy(constructor)) continue;
    const name = getOwn(constructor, "name")?.value as unknown;
    return typeof name === "string" && name !== "" ? name : undefined;
  }
  return undefined;
}

const unboxers: readonly unknown[] = [
  Number.prototype.valueOf,
  String.prototype.valueOf,
  Boolean.prototype.valueOf,
  BigInt.prototype.valueOf,
  Symbol.prototype.valueOf,
];

/** The primitive in a boxed value. */
export function boxedValue(value: object): unknown {
  for (const unbox of unboxers) {
    try {
      return call(unbox, value);
    } catch {
      // Another kind of box.
    }
  }
  return undefined;
}

/** Bytes of an ArrayBuffer. */
export function bufferSize(value: object): number {
  return Number(call(bufferLength, value));
}

const detached = getter(ArrayBuffer.prototype, "detached");

/** Whether an ArrayBuffer has given its bytes to another. */
export function isDetached(value: object): boolean {
  return call(detached, value) === true;
}

const resizable = getter(ArrayBuffer.prototype, "resizable");

/** Whether an ArrayBuffer can change its length. */
export function isResizable(value: object): boolean {
  return call(resizable, value) === true;
}

const CHUNK = 0x8000;
const encodeBase64 = btoa;
const fromCharCode = String.fromCharCode;

/** An ArrayBuffer's bytes as base64. */
export function base64Of(value: object): string {
  const bytes = new Uint8Array(value as ArrayBuffer);
  let binary = "";
  for (let i = 0; i < bytes.length; i += CHUNK) {
    binary += fromCharCode(...bytes.subarray(i, i + CHUNK));
  }
  return encodeBase64(binary);
}

const typedPrototype = getPrototype(Uint8Array.prototype) as object;
const viewTag = getOwn(typedPrototype, Symbol.toStringTag)?.get;
const typedGetters = ["buffer", "byteOffset", "byteLength", "length"].map((key) =>
  getter(typedPrototype, key)
);
const dataGetters = ["buffer", "byteOffset", "byteLength", "byteLength"].map((key) =>
  getter(DataView.prototype, key)
);

/** What a typed array or DataView looks at. */
export interface ViewParts {
  readonly tag: string;
  readonly buffer: object;
  readonly offset: number;
  /** Elements; bytes for a DataView. */
  readonly length: number;
  /** Whether it covers the whole buffer. */
  readonly whole: boolean;
}

/** Whether a view is a DataView, whatever its prototype. */
export function isDataView(value: object): boolean {
  return call(viewTag, value) === undefined;
}

function gettersOf(value: object): readonly unknown[] {
  return isDataView(value) ? dataGetters : typedGetters;
}

/** Why a typed array or DataView has no bytes that can be kept; undefined where it has. */
export function viewFault(value: object): string | undefined {
  const buffer = call(gettersOf(value)[0], value) as object;
  if (!isBuffer(buffer)) return "is a view of a SharedArrayBuffer";
  if (isDetached(buffer)) return "is a view of a detached ArrayBuffer";
  try {
    viewParts(value);
    return undefined;
  } catch {
    return "is a view beyond the end of its ArrayBuffer";
  }
}

/** Elements of a typed array, bytes of a DataView; 0 where it looks at nothing any more. */
export function viewLength(value: object): number {
  try {
    return Number(call(gettersOf(value).at(-1), value));
  } catch {
    return 0;
  }
}

/** Reads a typed array or DataView through its internal slots. */
export function viewParts(value: object): ViewParts {
  const tag = call(viewTag, value) as string | undefined;
  const getters = gettersOf(value);
  const [buffer, offset, bytes, length] = getters.map((read) => call(read, value));
  return {
    tag: tag ?? "DataView",
    buffer: buffer as object,
    offset: Number(offset),
    length: Number(length),
    whole: bytes === bufferSize(buffer as object),
  };
}

/** The built-in error class nearest in an error's prototype chain. */
export function errorClass(value: object): string {
  for (let p = getPrototype(value) as object | null; p !== null; p = getPrototype(p)) {
    if (isProxy(p)) break;
    const name = intrinsicName(p)?.replace(/\.prototype$/, "");
    if (name?.endsWith("Error")) return name;
  }
  return "Error";
}
