import { intrinsicName } from "./intrinsics.ts";
import {
  base64Of,
  boxedValue,
  brandOf,
  bufferSize,
  className,
  errorClass,
  regexpParts,
  textOf,
  viewParts,
} from "./kinds.ts";
import type { Brand } from "./kinds.ts";
import { Definitions } from "./definitions.ts";
import type { EncodeContext } from "./encode_context.ts";
import { CapExceeded, isIndex, jsonBytes, MAX_BIGINT_DIGITS, MAX_DEPTH, pathKey } from "./table.ts";
import type { Loss } from "./snapshot.ts";

/** One value on its way into the table. */
export interface Item {
  readonly value: unknown;
  readonly brand: Brand | "symbol";
  readonly index: number;
  depth: number;
  readonly parent: Item | undefined;
  /** This value's part of the path: `.rows`, `[3]`, `.get("a")`. */
  readonly segment: string;
}

/** What the table cannot say: applied after the table is read, in this order. */
interface Patch {
  readonly operation: string;
  readonly item: Item | undefined;
  readonly target: unknown;
  readonly values: readonly { readonly value: unknown; readonly segment: string }[];
}

const LOST = -100;
const MAX_LOSSES = 50;
/** Writable, enumerable, configurable: a property that an assignment makes. */
const ORDINARY = 7;

const getOwn = Object.getOwnPropertyDescriptor;
const ownKeys = Reflect.ownKeys;
const getPrototype = Object.getPrototypeOf;

const expectedPrototype: Partial<Record<Brand, object>> = {
  array: Array.prototype,
  map: Map.prototype,
  set: Set.prototype,
  date: Date.prototype,
  regexp: RegExp.prototype,
  buffer: ArrayBuffer.prototype,
  arguments: Object.prototype,
};

function flagsOf(descriptor: PropertyDescriptor): number {
  return (descriptor.writable ? 1 : 0) + (descriptor.enumerable ? 2 : 0) +
    (descriptor.configurable ? 4 : 0);
}

/**
 * Writes values into one table in devalue's format. It walks the values itself, without recursion and
 * without running any of their code, where `devalue.stringify` would overflow on a deep value, call
 * accessors and tags, and build the whole text before its size is known; it also takes a third of the
 * time. What the format cannot say goes into a list of patches, which is plain devalue as well.
 */
export class Encoder {
  readonly losses: Loss[] = [];
  /** UTF-8 bytes of the rows so far. */
  bytes = 0;
  private lossCount = 0;
  private readonly rows: string[] = [""];
  private readonly index = new Map<unknown, number>();
  private readonly written: boolean[] = [];
  private readonly stack: Item[] = [];
  private pending: Item[] = [];
  private readonly slots: number[] = [];
  private readonly patches: Patch[] = [];
  private readonly late: Patch[] = [];
  private readonly definitions: Definitions;

  constructor(private readonly context: EncodeContext, private readonly capBytes: number) {
    this.definitions = new Definitions(context);
  }

  /** Adds a value as the next slot; returns why it cannot be kept at all, or nothing. */
  add(name: string, value: unknown): string | undefined {
    const before = this.lossCount;
    const parent: Item = {
      value: undefined,
      brand: "plain",
      index: -1,
      depth: 1,
      parent: undefined,
      segment: name,
    };
    const index = this.ref(value, parent, "");
    if (index === LOST) {
      this.lossCount = before;
      return this.losses.pop()?.reason ?? "cannot be kept";
    }
    this.slots.push(index);
    this.drain();
    this.writePatches();
    if (this.lossCount > before && this.isHollow(value)) {
      const first = this.losses[0] as Loss;
      return `nothing in it can be kept: ${first.path} ${first.reason}`;
    }
    return undefined;
  }

