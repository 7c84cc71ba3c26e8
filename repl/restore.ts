import type { DefinitionTable } from "./definitions.ts";
import type { ListeningEvaluator as Evaluator } from "./contexts.ts";
import { hydrate, type Live, type OpenPayload, openPayload } from "./hydrate.ts";
import { isBuiltInName } from "./intrinsics.ts";
import { restoreReport } from "./restore_report.ts";
import { revive, type Revived } from "./revive.ts";
import type { Restorable, RestoreReport } from "./snapshot.ts";

/** Limits of a restore. */
export interface RestoreOptions {
  /** Longest run of one definition in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** Names that belong to the REPL: a state that gives them values was not made by it. */
  readonly reserved?: ReadonlySet<string>;
}

type Entry = Restorable["variables" | "functions"][number];

/** Names whose values are made together. */
interface Group {
  readonly payload: Restorable["payloads"][number] | undefined;
  readonly entries: Entry[];
}

interface Uses {
  readonly groups: Group[];
  /** How many names have each slot; undefined where there is one name in all. */
  uses: Map<number, number> | undefined;
}

interface Parcel {
  readonly entries: readonly Entry[];
  readonly open: OpenPayload;
}

/** Lowest definition order of the functions in a parcel. */
function orderOf({ entries }: Parcel): number {
  return Math.min(...entries.map((entry) => "order" in entry ? entry.order : Infinity));
}

