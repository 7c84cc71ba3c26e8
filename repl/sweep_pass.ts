import { grouped } from "./grouped.ts";
import type { Captured } from "./closures.ts";
import {
  type EncodeContext,
  type FunctionInfo,
  unsaveableBrand,
  unsaveableClass,
} from "./encode_context.ts";
import type { EnclosingNames } from "./enclosing.ts";
import { Encoder } from "./encoder.ts";
import {
  describeFunction,
  hasPrivateState,
  isArrowText,
  isMethodText,
  mentions,
  ownCode,
  sourceOf,
} from "./functions.ts";
import { intrinsicName } from "./intrinsics.ts";
import { type Brand, brandOf } from "./kinds.ts";
import type { Loss } from "./snapshot.ts";
import { CapExceeded, jsonBytes } from "./table.ts";

/** What one name came to. */
export type Outcome =
  | { readonly kind: "saved"; readonly name: string; readonly entry: SavedName }
  | {
    readonly kind: "dropped";
    readonly name: string;
    readonly value: unknown;
    reason: string;
    bytes?: number;
  };

/** A name that can be saved, and the group of names that it shares objects with. */
export interface SavedName {
  readonly name: string;
  readonly value: unknown;
  readonly bytes: number;
  loss: readonly Loss[];
  group: Group;
  slot: number;
}

/** Names that share objects are encoded together. */
export interface Group {
  members: SavedName[];
  text: string | undefined;
  /** The group that this one was merged into. */
  into: Group | undefined;
}

/** Limits and surroundings of a pass. */
export interface PassOptions {
  readonly capBytes: number;
  readonly global: object;
  /** Values of the host's own globals, which are never saved. */
  readonly hostValues: ReadonlySet<unknown>;
  /** What the inspector told of functions. */
  readonly captured: ReadonlyMap<object, Captured>;
  /** Names of function expressions, which the inspector does not tell. */
  readonly enclosing: EnclosingNames;
}

function root(group: Group): Group {
  let at = group;
  while (at.into !== undefined) at = at.into;
  return at;
}

const getOwn = Object.getOwnPropertyDescriptor;

/** One synchronous look at the globals: every name is encoded, or told why not. */
export class SweepPass {
  /** Functions that the inspector has to be asked about before the outcome counts. */
  readonly wanted = new Set<object>();
  readonly outcomes: Outcome[] = [];
  private readonly owners = new Map<object | symbol, Group>();
  private readonly reasons = new Map<object, string | undefined>();
  private current: Group = { members: [], text: undefined, into: undefined };
  private claimed: (object | symbol)[] = [];
  private touched = new Set<Group>();

  constructor(private readonly options: PassOptions) {}

  /** Encodes one name on its own; merges its group with those whose objects it reaches. */
  add(name: string, value: unknown): void {
    const group: Group = { members: [], text: undefined, into: undefined };
    this.current = group;
    this.claimed = [];
    this.touched = new Set();
    const drop = (reason: string, bytes?: number): void => {
      for (const object of this.claimed) this.owners.delete(object);
      this.outcomes.push({ kind: "dropped", name, value, reason, ...(bytes ? { bytes } : {}) });
    };
    const encoder = new Encoder(
      this.context((object) => this.claim(object)),
      this.options.capBytes,
    );
    try {
      const reason = encoder.add(name, value);
      if (reason !== undefined) return drop(reason);
      group.text = encoder.finish();
    } catch (error) {
      if (!(error instanceof CapExceeded)) throw error;
      const exact = typeof value === "string" ? jsonBytes(JSON.stringify(value)) : error.bytes;
      const cap = grouped(this.options.capBytes);
      return drop(`is over the cap of ${cap} bytes when encoded`, exact);
    }
    const { bytes, losses } = encoder;
    const entry: SavedName = { name, value, bytes, loss: losses, group, slot: 0 };
    group.members.push(entry);
    for (const other of this.touched) merge(root(other), root(group));
    this.outcomes.push({ kind: "saved", name, entry });
  }

  /** Encodes the groups of more than one name; afterwards every saved name has text and slot. */
  finish(): Group[] {
    const groups = new Set<Group>();
    for (const outcome of this.outcomes) {
      if (outcome.kind === "saved") groups.add(outcome.entry.group = root(outcome.entry.group));
    }
    for (const group of groups) {
      if (group.members.length === 1 && group.text !== undefined) continue;
      const encoder = new Encoder(this.context(() => true), Infinity);
      group.members.sort((a, b) => a.name < b.name ? -1 : 1);
      group.members.forEach((member, slot) => {
        encoder.add(member.name, member.value);
        member.slot = slot;
      });
      group.text = encoder.finish(group.members.map(({ name }) => name));
      if (group.members.some(({ loss }) => loss.length > 0)) this.tellAll(group);
    }
    return [...groups];
  }