  /**
   * The whole text, once every slot is added.
   * @param names What the slots belong to, where several names share one text: two groups of equal
   * values must not get one text, or a restore would make one group of them.
   */
  finish(names?: readonly string[]): string {
    const parts: string[] = [];
    const root = this.root();
    const definitions = this.definitions.table();
    if (definitions !== undefined) {
      parts.push(`"d":${this.ref(definitions, root, "")}`);
      this.drain();
    }
    parts.push(`"v":${this.rows.length}`);
    this.row(this.rows.push("") - 1, `[${this.slots.join()}]`);
    this.patches.push(...this.late);
    this.writePatches();
    if (this.patchRows.length > 0) {
      parts.push(`"p":${this.rows.length}`);
      this.row(this.rows.push("") - 1, `[${this.patchRows.join()}]`);
    }
    if (names !== undefined) {
      parts.push(`"n":${this.ref(names, root, "")}`);
      this.drain();
    }
    this.rows[0] = `{${parts.join()}}`;
    if (this.lossCount > MAX_LOSSES) {
      const more = this.lossCount - MAX_LOSSES;
      this.losses.push({ path: "", reason: `and ${more} more parts` });
    }
    return `[${this.rows.join()}]`;
  }

  /** Names a part that is not kept. */
  lose(parent: Item, segment: string, reason: string): void {
    if (this.lossCount++ >= MAX_LOSSES) return;
    let path = segment;
    let steps = 0;
    for (let item: Item | undefined = parent; item !== undefined; item = item.parent) {
      if (steps++ < 40 || item.parent === undefined) path = item.segment + path;
      else if (steps === 42) path = "…" + path;
    }
    this.losses.push({ path: path.length > 400 ? path.slice(0, 399) + "…" : path, reason });
  }

  private root(): Item {
    return {
      value: undefined,
      brand: "plain",
      index: 0,
      depth: 1,
      parent: undefined,
      segment: "",
    };
  }

  private row(index: number, text: string): void {
    this.rows[index] = text;
    this.bytes += jsonBytes(text) + 1;
    if (this.bytes > this.capBytes) throw new CapExceeded(this.bytes);
  }

  private literal(value: unknown, text: string): number {
    const index = this.rows.length;
    this.index.set(value, index);
    this.rows.push("");
    this.row(index, text);
    return index;
  }

  /** The table index (or sentinel) that stands for a value; queues it where it is new. */
  private ref(value: unknown, parent: Item, segment: string): number {
    switch (typeof value) {
      case "undefined":
        return -1;
      case "number":
        if (value !== value) return -3;
        if (value === Infinity) return -4;
        if (value === -Infinity) return -5;
        if (value === 0 && 1 / value < 0) return -6;
        return this.index.get(value) ?? this.literal(value, String(value));
      case "string": {
        const known = this.index.get(value);
        if (known !== undefined) return known;
        if (value.length > this.capBytes) throw new CapExceeded(value.length);
        return this.literal(value, JSON.stringify(value));
      }
      case "boolean":
        return this.index.get(value) ?? this.literal(value, String(value));
      case "bigint": {
        const known = this.index.get(value);
        if (known !== undefined) return known;
        const digits = String(value);
        if (digits.length > MAX_BIGINT_DIGITS) {
          return this.lost(parent, segment, `is a bigint of ${digits.length} digits`);
        }
        return this.literal(value, `["BigInt","${digits}"]`);
      }
      case "symbol":
        return this.symbol(value);
    }
    if (value === null) return this.index.get(value) ?? this.literal(value, "null");
    return this.object(value as object, parent, segment);
  }

  private object(value: object, parent: Item, segment: string): number {
    const known = this.index.get(value);
    if (known !== undefined) {
      if (!this.written[known] && known !== 0) this.again(value, known, parent, segment);
      return known;
    }
    const native = intrinsicName(value);
    if (native !== undefined) {
      if (!this.context.natives) return this.lost(parent, segment, `is the built-in ${native}`);
      return this.literal(value, `["native",${this.ref(native, parent, "")}]`);
    }
    const brand = brandOf(value);
    const reason = this.context.unsaveable(value, brand);
    if (reason !== undefined) return this.lost(parent, segment, reason);
    if (!this.context.own(value)) {
      this.index.set(value, 0);
      return 0;
    }
    const index = this.rows.push("") - 1;
    this.index.set(value, index);
    this.pending.push({ value, brand, index, depth: parent.depth + 1, parent, segment });
    return index;
  }

  private lost(parent: Item, segment: string, reason: string): number {
    this.lose(parent, segment, reason);
    return LOST;
  }

