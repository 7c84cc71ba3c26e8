import { intrinsicName } from "./intrinsics.ts";
import {
  boxedValue,
  type Brand,
  className,
  errorClass,
  textOf,
  viewParts,
  withArticle,
} from "./kinds.ts";
import type { Item, Patch, Table } from "./encode_context.ts";
import { isIndex, pathKey } from "./table.ts";

const getOwn = Object.getOwnPropertyDescriptor;
const getPrototype = Object.getPrototypeOf;
/** What every error has of its own; a getter that the agent put there is not to run. */
const readStack = getOwn(new Error(), "stack")?.get;

const expectedPrototype: Partial<Record<Brand, object>> = {
  array: Array.prototype,
  map: Map.prototype,
  set: Set.prototype,
  date: Date.prototype,
  regexp: RegExp.prototype,
  buffer: ArrayBuffer.prototype,
  arguments: Object.prototype,
};

/** Writable 1, enumerable 2, configurable 4. */
export function flagsOf(descriptor: PropertyDescriptor): number {
  return (descriptor.writable ? 1 : 0) + (descriptor.enumerable ? 2 : 0) +
    (descriptor.configurable ? 4 : 0);
}

/** Writes what a row cannot say of an object: prototype, properties out of the ordinary, integrity. */
export class PropertyWriter {
  constructor(private readonly table: Table) {}

  /** Queues a patch of a value. */
  patch(
    operation: string,
    item: Item,
    ...values: [value: unknown, segment?: string | number][]
  ): void {
    this.table.patches.push({
      operation,
      item,
      target: item.value,
      values: values.map(([value, segment = ""]) => ({ value, segment })),
    });
  }

  /** The flags that freezing or sealing explains; they come back with it. */
  mask(value: object): number {
    return Object.isFrozen(value) ? 5 : Object.isSealed(value) ? 4 : 0;
  }

  /** Own properties beyond those that the row says. */
  writeExtras(item: Item, value: object, keys: PropertyKey[], mask = -1): void {
    const hidden = mask >= 0 ? mask : Object.isExtensible(value) ? 0 : this.mask(value);
    for (const key of keys) {
      if (this.isImplied(item, value, key)) continue;
      const descriptor = getOwn(value, key) as PropertyDescriptor;
      const patch = this.property(item, key, descriptor, hidden);
      if (patch !== undefined) this.table.patches.push(patch);
    }
  }

  /** The patch that defines one property. */
  property(
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
    if (item.brand === "error" && key === "stack" && descriptor.get === readStack) {
      const stack = Reflect.apply(readStack as () => unknown, item.value, []);
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

  /** Queues the prototype, where it is not the one that the value has anyway. */
  writePrototype(item: Item, value: object, expected: object | undefined): void {
    const prototype = getPrototype(value) as object | null;
    if (prototype === expected) return;
    const name = intrinsicName(prototype);
    if (this.table.context.flattens && name === undefined && prototype !== null) {
      return this.table.lose(
        item,
        "",
        `is ${withArticle(className(value) ?? "class instance")}, kept as plain data`,
      );
    }
    this.patch("prototype", item, [name ?? prototype, ".__proto__"]);
  }

  /** Queues freezing, sealing or the end of extensions. */
  writeExtensible(item: Item, value: object): void {
    if (Object.isExtensible(value)) return;
    const operation = item.brand === "view"
      ? "prevent"
      : Object.isFrozen(value)
      ? "freeze"
      : Object.isSealed(value)
      ? "seal"
      : "prevent";
    this.table.late.push({ operation, item, target: value, values: [] });
  }

  /** The prototype that a value of its brand has when it is made. */
  expected(item: Item): object | undefined {
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
}
