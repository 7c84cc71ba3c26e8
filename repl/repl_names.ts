/**
 * The REPL's own names: what agent code calls. They are put back before every step, so that an
 * assignment to one of them lasts no longer than the step that made it, and none of them can be
 * used to fake a result: FINAL's value is kept here, out of reach.
 */
import { type Body, encodeBody } from "./body.ts";
import type { Bridge } from "./bridge.ts";
import type { ReplSetup } from "./protocol.ts";

/** Every name the REPL owns; never swept. */
export const REPL_NAMES: readonly string[] = [
  "context",
  "FINAL",
  "llm_query",
  "batch_llm_query",
  "llm_complete",
  "commit",
  "tools",
  "env",
  "print",
  "console",
];

/** A FINAL value, encoded at the moment of the call. */
export interface FinalValue extends Body {
  readonly loss: readonly string[];
}

/** What the step loop needs of the names. */
export interface ReplNames {
  /** Puts the names back; returns those that agent code had replaced. */
  restore(): string[];
  /** The value of the first FINAL since the last call. */
  takeFinal(): FinalValue | undefined;
  /** Committed names and their notes, in order. */
  readonly commits: Map<string, string | undefined>;
  /** Names committed in this step that are still to be checked, for their errors. */
  takeUnchecked(): string[];
}

/** What the names are made of. */
export interface NamesOptions {
  readonly global: Record<PropertyKey, unknown>;
  readonly bridge: Bridge;
  readonly setup: ReplSetup;
  readonly context: unknown;
  readonly print: (...args: unknown[]) => void;
  readonly console: object;
}

const { defineProperty, getOwnPropertyDescriptor, freeze } = Object;
const isArray = Array.isArray;
const NativePromise = Promise;
const NativeError = Error;
const NativeTypeError = TypeError;
const stringify = JSON.stringify;
const parse = JSON.parse;
const sourceOf = Function.prototype.call.bind(Function.prototype.toString) as (
  f: unknown,
) => string;

type Options = Record<string, unknown>;

/** Plain data only: what the caller passes as options travels as JSON. */
function plain(name: string, value: unknown): unknown {
  try {
    return parse(stringify(value));
  } catch {
    throw new NativeTypeError(`${name} must be plain data`);
  }
}

/** Checks and reduces the options of `llm_query` and `llm_complete`. */
function checkOptions(fn: string, options: unknown): Options {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || isArray(options)) {
    throw new NativeTypeError(`${fn} takes (context, {instruction, schema, tools, model})`);
  }
  const given = options as Options;
  const checked: Options = {};
  if (given["instruction"] !== undefined) {
    if (typeof given["instruction"] !== "string") {
      throw new NativeTypeError(`${fn}: instruction must be a string`);
    }
    checked["instruction"] = given["instruction"];
  }
  if (given["schema"] !== undefined) checked["schema"] = plain(`${fn}: schema`, given["schema"]);
  if (given["model"] !== undefined) checked["model"] = `${given["model"]}`;
  if (given["whole"] === true) checked["whole"] = true;
  const tools = given["tools"];
  if (tools !== undefined) {
    const list = isArray(tools) ? tools : [tools];
    const names: string[] = [];
    const functions: Record<string, string> = { __proto__: null } as unknown as Record<
      string,
      string
    >;
    for (let i = 0; i < list.length; i++) {
      const tool: unknown = list[i];
      if (typeof tool === "string") names[names.length] = tool;
      else if (typeof tool === "function" && tool.name !== "") {
        functions[tool.name] = sourceOf(tool);
      } else throw new NativeTypeError(`${fn}: tools are names of tools or named functions`);
    }
    checked["tools"] = names;
    checked["functions"] = functions;
  }
  return checked;
}