  /** A value that waits for its turn is read from here first: a reader meets it here first, too. */
  private again(value: object, index: number, parent: Item, segment: string): void {
    const brand = brandOf(value);
    this.pending.push({ value, brand, index, depth: parent.depth + 1, parent, segment });
  }

  private symbol(value: symbol): number {
    const known = this.index.get(value);
    if (known !== undefined) return known;
    const key = Symbol.keyFor(value);
    const name = intrinsicName(value);
    if (key === undefined && name === undefined && !this.context.own(value)) return 0;
    const text = key !== undefined
      ? `for:${key}`
      : name !== undefined
      ? `known:${name}`
      : value.description === undefined
      ? "new"
      : `new:${value.description}`;
    const parent = this.root();
    const payload = this.ref(text, parent, "");
    // Two symbols with one description are two: each has a row of its own.
    const index = this.rows.push("") - 1;
    this.index.set(value, index);
    this.row(index, `["symbol",${payload}]`);
    return index;
  }

  private drain(): void {
    this.flush();
    for (let item = this.stack.pop(); item !== undefined; item = this.stack.pop()) {
      if (this.written[item.index]) continue;
      this.written[item.index] = true;
      this.write(item);
      this.flush();
    }
  }

  /** Children are taken in the order a reader takes them, so that both see the same depth. */
  private flush(): void {
    for (let i = this.pending.length - 1; i >= 0; i--) this.stack.push(this.pending[i] as Item);
    this.pending = [];
  }

  private readonly patchRows: number[] = [];
  private patchesWritten = 0;

  private writePatches(): void {
    for (; this.patchesWritten < this.patches.length; this.patchesWritten++) {
      const { operation, item, target, values } = this.patches[this.patchesWritten] as Patch;
      const parent: Item = {
        value: undefined,
        brand: "plain",
        index: -1,
        depth: 3,
        parent: item,
        segment: "",
      };
      const refs = [this.ref(operation, parent, ""), this.ref(target, parent, "")];
      let lost = false;
      for (const { value, segment } of values) {
        const ref = this.ref(value, parent, segment);
        if (ref === LOST) lost = true;
        refs.push(ref);
      }
      if (!lost) {
        const index = this.rows.push("") - 1;
        this.row(index, `[${refs.join()}]`);
        this.patchRows.push(index);
      }
      this.drain();
    }
  }

  private patch(operation: string, item: Item, ...values: [value: unknown, segment?: string][]) {
    this.patches.push({
      operation,
      item,
      target: item.value,
      values: values.map(([value, segment = ""]) => ({ value, segment })),
    });
  }

  private write(item: Item): void {
    const value = item.value as object;
    switch (item.brand) {
      case "plain":
        return this.writePlain(item, value);
      case "array":
      case "arguments":
        return this.writeArray(item, value as unknown[]);
      case "map":
        this.writeMap(item, value as Map<unknown, unknown>);
        break;
      case "set":
        this.writeSet(item, value as Set<unknown>);
        break;
      case "date": {
        const time = Date.prototype.getTime.call(value);
        const iso = time !== time ? "" : new Date(time).toISOString();
        this.row(item.index, `["Date","${iso}"]`);
        break;
      }
      case "regexp": {
        const { source, flags } = regexpParts(value);
        const tail = flags === "" ? "" : `,"${flags}"`;
        this.row(item.index, `["RegExp",${JSON.stringify(source)}${tail}]`);
        break;
      }
      case "error":
        this.row(item.index, `["error",${this.ref(errorClass(value), item, "")}]`);
        break;
      case "boxed":
        this.row(item.index, `["Object",${this.ref(boxedValue(value), item, "")}]`);
        break;
      case "buffer":
        if (bufferSize(value) * 4 / 3 > this.capBytes) {
          throw new CapExceeded(Math.ceil(bufferSize(value) * 4 / 3));
        }
        this.row(item.index, `["ArrayBuffer","${base64Of(value)}"]`);
        break;
      case "view": {
        const { tag, buffer, offset, length, whole } = viewParts(value);
        const part = whole ? "" : `,${offset},${length}`;
        const index = this.ref(buffer, item, ".buffer");
        this.row(item.index, `["${tag}",${index}${part}]`);
        break;
      }
      case "text": {
        const { tag, text } = textOf(value) as { tag: string; text: string };
        this.row(item.index, `["${tag}",${JSON.stringify(text)}]`);
        break;
      }
      case "function":
        return this.writeFunction(item, value);
    }
    this.writeExtras(item, value, ownKeys(value));
    this.writePrototype(item, value, this.expected(item));
    this.writeExtensible(item, value);
  }

