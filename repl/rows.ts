import { type Item, LOST, type Patch, type Table } from "./encode_context.ts";
import { intrinsicName } from "./intrinsics.ts";
import {
  base64Of,
  boxedValue,
  brandOf,
  bufferSize,
  errorClass,
  isResizable,
  regexpParts,
  textOf,
  viewParts,
} from "./kinds.ts";
import { flagsOf, PropertyWriter } from "./properties.ts";
import { CapExceeded, isIndex, MAX_DEPTH, pathKey } from "./table.ts";

/** Writable, enumerable, configurable: a property that an assignment makes. */
const ORDINARY = 7;

const getOwn = Object.getOwnPropertyDescriptor;
const ownKeys = Reflect.ownKeys;
const getPrototype = Object.getPrototypeOf;

/** Writes the rows of one table, by the kind of value. */
export class RowWriter {
  private readonly paths = new Map<string, string>();
  private readonly quotedKeys = new Map<string, string>();

  private readonly properties: PropertyWriter;

  constructor(private readonly table: Table) {
    this.properties = new PropertyWriter(table);
  }

  /** Writes the row of one value, and queues what it holds. */
  write(item: Item): void {
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
        this.table.row(item.index, `["Date","${iso}"]`);
        break;
      }
      case "regexp": {
        const { source, flags } = regexpParts(value);
        const tail = flags === "" ? "" : `,"${flags}"`;
        this.table.row(item.index, `["RegExp",${JSON.stringify(source)}${tail}]`);
        break;
      }
      case "error":
        this.table.row(item.index, `["error",${this.table.ref(errorClass(value), item, "")}]`);
        break;
      case "boxed":
        this.table.row(item.index, `["Object",${this.table.ref(boxedValue(value), item, "")}]`);
        break;
      case "buffer":
        if (isResizable(value)) this.table.lose(item, "", "is resizable, kept at its length");
        if (bufferSize(value) * 4 / 3 > this.table.capBytes) {
          throw new CapExceeded(Math.ceil(bufferSize(value) * 4 / 3));
        }
        this.table.row(item.index, `["ArrayBuffer","${base64Of(value)}"]`);
        break;
      case "view": {
        const { tag, buffer, offset, length, whole } = viewParts(value);
        const part = whole ? "" : `,${offset},${length}`;
        const index = this.table.ref(buffer, item, ".buffer");
        this.table.row(item.index, `["${tag}",${index}${part}]`);
        break;
      }
      case "text": {
        const { tag, text } = textOf(value) as { tag: string; text: string };
        this.table.row(item.index, `["${tag}",${JSON.stringify(text)}]`);
        break;
      }
      case "function":
        return this.writeFunction(item, value);
    }
    this.properties.writeExtras(item, value, ownKeys(value));
    this.properties.writePrototype(item, value, this.properties.expected(item));
    this.properties.writeExtensible(item, value);
  }

  private writePlain(item: Item, value: object): void {
    const prototype = getPrototype(value) as object | null;
    const owner = this.table.definitions.ownerOfPrototype(value);
    if (owner !== undefined) return this.writePrototypeObject(item, value, owner);
    const isNull = prototype === null;
    const keys = ownKeys(value);
    let text = isNull ? '["null"' : "{";
    const frozen = !Object.isExtensible(value) && keys.length > 0;
    const mask = frozen ? this.properties.mask(value) : 0;
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
    this.table.row(item.index, text + (isNull ? "]" : "}"));
    if (i < keys.length) this.properties.writeExtras(item, value, keys.slice(i), mask);
    if (!isNull) this.properties.writePrototype(item, value, Object.prototype);
    this.properties.writeExtensible(item, value);
  }

  /** A child in place; beyond the depth a reader can take, a patch links it instead. */
  private child(item: Item, key: PropertyKey, value: unknown): number {
    // Only objects lose parts, so only they need a path; one string a property is dear.
    if (typeof value !== "object" && typeof value !== "function") {
      return this.table.ref(value, item, "");
    }
    const segment = typeof key === "number" ? key : this.path(key as string);
    if (item.depth >= MAX_DEPTH && this.table.isOpen(value)) {
      if (this.table.context.unsaveable(value as object, brandOf(value as object)) === undefined) {
        this.properties.patch("put", item, [key], [value, segment]);
        return -1;
      }
    }
    return this.table.ref(value, item, segment);
  }

  private path(key: string): string {
    let path = this.paths.get(key);
    if (path === undefined) {
      path = pathKey(key);
      if (this.paths.size < 1000) this.paths.set(key, path);
    }
    return path;
  }

  private quoted(key: string): string {
    let quoted = this.quotedKeys.get(key);
    if (quoted === undefined) {
      quoted = JSON.stringify(key);
      if (this.quotedKeys.size < 1000) this.quotedKeys.set(key, quoted);
    }
    return quoted;
  }

  private writeArray(item: Item, value: unknown[]): void {
    const length = Number(getOwn(value, "length")?.value ?? 0);
    const keys = ownKeys(value);
    if (item.brand === "arguments") {
      this.table.lose(item, "", "is an arguments object, kept as an array");
    }
    const mask = Object.isExtensible(value) ? 0 : this.properties.mask(value);
    const special: PropertyKey[] = [];
    // Integer keys come first and in order: where the last of a full array is there, all are.
    let present = 0;
    const full = length > 0 && keys[length - 1] === String(length - 1);
    if (full) present = length;
    else while (present < keys.length && isIndex(keys[present] as PropertyKey)) present++;
    const sparse = (length - present) * 3 > 12 + present * 11;
    let text = sparse ? `[-7,${length}` : "[";
    let next = 0;
    for (let i = 0; i < present; i++) {
      const key = keys[i] as string;
      const at = full ? i : Number(key);
      const descriptor = getOwn(value, at) as PropertyDescriptor;
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
    this.table.row(item.index, text + "]");
    for (let i = present; i < keys.length; i++) {
      const key = keys[i] as PropertyKey;
      const isLength = key === "length";
      if (isLength && (getOwn(value, key)?.writable || mask !== 0)) continue;
      if (item.brand === "arguments" && (key === "callee" || key === Symbol.iterator)) continue;
      if (isLength) {
        this.table.late.push(this.properties.property(item, key, getOwn(value, key)!, 0) as Patch);
      } else special.push(key);
    }
    if (special.length > 0) this.properties.writeExtras(item, value, special, mask);
    this.properties.writePrototype(item, value, this.properties.expected(item));
    this.properties.writeExtensible(item, value);
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
      const keyRef = this.table.ref(key, item, `.key${segment.slice(4)}`);
      if (keyRef === LOST) return;
      const valueRef = this.table.ref(value, item, segment);
      if (valueRef !== LOST) text += `,${keyRef},${valueRef}`;
    });
    this.table.row(item.index, text + "]");
    for (let i = 0; i < entries.length; i += 2) {
      this.properties.patch("entry", item, entries[i] as [unknown], entries[i + 1] as [unknown]);
    }
  }

  private writeSet(item: Item, set: Set<unknown>): void {
    const deep = item.depth >= MAX_DEPTH;
    let text = '["Set"';
    let at = 0;
    Set.prototype.forEach.call(set, (value) => {
      const segment = `.values[${at++}]`;
      if (deep) return this.properties.patch("member", item, [value, segment]);
      const ref = this.table.ref(value, item, segment);
      if (ref !== LOST) text += `,${ref}`;
    });
    this.table.row(item.index, text + "]");
  }

  private writeFunction(item: Item, value: object): void {
    const { number, extras, prototype, scopes } = this.table.definitions.add(value);
    this.table.row(item.index, `["function",${this.table.ref(number, item, "")}]`);
    for (const scope of scopes) {
      for (const [name, held] of scope.variables) {
        this.table.patches.push({
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
    for (const loss of this.table.definitions.takeLosses()) this.table.lose(item, "", loss);
    this.properties.writeExtras(item, value, extras);
    if (prototype !== undefined) {
      this.table.ref(prototype, item, ".prototype");
      this.keep(item, prototype);
    }
    const actual = getPrototype(value) as object | null;
    const name = intrinsicName(actual);
    if (name === undefined || !this.table.definitions.isNaturalPrototype(value, name)) {
      this.properties.patch("prototype", item, [name ?? actual, ".__proto__"]);
    }
    this.properties.writeExtensible(item, value);
  }

  /** Gives a class's prototype object a row that a reader meets, though nothing else refers to it. */
  private keep(item: Item, prototype: object): void {
    this.table.patches.push({ operation: "keep", item, target: prototype, values: [] });
  }

  private writePrototypeObject(item: Item, value: object, owner: object): void {
    const index = this.table.ref(owner, item, ".constructor");
    const number = this.table.definitions.numberOf(owner);
    this.table.row(item.index, `["prototype",${this.table.ref(number, item, "")}]`);
    if (index === LOST) return;
    this.properties.writeExtras(item, value, this.table.definitions.prototypeExtras(owner, value));
    this.properties.writePrototype(item, value, Object.prototype);
    this.properties.writeExtensible(item, value);
  }
}
