import { brandOf, className, isDataView, regexpParts, textOf, viewLength } from "./kinds.ts";
import { sourceOf } from "./functions.ts";
import { withPristine } from "./intrinsics.ts";

/** What an inventory shows of a value. */
export interface Description {
  /** Real type with its size: `Map(12)`, `string(1,204)`, `Doc`. */
  readonly type: string;
  /** One inert line. */
  readonly preview: string;
}

const DEFAULT_BUDGET = 300;
const MAX_DEPTH = 5;
/** Control, format (bidirectional, zero-width), line-separator and unpaired surrogate characters. */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Makes text one line that cannot steer a terminal, close a code fence or reorder its line. */
export function inert(text: string): string {
  return text.replace(/\t/g, " ").replace(ACTIVE, (c) => {
    if (c === "\n") return "\\n";
    if (c === "\r") return "\\r";
    const code = c.codePointAt(0) as number;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : "\\u" + code.toString(16).padStart(4, "0");
  }).replace(/`{3,}|~{3,}/g, (fence) => "'".repeat(fence.length));
}

function count(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function own(value: object, key: PropertyKey): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

const bufferLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")?.get;
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, "size")?.get;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, "size")?.get;
const read = (get: (() => unknown) | undefined, self: unknown): number =>
  Number(Reflect.apply(get as () => unknown, self, []));

function functionType(value: object): string {
  return /^class\b/.test(sourceOf(value)) ? "class" : "function";
}

/** The real type of a value with its size, inert and short. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string(${count(value.length)})`;
  if (typeof value !== "object" && typeof value !== "function") return typeof value;
  const brand = brandOf(value);
  if (brand === "proxy") return "Proxy";
  if (brand === "function") return functionType(value);
  const name = inert((className(value) ?? "").slice(0, 60));
  const sized = (size: number): string => `${name || brand}(${count(size)})`;
  if (brand === "array") return sized(Number(own(value, "length")));
  if (brand === "map") return sized(read(mapSize, value));
  if (brand === "set") return sized(read(setSize, value));
  if (brand === "buffer") return sized(read(bufferLength, value));
  if (brand === "view") return sized(viewLength(value));
  if (brand === "plain" && (name === "" || name === "Object")) {
    return `Object(${count(Object.keys(value).length)})`;
  }
  return name || brand;
}

/** Writes a value like a literal until its budget is spent. */
class Writer {
  private text = "";
  private readonly open = new Set<object>();

  constructor(private readonly budget: number) {}

  finish(): string {
    const text = this.text;
    return text.length <= this.budget ? text : text.slice(0, Math.max(0, this.budget - 1)) + "…";
  }

  private get full(): boolean {
    return this.text.length > this.budget;
  }

  private string(value: string, depth: number): string {
    const limit = depth === 0 ? this.budget - 2 : Math.max(40, Math.floor(this.budget / 3));
    if (value.length <= limit) return inert(JSON.stringify(value));
    return inert(JSON.stringify(value.slice(0, Math.max(0, limit - 1)))) + `…`;
  }

  /** Appends one value. */
  write(value: unknown, depth: number): void {
    if (this.full) return;
    if (typeof value === "string") this.text += this.string(value, depth);
    else if (typeof value === "bigint") this.text += `${value}n`.slice(0, this.budget);
    else if (Object.is(value, -0)) this.text += "-0";
    else if (typeof value === "symbol") this.text += inert(String(value).slice(0, this.budget));
    else if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      this.text += String(value);
    } else if (this.open.has(value)) this.text += "[circular]";
    else {
      this.open.add(value);
      this.object(value, depth);
      this.open.delete(value);
    }
  }

  private list(open: string, close: string, total: number, item: (index: number) => void): void {
    this.text += open;
    for (let i = 0; i < total; i++) {
      if (i > 0) this.text += ", ";
      if (this.text.length > this.budget - 24) {
        this.text += `… ${count(total - i)} more`;
        break;
      }
      item(i);
    }
    this.text += close;
  }

  private property(value: object, key: PropertyKey, depth: number): void {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined) this.text += "<empty>";
    else if ("value" in descriptor) this.write(descriptor.value, depth);
    else this.text += descriptor.set ? "[getter/setter]" : "[getter]";
  }

  private fields(value: object, depth: number): void {
    const keys = Object.keys(value);
    this.list("{", "}", keys.length, (i) => {
      const key = keys[i] as string;
      this.text += (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) && key.length <= 60
        ? key
        : inert(JSON.stringify(key.slice(0, 60)))) + ": ";
      this.property(value, key, depth + 1);
    });
  }

  private table(rows: object, length: number): boolean {
    const first = own(rows, 0);
    const second = own(rows, 1);
    if (length < 3 || !isRow(first) || !isRow(second) || !sameKeys(first, second)) return false;
    this.text += `${count(length)} rows, first: `;
    this.write(first, 1);
    return true;
  }

  private object(value: object, depth: number): void {
    const brand = brandOf(value);
    const name = typeName(value);
    if (brand === "function") {
      const source = sourceOf(value).slice(0, 2 * this.budget);
      const line = source.replace(/\s+/g, " ");
      const short = line.length <= 80 ? line : source.split("\n", 1)[0] ?? "";
      this.text += inert(short.slice(0, depth === 0 ? this.budget : 60));
    } else if (brand === "date") {
      const time = Date.prototype.getTime.call(value);
      this.text += Number.isNaN(time) ? "Invalid Date" : new Date(time).toISOString();
    } else if (brand === "regexp") {
      const { source, flags } = regexpParts(value);
      this.text += inert(`/${source}/${flags}`.slice(0, this.budget));
    } else if (brand === "error") {
      const message = own(value, "message");
      this.text += name +
        (typeof message === "string" ? ": " + inert(message.slice(0, this.budget)) : "");
    } else if (brand === "text") {
      this.text += inert((textOf(value)?.text ?? "").slice(0, this.budget));
    } else if (depth >= MAX_DEPTH) this.text += name;
    else if (brand === "array") {
      const length = Number(own(value, "length"));
      if (this.table(value, length)) return;
      this.list("[", "]", length, (i) => this.property(value, i, depth + 1));
    } else if (brand === "map") this.entries(value as Map<unknown, unknown>, depth);
    else if (brand === "set") {
      const items = Set.prototype.values.call(value);
      this.list("{", "}", read(setSize, value), () => this.write(items.next().value, depth + 1));
    } else if (brand === "view" && !isDataView(value)) {
      const view = value as unknown as { [index: number]: unknown };
      this.list("[", "]", viewLength(value), (i) => this.write(view[i], depth + 1));
    } else if (brand === "boxed" || brand === "plain" || brand === "arguments") {
      if (depth > 0 && name !== "" && !name.startsWith("Object(")) this.text += `${name} `;
      this.fields(value, depth);
    } else this.text += name;
  }

  private entries(map: Map<unknown, unknown>, depth: number): void {
    const items = Map.prototype.entries.call(map);
    this.list("{", "}", read(mapSize, map), () => {
      const [key, item] = items.next().value as [unknown, unknown];
      this.write(key, depth + 1);
      this.text += " → ";
      this.write(item, depth + 1);
    });
  }
}

function isRow(value: unknown): value is object {
  return typeof value === "object" && value !== null && brandOf(value) === "plain";
}

function sameKeys(a: object, b: object): boolean {
  const keys = Object.keys(a);
  return keys.length > 0 && keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key));
}

/**
 * Describes a value for an inventory: small values whole, the head of larger ones, the first row and
 * the number of rows of a table. Never runs code of the value: no getters, traps or `toString`.
 * @param budget Longest preview in characters; 300 by default.
 */
export function describeValue(value: unknown, budget: number = DEFAULT_BUDGET): Description {
  return withPristine(() => describe(value, budget));
}

/** `describeValue` for callers that are inside `withPristine` already. */
export function describe(value: unknown, budget: number = DEFAULT_BUDGET): Description {
  const writer = new Writer(budget);
  writer.write(value, 0);
  return { type: typeName(value), preview: writer.finish() };
}