  private expected(item: Item): object | undefined {
    const expected = expectedPrototype[item.brand as Brand];
    if (expected !== undefined) return expected;
    const value = item.value as object;
    const natural = item.brand === "error"
      ? `${errorClass(value)}.prototype`
      : item.brand === "view"
      ? `${viewParts(value).tag}.prototype`
      : item.brand === "text"
      ? `${textOf(value)?.tag}.prototype`
      : item.brand === "boxed"
      ? `${Object(boxedValue(value)).constructor.name}.prototype`
      : "";
    const prototype = getPrototype(value) as object | null;
    return prototype !== null && intrinsicName(prototype) === natural ? prototype : undefined;
  }

  private writePlain(item: Item, value: object): void {
    const prototype = getPrototype(value) as object | null;
    const owner = this.definitions.ownerOfPrototype(value);
    if (owner !== undefined) return this.writePrototypeObject(item, value, owner);
    const isNull = prototype === null;
    const keys = ownKeys(value);
    let text = isNull ? '["null"' : "{";
    const frozen = !Object.isExtensible(value) && keys.length > 0;
    const mask = frozen ? this.mask(value) : 0;
    let i = 0;
    let first = true;
    for (; i < keys.length; i++) {
      const key = keys[i] as PropertyKey;
      if (typeof key !== "string" || key === "__proto__") break;
      const descriptor = getOwn(value, key) as PropertyDescriptor;
      if ((flagsOf(descriptor) | mask) !== ORDINARY || !("value" in descriptor)) break;
      const ref = this.child(item, key, descriptor.value);
      if (ref === LOST) continue;
      const quoted = this.quoted(key);
      text += isNull ? "," + quoted + "," + ref : (first ? "" : ",") + quoted + ":" + ref;
      first = false;
    }
    this.row(item.index, text + (isNull ? "]" : "}"));
    if (i < keys.length) this.writeExtras(item, value, keys.slice(i), mask);
    if (!isNull) this.writePrototype(item, value, Object.prototype);
    this.writeExtensible(item, value);
  }

  /** A child in place; beyond the depth a reader can take, a patch links it instead. */
  private child(item: Item, key: PropertyKey, value: unknown): number {
    // Only objects lose parts, so only they need a path; one string a property is dear.
    if (typeof value !== "object" && typeof value !== "function") return this.ref(value, item, "");
    const segment = pathKey(key);
    if (item.depth >= MAX_DEPTH && this.isOpen(value)) {
      if (this.context.unsaveable(value as object, brandOf(value as object)) === undefined) {
        this.patch("put", item, [key], [value, segment]);
        return -1;
      }
    }
    return this.ref(value, item, segment);
  }

  private readonly quotedKeys = new Map<string, string>();

  private quoted(key: string): string {
    let quoted = this.quotedKeys.get(key);
    if (quoted === undefined) {
      quoted = JSON.stringify(key);
      if (this.quotedKeys.size < 1000) this.quotedKeys.set(key, quoted);
    }
    return quoted;
  }

  /** Whether a reader that meets the value here has to go into it. */
  private isOpen(value: unknown): boolean {
    if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
    const known = this.index.get(value);
    return known === undefined || !this.written[known];
  }