  /** A part that is lost is lost to every name that reaches it, not to the first one only. */
  private tellAll(group: Group): void {
    for (const member of group.members) {
      const encoder = new Encoder(this.context(() => true), Infinity);
      encoder.add(member.name, member.value);
      encoder.finish();
      member.loss = encoder.losses;
    }
  }

  private claim(object: object | symbol): boolean {
    const owner = this.owners.get(object);
    if (owner === undefined) {
      this.owners.set(object, this.current);
      this.claimed.push(object);
      return true;
    }
    if (owner === this.current) return true;
    this.touched.add(owner);
    return false;
  }

  private context(own: (object: object | symbol) => boolean): EncodeContext {
    return {
      natives: true,
      flattens: false,
      own,
      unsaveable: (value, brand) => this.unsaveable(value, brand),
      describe: (fn) => this.describe(fn),
    };
  }

  private describe(fn: object): FunctionInfo {
    const { source, kind } = describeFunction(fn);
    const captured = this.options.captured.get(fn);
    const order = captured?.order ?? [0, 0, 0];
    return { source, kind, order, scope: captured?.scope, global: this.globalOf(fn, source) };
  }

  /** The global that a declaration made: its name then means the global, also inside the function. */
  private globalOf(fn: object, source: string): string | undefined {
    const name = /^(?:async\s+)?function\s*\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u
      .exec(source)?.[1];
    if (name === undefined || this.options.captured.get(fn)?.scope !== undefined) return undefined;
    return getOwn(this.options.global, name)?.value === fn ? name : undefined;
  }

  private unsaveable(value: object, brand: Brand): string | undefined {
    if (brand === "function") return this.functionReason(value);
    const reason = unsaveableBrand(value, brand);
    if (reason !== undefined) return reason;
    if (value !== this.options.global && this.options.hostValues.has(value)) {
      return "belongs to the REPL itself";
    }
    return unsaveableClass(value, (constructor) => this.classReason(constructor));
  }

  private memo(key: object, compute: () => string | undefined): string | undefined {
    if (this.reasons.has(key)) return this.reasons.get(key);
    // A function that captures itself is as saveable as the rest of what it captures.
    this.reasons.set(key, undefined);
    const reason = compute();
    this.reasons.set(key, reason);
    return reason;
  }

  private readonly classes = new Map<object, string | undefined>();

  private classReason(constructor: object): string | undefined {
    if (this.classes.has(constructor)) return this.classes.get(constructor);
    let reason: string | undefined;
    if (intrinsicName(constructor) !== undefined) reason = ", a built-in with hidden state";
    else {
      const why = this.functionReason(constructor);
      if (why !== undefined) reason = `, whose class ${why}`;
      else if (hasPrivateState(describeFunction(constructor).source)) {
        reason = " with private fields";
      }
    }
    this.classes.set(constructor, reason);
    return reason;
  }

  /** A name that a function has from a function expression around it, and that is no global. */
  private hiddenName(source: string, { order, scope }: Captured): string | undefined {
    const [, line, column] = order;
    for (const { name, source: outer } of this.options.enclosing.used(source, line, column)) {
      let isCaptured = false;
      for (let at = scope; at !== undefined; at = at.outer) isCaptured ||= at.values.has(name);
      const global = getOwn(this.options.global, name)?.value as unknown;
      // `const walk = function walk() {…}`: the global is that function.
      const isGlobal = typeof global === "function" && sourceOf(global) === outer;
      if (!isCaptured && !isGlobal) return name;
    }
    return undefined;
  }

  private functionReason(fn: object): string | undefined {
    return this.memo(fn, () => {
      if (this.options.hostValues.has(fn)) return "belongs to the REPL itself";
      const { source, reason } = describeFunction(fn);
      if (reason !== undefined) return reason;
      const captured = this.options.captured.get(fn);
      if (captured === undefined) {
        this.wanted.add(fn);
        return undefined;
      }
      if (captured.host) return "belongs to the REPL itself";
      if (isArrowText(source)) {
        const held = /\b(?:this|super|arguments|new\.target)\b/.exec(ownCode(source))?.[0];
        if (held !== undefined) return `captures ${held}`;
      } else if (isMethodText(source) && /\bsuper\b/.test(ownCode(source))) {
        // Members of a class come back with it; this one belongs to an object that is not to be seen.
        return "uses super";
      }
      const hidden = this.hiddenName(source, captured);
      if (hidden !== undefined) return `captures ${hidden}, the name of a function around it`;
      for (let scope = captured.scope; scope !== undefined; scope = scope.outer) {
        for (const [name, value] of scope.values) {
          if (typeof value !== "object" && typeof value !== "function") continue;
          if (value === null || !mentions(source, name)) continue;
          if (intrinsicName(value) !== undefined) continue;
          const why = this.unsaveable(value, brandOf(value));
          if (why !== undefined) return `captures ${name}, which ${why}`;
        }
      }
      return undefined;
    });
  }
}

function merge(a: Group, b: Group): void {
  if (a === b) return;
  b.into = a;
  a.members.push(...b.members);
  a.text = undefined;
  b.members = [];
}
