import type { Definitions } from "./definitions.ts";
import type { Brand } from "./kinds.ts";
import type { Scope } from "./closures.ts";
import {
  boxedValue,
  className,
  isDetached,
  isOrdinaryPrototype,
  viewFault,
  withArticle,
} from "./kinds.ts";
import { MAX_SPARSE } from "./table.ts";
import { intrinsicName, isProxy } from "./intrinsics.ts";

/** What an encoder needs to know of a function. */
export interface FunctionInfo {
  readonly source: string;
  readonly kind: string;
  readonly order: readonly [number, number, number];
  readonly scope: Scope | undefined;
  /** Name of the global that a declaration of this function makes. */
  readonly global: string | undefined;
}

/** What differs between encoding for the pipe and encoding a REPL. */
export interface EncodeContext {
  /** Whether built-ins may be kept by name, such as `Math.floor`. */
  readonly natives: boolean;
  /** Whether instances of classes lose their class, by name, and stay as plain data. */
  readonly flattens: boolean;
  /** Why a value cannot be kept; undefined where it can. */
  unsaveable(value: object, brand: Brand): string | undefined;
  /** Takes a value into this table; false where another table has it already. */
  own(value: object | symbol): boolean;
  /** Called for functions that are not unsaveable. */
  describe(fn: object): FunctionInfo;
}

const getPrototype = Object.getPrototypeOf;
const getOwn = Object.getOwnPropertyDescriptor;
const natural = new Set<unknown>([Object.prototype, Array.prototype, null]);

/** Why a value of this brand can never be kept, whatever it holds. */
export function unsaveableBrand(value: object, brand: Brand): string | undefined {
  switch (brand) {
    case "proxy":
      return "is a Proxy";
    case "promise":
      return "is a promise";
    case "generator":
      return "is a running generator";
    case "iterator":
      return "is an iterator";
    case "weak":
      return `is ${withArticle(className(value) ?? "weak collection")}`;
    case "array": {
      const length = Number(getOwn(value, "length")?.value);
      if (length > MAX_SPARSE) return `is an array with a length of ${length}`;
      return undefined;
    }
    case "buffer":
      return isDetached(value) ? "is a detached ArrayBuffer" : undefined;
    case "view":
      return viewFault(value);
    case "boxed":
      return typeof boxedValue(value) === "symbol" ? "is a boxed symbol" : undefined;
  }
  return undefined;
}

/**
 * Why an object cannot be kept because of its classes.
 * @param reasonOf Tells why the class of an instance cannot be kept, or that it has private state.
 */
export function unsaveableClass(
  value: object,
  reasonOf: (constructor: object) => string | undefined,
): string | undefined {
  let prototype = getPrototype(value) as object | null;
  if (natural.has(prototype)) return undefined;
  for (; prototype !== null; prototype = getPrototype(prototype) as object | null) {
    if (isProxy(prototype)) return "has a Proxy as its prototype";
    const name = intrinsicName(prototype);
    if (name !== undefined) {
      const fits = typeof value === "function" || /\.prototype$|^%/.test(name);
      if (fits && isOrdinaryPrototype(name)) continue;
      return `is ${withArticle(className(value) ?? name.replace(/\.prototype$/, ""))}`;
    }
    const constructor = getOwn(prototype, "constructor")?.value as unknown;
    if (typeof constructor !== "function" || isProxy(constructor)) continue;
    if (getOwn(constructor, "prototype")?.value !== prototype) continue;
    const reason = reasonOf(constructor);
    if (reason !== undefined) {
      return `is ${withArticle(className(value) ?? "class instance")}${reason}`;
    }
  }
  return undefined;
}

/** One value on its way into the table. */
export interface Item {
  readonly value: unknown;
  readonly brand: Brand | "symbol";
  readonly index: number;
  readonly depth: number;
  readonly parent: Item | undefined;
  /** This value's part of the path: `.rows`, `.get("a")`, or an array index. */
  readonly segment: string | number;
}

/** What the table cannot say: applied after the table is read, in this order. */
export interface Patch {
  readonly operation: string;
  readonly item: Item | undefined;
  readonly target: unknown;
  readonly values: readonly { readonly value: unknown; readonly segment: string | number }[];
}

/** What a row writer needs of the table. */
export interface Table {
  readonly context: EncodeContext;
  readonly definitions: Definitions;
  readonly capBytes: number;
  readonly patches: Patch[];
  /** Patches that come after all others: they make objects refuse the others. */
  readonly late: Patch[];
  /** The index that stands for a value, or `LOST`. */
  ref(value: unknown, parent: Item, segment: string | number): number;
  /** Whether a reader that meets the value here has to go into it. */
  isOpen(value: unknown): boolean;
  row(index: number, text: string): void;
  /** Names a part that is not kept. */
  lose(parent: Item, segment: string | number, reason: string): void;
}

/** Stands for a value that is not kept. */
export const LOST = -100;