  private writeArray(item: Item, value: unknown[]): void {
    const length = Number(getOwn(value, "length")?.value ?? 0);
    const keys = ownKeys(value);
    if (item.brand === "arguments") {
      this.lose(item, "", "is an arguments object, kept as an array");
    }
    const mask = Object.isExtensible(value) ? 0 : this.mask(value);
    const special: PropertyKey[] = [];
    let present = 0;
    while (present < keys.length && isIndex(keys[present] as PropertyKey)) present++;
    const sparse = (length - present) * 3 > 12 + present * 11;
    let text = sparse ? `[-7,${length}` : "[";
    let next = 0;
    for (let i = 0; i < present; i++) {
      const key = keys[i] as string;
      const at = Number(key);
      const descriptor = getOwn(value, key) as PropertyDescriptor;
      let ref: number;
      if ((flagsOf(descriptor) | mask) !== ORDINARY || !("value" in descriptor)) {
        special.push(key);
        ref = -1;
      } else ref = this.child(item, at, descriptor.value);
      if (ref === LOST) ref = -1;
      if (sparse) text += `,${key},${ref}`;
      else {
        for (; next < at; next++) text += next > 0 ? ",-2" : "-2";
        text += next > 0 ? `,${ref}` : ref;
        next++;
      }
    }
    if (!sparse) { for (; next < length; next++) text += next > 0 ? ",-2" : "-2"; }
    this.row(item.index, text + "]");
    for (let i = present; i < keys.length; i++) {
      const key = keys[i] as PropertyKey;
      const isLength = key === "length";
      if (isLength && (getOwn(value, key)?.writable || mask !== 0)) continue;
      if (item.brand === "arguments" && (key === "callee" || key === Symbol.iterator)) continue;
      if (isLength) this.late.push(this.property(item, key, getOwn(value, key)!, 0) as Patch);
      else special.push(key);
    }
    if (special.length > 0) this.writeExtras(item, value, special, mask);
    this.writePrototype(item, value, expectedPrototype[item.brand as Brand]);
    this.writeExtensible(item, value);
  }

  private writeMap(item: Item, map: Map<unknown, unknown>): void {
    const deep = item.depth >= MAX_DEPTH;
    const entries: [unknown, string?][] = [];
    let text = '["Map"';
    Map.prototype.forEach.call(map, (value, key) => {
      const segment = typeof key === "object" || typeof key === "function"
        ? `.get(…)`
        : `.get(${typeof key === "string" ? JSON.stringify(key.slice(0, 60)) : String(key)})`;
      if (deep) return void entries.push([key, `.key${segment.slice(4)}`], [value, segment]);
      const keyRef = this.ref(key, item, `.key${segment.slice(4)}`);
      if (keyRef === LOST) return;
      const valueRef = this.ref(value, item, segment);
      if (valueRef !== LOST) text += `,${keyRef},${valueRef}`;
    });
    this.row(item.index, text + "]");
    for (let i = 0; i < entries.length; i += 2) {
      this.patch("entry", item, entries[i] as [unknown], entries[i + 1] as [unknown]);
    }
  }

  private writeSet(item: Item, set: Set<unknown>): void {
    const deep = item.depth >= MAX_DEPTH;
    let text = '["Set"';
    let at = 0;
    Set.prototype.forEach.call(set, (value) => {
      const segment = `.values[${at++}]`;
      if (deep) return this.patch("member", item, [value, segment]);
      const ref = this.ref(value, item, segment);
      if (ref !== LOST) text += `,${ref}`;
    });
    this.row(item.index, text + "]");
  }

  /** The flags that freezing or sealing explains; they come back with it. */
  private mask(value: object): number {
    return Object.isFrozen(value) ? 5 : Object.isSealed(value) ? 4 : 0;
  }

  /** Own properties beyond those that the row says. */
  private writeExtras(item: Item, value: object, keys: PropertyKey[], mask = -1): void {
    const hidden = mask >= 0 ? mask : Object.isExtensible(value) ? 0 : this.mask(value);
    for (const key of keys) {
      if (this.isImplied(item, value, key)) continue;
      const descriptor = getOwn(value, key) as PropertyDescriptor;
      const patch = this.property(item, key, descriptor, hidden);
      if (patch !== undefined) this.patches.push(patch);
    }
  }

  private property(
    item: Item,
    key: PropertyKey,
    descriptor: PropertyDescriptor,
    mask: number,
  ): Patch | undefined {
    const segment = pathKey(key);
    const patch = (operation: string, ...values: Patch["values"]): Patch => ({
      operation,
      item,
      target: item.value,
      values: [
        { value: key, segment: "" },
        {
          value: flagsOf(descriptor) | (operation === "accessor" ? mask & 4 : mask),
          segment: "",
        },
        ...values,
      ],
    });
    if ("value" in descriptor) return patch("property", { value: descriptor.value, segment });
    if (item.brand === "error" && key === "stack") {
      const stack = Reflect.apply(descriptor.get as () => unknown, item.value, []);
      const data = { ...patch("property", { value: stack, segment }) };
      return { ...data, values: [data.values[0]!, { value: 5, segment: "" }, data.values[2]!] };
    }
    return patch(
      "accessor",
      { value: descriptor.get, segment: `${segment} (getter)` },
      { value: descriptor.set, segment: `${segment} (setter)` },
    );
  }