const DEFAULT_TIMEOUT = 5_000;
/** Taken before the worker puts a guard in its place, which is for agent code. */
const define = Reflect.defineProperty;
const DATA: Live = { functions: [], scopes: [], natives: true };
/** A class that runs code when it is defined: static parts, computed names, computed superclasses. */
const RUNS_CODE = /^class\b[^]*(?:\bstatic\b|\[)|^class\b[^{]*\bextends\b[^{]*\(/;

/** Puts a snapshot's names back into the globals; a bad payload fails its own names only. */
export async function restore(
  evaluator: Evaluator,
  global: object,
  snapshot: Restorable,
  options: RestoreOptions,
): Promise<RestoreReport> {
  return await new Restore(evaluator, global, snapshot, options).run();
}

class Restore {
  private readonly failed = new Map<string, string>();
  private readonly done = new Map<string, unknown>();
  private readonly entries: Entry[];
  private scripts = 0;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly global: object,
    private readonly snapshot: Restorable,
    private readonly options: RestoreOptions,
  ) {
    this.entries = [...snapshot.variables, ...snapshot.functions];
  }

  async run(): Promise<RestoreReport> {
    const before = new Set(Object.getOwnPropertyNames(this.global));
    const data: Group[] = [];
    const code: Parcel[] = [];
    // Data is made as soon as its text is read: what was just allocated is the cheapest to change.
    for (const group of this.groups()) {
      const parcel = this.open(group);
      if (parcel?.open.definitions !== undefined) code.push(parcel);
      else if (parcel !== undefined) {
        data.push(group);
        this.fill(parcel.entries, parcel.open, DATA);
      }
    }
    await this.define(code.sort((a, b) => orderOf(a) - orderOf(b)));
    // Initialisers of classes ran again and may have changed what they can reach: what was saved wins.
    const reran = code.some(({ open }) => open.definitions?.f.some(({ s }) => RUNS_CODE.test(s)));
    if (reran) this.replace(data);
    if (code.length > 0) {
      for (const [name, value] of this.done) {
        if (!isSame(this.global, name, value)) this.set(name, value);
      }
    }
    for (const name of Object.getOwnPropertyNames(this.global)) {
      if (!before.has(name) && !this.done.has(name)) Reflect.deleteProperty(this.global, name);
    }
    return restoreReport(this.snapshot, this.failed);
  }

  /** The names by payload. Two names with one slot hold equal values and not one: each gets its own. */
  private groups(): Group[] {
    const payloads = new Map(this.snapshot.payloads.map((payload) => [payload.id, payload]));
    const byPayload = new Map<string, Uses>();
    for (const entry of this.entries) {
      if (isBuiltInName(entry.name) || entry.name === "globalThis") {
        this.failed.set(entry.name, "is the name of a built-in");
        continue;
      }
      if (this.options.reserved?.has(entry.name)) {
        this.failed.set(entry.name, "is a name of the REPL");
        continue;
      }
      const { payload: id, slot } = entry.ref;
      const known = byPayload.get(id);
      if (known === undefined) {
        const first = { payload: payloads.get(id), entries: [entry] };
        byPayload.set(id, { groups: [first], uses: undefined });
        continue;
      }
      const { groups } = known;
      // Most payloads have one name: what counts the uses of slots is made for others only.
      const uses = known.uses ??= new Map(groups[0]!.entries.map(({ ref }) => [ref.slot, 1]));
      const before = uses.get(slot) ?? 0;
      uses.set(slot, before + 1);
      const group = groups[before];
      if (group === undefined) groups.push({ payload: payloads.get(id), entries: [entry] });
      else group.entries.push(entry);
    }
    return [...byPayload.values()].flatMap(({ groups }) => groups);
  }

  /** Checks a payload; one that cannot be used fails its names. */
  private open({ payload, entries }: Group): Parcel | undefined {
    try {
      const text = payload?.text;
      if (text === undefined) throw new Error("its saved value is missing");
      return { entries, open: openPayload(text) };
    } catch (error) {
      this.fail(entries, (error as Error).message);
      return undefined;
    }
  }

  /** Makes data anew, as it was before any code ran. */
  private replace(data: readonly Group[]): void {
    for (const group of data) {
      if (group.entries.every(({ name }) => this.failed.has(name))) continue;
      const parcel = this.open(group);
      if (parcel !== undefined) this.fill(parcel.entries, parcel.open, DATA);
    }
  }

  private fail(entries: readonly Entry[], why: string): void {
    for (const { name } of entries) {
      this.failed.set(name, why.slice(0, 300));
      this.done.delete(name);
    }
  }

  private place(parcel: Parcel, revived: Revived): void {
    const lost = revived.failed.size === 0
      ? new Map<number, string>()
      : dependents(parcel.open.table, revived.failed);
    for (const entry of parcel.entries) {
      const why = lost.get(entry.ref.slot);
      if (why !== undefined) this.fail([entry], why);
    }
    const entries = parcel.entries.filter(({ ref }) => !lost.has(ref.slot));
    const functions = revived.functions.slice();
    // Stands in where only names that failed can see it.
    for (const number of revived.failed.keys()) functions[number] = function () {};
    this.fill(entries, parcel.open, { functions, scopes: revived.scopes, natives: true });
  }

  /** Makes the values of these names. */
  private fill(entries: readonly Entry[], open: OpenPayload, live: Live): void {
    if (entries.length === 0) return;
    try {
      const slots = hydrate(open, live);
      for (const { name, ref } of entries) {
        if (!(ref.slot in slots)) this.failed.set(name, "its saved value is missing");
        else {
          this.done.set(name, slots[ref.slot]);
          this.set(name, slots[ref.slot]);
        }
      }
    } catch (error) {
      this.fail(entries, (error as Error).message);
    }
  }

  /** Runs definitions in order; those that fail for want of a later name get another try. */
  private async define(parcels: readonly Parcel[]): Promise<void> {
    let left = [...parcels];
    while (left.length > 0) {
      const retry: { parcel: Parcel; revived: Revived }[] = [];
      for (const parcel of left) {
        const revived = await this.revive(parcel);
        if (revived.failed.size === 0) this.place(parcel, revived);
        else retry.push({ parcel, revived });
      }
      if (retry.length < left.length) left = retry.map(({ parcel }) => parcel);
      else {
        for (const { parcel, revived } of retry) this.place(parcel, revived);
        return;
      }
    }
  }

  private revive(parcel: Parcel): Promise<Revived> {
    const table = parcel.open.definitions as DefinitionTable;
    const slots = slotFunctions(parcel.open.table);
    return revive(
      this.evaluator,
      this.global,
      table,
      this.options.timeoutMs ?? DEFAULT_TIMEOUT,
      (number, fn) => {
        for (const { name, ref } of parcel.entries) {
          if (slots.get(ref.slot) === number) this.set(name, fn);
        }
      },
      () => ++this.scripts,
    );
  }

  private set(name: string, value: unknown): void {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    if (define(this.global, name, descriptor)) return;
    if (!Reflect.set(this.global, name, value)) this.failed.set(name, "the name is taken");
  }
}

type Row = unknown;

function isSame(global: object, name: string, value: unknown): boolean {
  const now = Object.getOwnPropertyDescriptor(global, name);
  return now !== undefined && "value" in now && Object.is(now.value, value) &&
    now.writable === true && now.enumerable === true && now.configurable === true;
}

function rootOf(table: readonly Row[]): { v: number; p?: number } {
  return table[0] as { v: number; p?: number };
}

/** Which slots hold a function itself, by its number. */
function slotFunctions(table: readonly Row[]): Map<number, number> {
  const slots = table[rootOf(table).v] as number[];
  const found = new Map<number, number>();
  slots.forEach((index, slot) => {
    const row = table[index];
    if (Array.isArray(row) && row[0] === "function") found.set(slot, table[row[1]] as number);
  });
  return found;
}

/** Slots that reach a function that could not be made, with the reason. */
function dependents(
  table: readonly Row[],
  failed: ReadonlyMap<number, string>,
): Map<number, string> {
  const { v, p } = rootOf(table);
  const patches = new Map<number, number[]>();
  for (const index of (p === undefined ? [] : table[p]) as number[]) {
    const [, subject, ...rest] = table[index] as number[];
    const list = patches.get(subject as number) ?? [];
    list.push(...rest);
    patches.set(subject as number, list);
  }
  const children = (index: number): number[] => {
    const row = table[index];
    const own = row === null || typeof row !== "object"
      ? []
      : Array.isArray(row)
      ? row.filter((ref): ref is number => typeof ref === "number")
      : Object.values(row as Record<string, number>);
    return [...own, ...(patches.get(index) ?? [])];
  };
  const lost = new Map<number, string>();
  (table[v] as number[]).forEach((start, slot) => {
    const seen = new Set<number>();
    const stack = [start];
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (index < 0 || seen.has(index)) continue;
      seen.add(index);
      const row = table[index];
      if (Array.isArray(row) && (row[0] === "function" || row[0] === "prototype")) {
        const why = failed.get(table[row[1]] as number);
        if (why !== undefined) {
          const itself = row[0] === "function" && index === start;
          lost.set(slot, itself ? why : `needs a definition that failed: ${why}`);
          break;
        }
      }
      stack.push(...children(index));
    }
  });
  return lost;
}
