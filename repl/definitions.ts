import type { Scope } from "./closures.ts";
import type { EncodeContext, FunctionInfo } from "./encode_context.ts";
import { isMethodText, isStrict, sourceOf } from "./functions.ts";
import { intrinsicName, isProxy } from "./intrinsics.ts";
import { brandOf } from "./kinds.ts";

/** One function in a payload, as the restore reads it. */
export interface DefinitionRow {
  /** Source. */
  readonly s: string;
  /** Own `name`. */
  readonly n?: string;
  /** Number of the innermost captured scope. */
  readonly c?: number;
  /** Name of the global that this declaration makes. */
  readonly g?: string;
  /** A member of a class: the class's number, on the class itself (1) or its prototype (0), key, slot. */
  readonly m?: readonly [number, number, PropertyKey, "value" | "get" | "set"];
  /** Number of the superclass. */
  readonly e?: number;
  /** Set where strict code around a function made it strict. */
  readonly x?: 1;
  /** Keys of the members that a class still has: on its prototype, on itself. */
  readonly k?: readonly [readonly PropertyKey[], readonly PropertyKey[]];
}

/** One captured scope: number of the outer scope, names, values that need no table. */
export interface ScopeRow {
  readonly o?: number;
  readonly n: readonly string[];
  readonly v: Readonly<Record<string, unknown>>;
}

/** The part of a payload that makes functions again. */
export interface DefinitionTable {
  readonly f: readonly DefinitionRow[];
  /** Numbers of functions in definition order. */
  readonly o: readonly number[];
  readonly s?: readonly ScopeRow[];
}

interface NumberedScope {
  readonly number: number;
  /** Variables whose values are objects, set when these exist. */
  readonly variables: readonly (readonly [string, unknown])[];
}

/** What an encoder writes beside a function's row. */
export interface AddedFunction {
  readonly number: number;
  readonly extras: PropertyKey[];
  /** The prototype object, where it has to be written. */
  readonly prototype: object | undefined;
  /** Scopes met for the first time. */
  readonly scopes: readonly NumberedScope[];
}

const getOwn = Object.getOwnPropertyDescriptor;
const getPrototype = Object.getPrototypeOf;
const NATURAL: Readonly<Record<string, string>> = {
  "function": "Function.prototype",
  "class": "Function.prototype",
  "method": "Function.prototype",
  "async function": "%AsyncFunction%",
  "generator": "%GeneratorFunction%",
  "async generator": "%AsyncGeneratorFunction%",
};
const STATIC_PRIVATE = /\bstatic\s+(?:async\s+|get\s+|set\s+)*\*?\s*#/;