  /** Properties that come back with the kind of value itself. */
  private isImplied(item: Item, value: object, key: PropertyKey): boolean {
    if (item.brand === "view") return isIndex(key);
    // The platform brands its objects with a symbol of its own.
    if (item.brand === "text") return typeof key === "symbol";
    if (item.brand === "boxed") {
      return key === "length" || (isIndex(key) && typeof boxedValue(value) === "string");
    }
    if (item.brand === "regexp" && key === "lastIndex") {
      const descriptor = getOwn(value, key);
      return descriptor?.value === 0 && descriptor.writable === true;
    }
    return false;
  }

  private writePrototype(item: Item, value: object, expected: object | undefined): void {
    const prototype = getPrototype(value) as object | null;
    if (prototype === expected) return;
    const name = intrinsicName(prototype);
    if (this.context.flattens && name === undefined && prototype !== null) {
      return this.lose(
        item,
        "",
        `is a ${className(value) ?? "class instance"}, kept as plain data`,
      );
    }
    this.patch("prototype", item, [name ?? prototype, ".__proto__"]);
  }

  private writeExtensible(item: Item, value: object): void {
    if (Object.isExtensible(value)) return;
    const operation = item.brand === "view"
      ? "prevent"
      : Object.isFrozen(value)
      ? "freeze"
      : Object.isSealed(value)
      ? "seal"
      : "prevent";
    this.late.push({ operation, item, target: value, values: [] });
  }

  private writeFunction(item: Item, value: object): void {
    const { number, extras, prototype, scopes } = this.definitions.add(value);
    this.row(item.index, `["function",${this.ref(number, item, "")}]`);
    for (const scope of scopes) {
      for (const [name, held] of scope.variables) {
        this.patches.push({
          operation: "variable",
          item,
          target: scope.number,
          values: [
            { value: name, segment: "" },
            { value: held, segment: ` (captured ${name})` },
          ],
        });
      }
    }
    for (const loss of this.definitions.takeLosses()) this.lose(item, "", loss);
    this.writeExtras(item, value, extras);
    if (prototype !== undefined) {
      this.ref(prototype, item, ".prototype");
      this.keep(item, prototype);
    }
    const actual = getPrototype(value) as object | null;
    const name = intrinsicName(actual);
    if (name === undefined || !this.definitions.isNaturalPrototype(value, name)) {
      this.patch("prototype", item, [name ?? actual, ".__proto__"]);
    }
    this.writeExtensible(item, value);
  }

  /** Gives a class's prototype object a row that a reader meets, though nothing else refers to it. */
  private keep(item: Item, prototype: object): void {
    this.patches.push({ operation: "keep", item, target: prototype, values: [] });
  }

  private writePrototypeObject(item: Item, value: object, owner: object): void {
    const index = this.ref(owner, item, ".constructor");
    const number = this.definitions.numberOf(owner);
    this.row(item.index, `["prototype",${this.ref(number, item, "")}]`);
    if (index === LOST) return;
    this.writeExtras(item, value, this.definitions.prototypeExtras(owner, value));
    this.writePrototype(item, value, Object.prototype);
    this.writeExtensible(item, value);
  }

  /** Whether a container lost everything that was in it. */
  private isHollow(value: unknown): boolean {
    const items: unknown[] = Array.isArray(value)
      ? value.slice(0, 10_000)
      : value instanceof Set
      ? [...value]
      : value instanceof Map
      ? [...value.values()]
      : typeof value === "object" && value !== null && brandOf(value) === "plain"
      ? Object.values(Object.getOwnPropertyDescriptors(value)).map((d) => d.value as unknown)
      : [];
    return items.length > 0 &&
      items.every((item) =>
        ((typeof item === "object" && item !== null) || typeof item === "function") &&
        this.context.unsaveable(item, brandOf(item)) !== undefined
      );
  }
}