/** Installs nothing yet: `restore` does, before each step. */
export function createNames(options: NamesOptions): ReplNames {
  const { global, bridge, setup, context } = options;
  let final: FinalValue | undefined;
  let unchecked: string[] = [];
  const commits = new Map<string, string | undefined>();
  const setCommit = Function.prototype.call.bind(Map.prototype.set) as (
    m: unknown,
    k: string,
    v: string | undefined,
  ) => void;

  const FINAL = (...args: unknown[]): void => {
    if (bridge.disabled) return;
    const value = args[0];
    if (args.length > 1) throw new NativeTypeError("FINAL takes one value");
    if (typeof value === "function" || typeof value === "symbol") {
      throw new NativeTypeError(`FINAL cannot return a ${typeof value}`);
    }
    const encoded = encodeBody(value);
    final ??= encoded;
  };
  const ask = (
    fn: "llm_query" | "llm_complete",
    value: unknown,
    given: unknown,
  ): Promise<unknown> => {
    if (value === undefined) {
      throw new NativeTypeError(`${fn} needs a value: its first argument is undefined`);
    }
    return bridge.call(fn, checkOptions(fn, given), value);
  };
  const llm_query = (value: unknown, given?: unknown): Promise<unknown> =>
    new NativePromise((resolve) => resolve(ask("llm_query", value, given)));
  const llm_complete = (prompt: unknown, given?: unknown): Promise<unknown> =>
    new NativePromise((resolve) => {
      if (typeof prompt !== "string") {
        throw new NativeTypeError("llm_complete takes a string; put the text into the prompt");
      }
      resolve(ask("llm_complete", prompt, given));
    });
  const batch_llm_query = (items: unknown): Promise<unknown[]> =>
    new NativePromise((resolve) => {
      if (!isArray(items)) {
        throw new NativeTypeError("batch_llm_query takes an array of {context, instruction, …}");
      }
      const results: unknown[] = [];
      let left = items.length;
      if (left === 0) return resolve(results);
      for (let i = 0; i < items.length; i++) {
        const done = (value: unknown) => {
          defineProperty(results, i, {
            value,
            writable: true,
            enumerable: true,
            configurable: true,
          });
          if (--left === 0) resolve(results);
        };
        new NativePromise((settle) => settle(startItem(items[i]))).then(
          done,
          (error) => done(error instanceof NativeError ? error : new NativeError(`${error}`)),
        );
      }
    });
  const startItem = (item: unknown): unknown => {
    if (typeof item === "string") return llm_query(item);
    if (typeof item !== "object" || item === null) {
      throw new NativeTypeError("an item of batch_llm_query is {context, instruction, …}");
    }
    if (item instanceof NativePromise) return item;
    const { context: value, ...rest } = item as Options;
    return llm_query(value, rest);
  };
  const commit = (name: unknown, note?: unknown): void => {
    if (typeof name !== "string" || name === "") {
      throw new NativeTypeError(
        'commit takes the name of a variable as a string: commit("rows", "what it is")',
      );
    }
    if (note !== undefined && typeof note !== "string") {
      throw new NativeTypeError("commit: the note must be a string");
    }
    if (bridge.disabled) return;
    setCommit(commits, name, note);
    unchecked[unchecked.length] = name;
  };

  const owned: Record<string, unknown> = {
    context,
    FINAL,
    llm_complete,
    commit,
    tools: createTools(bridge),
    env: freeze({ ...setup.env }),
    print: options.print,
    console: options.console,
    ...(setup.recursive ? { llm_query, batch_llm_query } : {}),
  };
  const keys = Object.keys(owned);
  return {
    commits,
    restore() {
      const replaced: string[] = [];
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i]!;
        const descriptor = getOwnPropertyDescriptor(global, key);
        if (descriptor && "value" in descriptor && descriptor.value === owned[key]) continue;
        if (descriptor) replaced[replaced.length] = key;
        defineProperty(global, key, {
          value: owned[key],
          writable: true,
          enumerable: false,
          configurable: true,
        });
      }
      return replaced;
    },
    takeFinal() {
      const taken = final;
      final = undefined;
      return taken;
    },
    takeUnchecked() {
      const taken = unchecked;
      unchecked = [];
      return taken;
    },
  };
}

/** `tools.name(args)` and `tools.server.name(args)`; the host knows which exist. */
function createTools(bridge: Bridge): object {
  const make = (path: string): object => {
    const target = path === ""
      ? {}
      : (args?: unknown) => bridge.call("tool", { name: path }, args === undefined ? {} : args);
    return new Proxy(target, {
      get(_, key) {
        if (typeof key !== "string" || key === "then" || key === "toJSON") return undefined;
        return make(path === "" ? key : `${path}.${key}`);
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
    });
  };
  return make("");
}