function isPrimitive(value: unknown): boolean {
  return value === null ||
    (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol");
}

function flags(descriptor: PropertyDescriptor): string {
  return (descriptor.writable ? "w" : "") + (descriptor.enumerable ? "e" : "") +
    (descriptor.configurable ? "c" : "");
}

/** The functions and captured scopes of one payload. */
export class Definitions {
  private readonly numbers = new Map<object, number>();
  private readonly scopes = new Map<Scope, { number: number; row: ScopeRow }>();
  private readonly members = new Map<object, NonNullable<DefinitionRow["m"]>>();
  private losses: string[] = [];

  constructor(private readonly context: EncodeContext) {}

  /** The class or function whose own `prototype` an object is; undefined for other objects. */
  ownerOfPrototype(value: object): object | undefined {
    const constructor = getOwn(value, "constructor")?.value as unknown;
    if (typeof constructor !== "function" || isProxy(constructor)) return undefined;
    if (getOwn(constructor, "prototype")?.value !== value) return undefined;
    if (intrinsicName(constructor) !== undefined) return undefined;
    return this.context.unsaveable(constructor, "function") === undefined ? constructor : undefined;
  }

  /** A function's number in this payload. */
  numberOf(fn: object): number {
    let number = this.numbers.get(fn);
    if (number === undefined) this.numbers.set(fn, number = this.numbers.size);
    return number;
  }

  /** Takes a function in; tells what of it has to be written beside its source. */
  add(fn: object): AddedFunction {
    const info = this.context.describe(fn);
    const number = this.numberOf(fn);
    const chain: Scope[] = [];
    const first = this.members.has(fn) ? undefined : info.scope;
    for (let scope = first; scope !== undefined; scope = scope.outer) chain.unshift(scope);
    if (chain.some((scope) => scope.unproven)) {
      this.losses.push("may have shared its captured variables with another closure");
    }
    const scopes = chain.filter((scope) => !this.scopes.has(scope)).map((s) => this.addScope(s));
    if (info.kind === "class" && STATIC_PRIVATE.test(info.source)) {
      this.losses.push("has private static state, which starts anew");
    }
    const prototype = this.ownPrototype(fn, info);
    const extras: PropertyKey[] = [];
    for (const key of Reflect.ownKeys(fn)) {
      const descriptor = getOwn(fn, key) as PropertyDescriptor;
      const shape = flags(descriptor);
      if (key === "length" && shape === "c") continue;
      if (key === "name" && shape === "c" && typeof descriptor.value === "string") continue;
      if ((key === "arguments" || key === "caller") && descriptor.value === null) continue;
      if (key === "prototype" && (prototype !== undefined || info.kind.endsWith("generator"))) {
        continue;
      }
      if (info.kind === "class" && this.isMember(fn, 1, key, descriptor)) continue;
      extras.push(key);
    }
    const written = prototype !== undefined && (info.kind === "class" || !isBare(prototype));
    return { number, extras, prototype: written ? prototype : undefined, scopes };
  }

  /** Losses found since the last call. */
  takeLosses(): string[] {
    const losses = this.losses;
    this.losses = [];
    return losses;
  }

  /** Keys of a prototype object that its class does not bring. */
  prototypeExtras(owner: object, prototype: object): PropertyKey[] {
    const isClass = this.context.describe(owner).kind === "class";
    return Reflect.ownKeys(prototype).filter((key) => {
      const descriptor = getOwn(prototype, key) as PropertyDescriptor;
      if (key === "constructor" && descriptor.value === owner && flags(descriptor) === "wc") {
        return false;
      }
      return !(isClass && this.isMember(owner, 0, key, descriptor));
    });
  }

  /** Whether a function's own prototype is the one that its kind brings. */
  isNaturalPrototype(fn: object, name: string): boolean {
    return NATURAL[this.context.describe(fn).kind] === name;
  }

  /** The table, or undefined where the payload has no function. */
  table(): DefinitionTable | undefined {
    if (this.numbers.size === 0) return undefined;
    const f: DefinitionRow[] = [];
    const order: { fn: object; at: readonly [number, number, number] }[] = [];
    for (const [fn, number] of this.numbers) {
      const info = this.context.describe(fn);
      order.push({ fn, at: info.order });
      f[number] = this.definition(fn, info);
    }
    order.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2]);
    const sorted = new Set<object>();
    const visit = (fn: object, depth: number): void => {
      const parent = getPrototype(fn) as object;
      if (this.numbers.has(parent) && depth < 100) visit(parent, depth + 1);
      sorted.add(fn);
    };
    for (const { fn } of order) visit(fn, 0);
    const o = this.grouped([...sorted].map((fn) => this.numberOf(fn)), f);
    if (this.scopes.size === 0) return { f, o };
    return { f, o, s: [...this.scopes.values()].map(({ row }) => row) };
  }

  /** The order in which a restore makes functions: those of one outermost scope at one time. */
  private grouped(order: readonly number[], f: readonly DefinitionRow[]): number[] {
    const rows = [...this.scopes.values()].map(({ row }) => row);
    const result = new Set<number>();
    const take = (scope: number): void => {
      for (const n of order) if (f[n]?.c === scope) result.add(n);
      rows.forEach((row, inner) => row.o === scope ? take(inner) : undefined);
    };
    for (const number of order) {
      let scope = f[number]?.c;
      if (scope === undefined) result.add(number);
      else if (!result.has(number)) {
        for (let o = rows[scope]?.o; o !== undefined; o = rows[o]?.o) scope = o;
        take(scope);
      }
    }
    return [...result];
  }

  private definition(fn: object, info: FunctionInfo): DefinitionRow {
    const name = getOwn(fn, "name")?.value as unknown;
    const member = this.members.get(fn);
    const parent = this.numbers.get(getPrototype(fn) as object);
    return {
      s: member === undefined ? info.source : "",
      ...(typeof name === "string" && member === undefined ? { n: name } : {}),
      ...(info.scope === undefined || member !== undefined
        ? {}
        : { c: this.scopes.get(info.scope)?.number as number }),
      ...(info.global === undefined ? {} : { g: info.global }),
      ...(info.kind === "function" && isStrict(fn, info.source) ? { x: 1 as const } : {}),
      ...(info.kind === "class" ? { k: this.memberKeys(fn) } : {}),
      ...(member === undefined ? {} : { m: member }),
      ...(info.kind === "class" && parent !== undefined ? { e: parent } : {}),
    };
  }

  /** Members that the source brings and the agent has not deleted; symbols of its own stay anyway. */
  private memberKeys(owner: object): [PropertyKey[], PropertyKey[]] {
    return [getOwn(owner, "prototype")?.value as object, owner].map((holder, onClass) =>
      Reflect.ownKeys(holder).filter((key) =>
        typeof key === "string" && key !== "constructor" &&
        this.isMember(owner, onClass, key, getOwn(holder, key) as PropertyDescriptor)
      )
    ) as [PropertyKey[], PropertyKey[]];
  }

  private addScope(scope: Scope): NumberedScope {
    const number = this.scopes.size;
    const values: Record<string, unknown> = Object.create(null);
    const variables: [string, unknown][] = [];
    const names: string[] = [];
    const row: { o?: number; n: string[]; v: Record<string, unknown> } = { n: names, v: values };
    this.scopes.set(scope, { number, row });
    this.context.own(scope);
    for (const [name, value] of scope.values) {
      if (isPrimitive(value)) values[name] = value;
      else if (
        typeof value !== "symbol" &&
        this.context.unsaveable(value as object, brandOf(value as object)) !== undefined
      ) continue;
      else variables.push([name, value]);
      names.push(name);
    }
    if (scope.outer !== undefined) row.o = this.scopes.get(scope.outer)?.number as number;
    return { number, variables };
  }

  /** The own prototype object of a function that makes instances. */
  private ownPrototype(fn: object, info: FunctionInfo): object | undefined {
    if (info.kind !== "class" && info.kind !== "function") return undefined;
    const prototype = getOwn(fn, "prototype")?.value as unknown;
    if (typeof prototype !== "object" || prototype === null) return undefined;
    return this.ownerOfPrototype(prototype) === fn ? prototype : undefined;
  }

  private isMember(
    owner: object,
    onClass: number,
    key: PropertyKey,
    descriptor: PropertyDescriptor,
  ): boolean {
    const shape = flags(descriptor);
    const parts = (["value", "get", "set"] as const).filter((p) => descriptor[p] !== undefined);
    if (parts.length === 0 || shape !== ("value" in descriptor ? "wc" : "c")) return false;
    const classSource = sourceOf(owner);
    for (const part of parts) {
      const fn = descriptor[part] as unknown;
      if (typeof fn !== "function" || isProxy(fn)) return false;
      const source = sourceOf(fn);
      if (!isMethodText(source) || !classSource.includes(source)) return false;
    }
    for (const part of parts) {
      const fn = descriptor[part] as object;
      this.context.own(fn);
      this.members.set(fn, [this.numberOf(owner), onClass, key, part]);
    }
    return true;
  }
}

function isBare(prototype: object): boolean {
  return getPrototype(prototype) === Object.prototype && Object.isExtensible(prototype) &&
    Reflect.ownKeys(prototype).length === 1;
}
