import { Definitions } from "./definitions.ts";
import { type EncodeContext, type Item, LOST, type Patch, type Table } from "./encode_context.ts";
import { intrinsicName, wellKnownSymbol } from "./intrinsics.ts";
import { brandOf } from "./kinds.ts";
import { RowWriter } from "./rows.ts";
import type { Loss } from "./snapshot.ts";
import { CapExceeded, jsonBytes, MAX_BIGINT_DIGITS } from "./table.ts";

const MAX_LOSSES = 50;

/**
 * Writes values into one table in devalue's format. It walks the values itself, without recursion and
 * without running any of their code, where `devalue.stringify` would overflow on a deep value, call
 * accessors and tags, and build the whole text before its size is known. What the format cannot say goes into a list of patches, which is plain devalue as well.
 */
export class Encoder implements Table {
  readonly losses: Loss[] = [];
  /** UTF-8 bytes of the rows so far. */
  bytes = 0;
  private lossCount = 0;
  private readonly rows: string[] = [""];
  private readonly index = new Map<object | symbol, number>();
  private readonly strings = new Map<string, number>();
  private readonly numbers = new Map<number, number>();
  /** Bigints, booleans and null. */
  private readonly others = new Map<unknown, number>();
  private readonly written: boolean[] = [];
  private readonly stack: Item[] = [];
  private readonly pending: Item[] = [];
  private readonly slots: number[] = [];
  readonly patches: Patch[] = [];
  readonly late: Patch[] = [];
  readonly definitions: Definitions;
  private readonly writer = new RowWriter(this);

  constructor(readonly context: EncodeContext, readonly capBytes: number) {
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
  lose(parent: Item, segment: string | number, reason: string): void {
    if (this.lossCount++ >= MAX_LOSSES) return;
    const text = (part: string | number): string => typeof part === "number" ? `[${part}]` : part;
    let path = text(segment);
    let steps = 0;
    for (let item: Item | undefined = parent; item !== undefined; item = item.parent) {
      if (steps++ < 40 || item.parent === undefined) path = text(item.segment) + path;
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

  /** Sets a row; stops the encoding when its cap is exceeded. */
  row(index: number, text: string): void {
    this.rows[index] = text;
    this.count(jsonBytes(text));
  }

  private count(bytes: number): void {
    this.bytes += bytes + 1;
    if (this.bytes > this.capBytes) throw new CapExceeded(this.bytes);
  }

  private literal<K>(index: Map<K, number>, value: K, text: string): number {
    const at = this.rows.push("") - 1;
    index.set(value, at);
    this.row(at, text);
    return at;
  }

  /** The table index (or sentinel) that stands for a value; queues it where it is new. */
  ref(value: unknown, parent: Item, segment: string | number): number {
    switch (typeof value) {
      case "undefined":
        return -1;
      case "number":
        return this.number(value);
      case "string": {
        const known = this.strings.get(value);
        if (known !== undefined) return known;
        if (value.length > this.capBytes) throw new CapExceeded(value.length);
        return this.literal(this.strings, value, JSON.stringify(value));
      }
      case "bigint": {
        const known = this.others.get(value);
        if (known !== undefined) return known;
        const digits = String(value);
        if (digits.length > MAX_BIGINT_DIGITS) {
          return this.lost(parent, segment, `is a bigint of ${digits.length} digits`);
        }
        return this.literal(this.others, value, `["BigInt","${digits}"]`);
      }
      case "symbol":
        return this.symbol(value);
      case "boolean":
        return this.others.get(value) ?? this.literal(this.others, value, String(value));
    }
    if (value === null) return this.others.get(null) ?? this.literal(this.others, null, "null");
    return this.object(value as object, parent, segment);
  }

  private number(value: number): number {
    if (value !== value) return -3;
    if (value === Infinity) return -4;
    if (value === -Infinity) return -5;
    if (value === 0 && 1 / value < 0) return -6;
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const text = String(value);
    const at = this.rows.push(text) - 1;
    this.numbers.set(value, at);
    this.count(text.length);
    return at;
  }

  private object(value: object, parent: Item, segment: string | number): number {
    const known = this.index.get(value);
    if (known !== undefined) {
      if (!this.written[known] && known !== 0) this.again(value, known, parent, segment);
      return known;
    }
    const native = intrinsicName(value);
    if (native !== undefined) {
      if (!this.context.natives) return this.lost(parent, segment, `is the built-in ${native}`);
      return this.literal(this.index, value, `["native",${this.ref(native, parent, "")}]`);
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

  private lost(parent: Item, segment: string | number, reason: string): number {
    this.lose(parent, segment, reason);
    return LOST;
  }

  /** A value that waits for its turn is read from here first: a reader meets it here first, too. */
  private again(value: object, index: number, parent: Item, segment: string | number): void {
    const brand = brandOf(value);
    this.pending.push({ value, brand, index, depth: parent.depth + 1, parent, segment });
  }

  private symbol(value: symbol): number {
    const known = this.index.get(value);
    if (known !== undefined) return known;
    const key = Symbol.keyFor(value);
    const name = wellKnownSymbol(value);
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
      this.writer.write(item);
      this.flush();
    }
  }

  /** Children are taken in the order a reader takes them, so that both see the same depth. */
  private flush(): void {
    const { pending, stack } = this;
    if (pending.length === 0) return;
    for (let i = pending.length - 1; i >= 0; i--) stack.push(pending[i] as Item);
    pending.length = 0;
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

  /** Whether a reader that meets the value here has to go into it. */
  isOpen(value: unknown): boolean {
    if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
    const known = this.index.get(value as object);
    return known === undefined || !this.written[known];
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
