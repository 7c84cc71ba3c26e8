/**
 * Takes from the worker's global everything that is not on the list, on every path: the global's
 * prototype chain, `eval` and the function constructors, string timers, and stack-trace hooks.
 */

/** What agent code may use besides the REPL's own names; everything else is deleted. */
export const ALLOWED_GLOBALS: ReadonlySet<string> = new Set(
  ("Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol " +
    "Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError " +
    "TypeError URIError SuppressedError globalThis JSON Math Intl ArrayBuffer SharedArrayBuffer " +
    "Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array " +
    "BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt " +
    "Set Iterator WeakMap WeakSet Proxy Reflect FinalizationRegistry WeakRef DisposableStack " +
    "AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape " +
    "unescape eval isFinite isNaN Temporal console queueMicrotask setTimeout clearTimeout " +
    "setInterval clearInterval AbortController AbortSignal DOMException TextDecoder TextEncoder " +
    "URL URLSearchParams atob btoa crypto performance structuredClone").split(" "),
);

/** Why code that would load a module is refused. */
export const NO_IMPORT =
  "modules cannot be imported in this REPL: use the JavaScript built-ins, context and the REPL's own functions";

/** `import` as a word of its own is the only way to write the keyword; escapes are not allowed. */
const IMPORT_WORD = /(?:^|[^\p{ID_Continue}$])import(?![\p{ID_Continue}$])/u;

const { defineProperty, getOwnPropertyNames, getOwnPropertySymbols, setPrototypeOf } = Object;
const { construct } = Reflect;
const test = RegExp.prototype.exec;
const call = Function.prototype.call;
const hasImport = call.bind(test, IMPORT_WORD) as (text: string) => unknown;

function refuseImport(text: string): void {
  if (hasImport(text) !== null) throw new TypeError(NO_IMPORT);
}

/** Fixes a property so that agent code can neither replace nor delete it. */
export function fix(target: object, key: PropertyKey, value: unknown): void {
  defineProperty(target, key, { value, writable: false, enumerable: false, configurable: false });
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Replaces the four function constructors by ones that check their text. */
function guardConstructors(global: Record<PropertyKey, unknown>): void {
  const samples = [
    () => {},
    async () => {},
    function* () {},
    async function* () {},
  ];
  let base: object | undefined;
  for (const sample of samples) {
    const prototype = Object.getPrototypeOf(sample) as { constructor: AnyFunction };
    const native = prototype.constructor;
    const guarded = function (this: unknown, ...args: unknown[]): unknown {
      const texts: string[] = [];
      for (let i = 0; i < args.length; i++) {
        const text = `${args[i]}`;
        refuseImport(text);
        defineProperty(texts, i, {
          value: text,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      // Comments cannot join the pieces into a new keyword: each piece is tokenised whole.
      return new.target === undefined
        ? construct(native, texts)
        : construct(native, texts, new.target as unknown as AnyFunction);
    };
    defineProperty(guarded, "name", { value: native.name });
    defineProperty(guarded, "length", { value: 1 });
    fix(guarded, "prototype", prototype);
    fix(prototype, "constructor", guarded);
    if (base) setPrototypeOf(guarded, base);
    else {
      base = guarded;
      defineProperty(global, "Function", {
        value: guarded,
        writable: true,
        enumerable: false,
        configurable: true,
      });
    }
  }
}

function guardEval(global: Record<PropertyKey, unknown>): void {
  const native = global["eval"] as (text: unknown) => unknown;
  const guarded = function eval_(text: unknown): unknown {
    if (typeof text !== "string") return text;
    refuseImport(text);
    return native(text);
  };
  defineProperty(guarded, "name", { value: "eval" });
  defineProperty(global, "eval", {
    value: guarded,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

interface CallSite {
  getScriptNameOrSourceURL(): string | null;
  getFunctionName(): string | null;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** Scripts of agent code are named like this; frames of any other script are never shown. */
export const AGENT_SCRIPT = /^(?:step|saved)-/;

/** Stacks hold frames of agent code only; the hook is fixed, so no CallSite reaches an agent. */
function guardStacks(): void {
  const isAgent = call.bind(test, AGENT_SCRIPT) as (text: string) => unknown;
  const header = call.bind(Error.prototype.toString) as (error: unknown) => string;
  fix(Error, "prepareStackTrace", (error: unknown, sites: readonly CallSite[]): string => {
    let text: string;
    try {
      text = header(error);
    } catch {
      text = "Error";
    }
    for (let i = 0; i < sites.length && i < 20; i++) {
      const site = sites[i]!;
      const script = site.getScriptNameOrSourceURL();
      if (typeof script !== "string" || isAgent(script) === null) continue;
      const name = site.getFunctionName();
      const at = `${script}:${site.getLineNumber()}:${site.getColumnNumber()}`;
      text += name ? `\n    at ${name} (${at})` : `\n    at ${at}`;
    }
    return text;
  });
}

/** Deno's runtime dispatches these on the global; nothing else may be dispatched there. */
export type LateFailure = { readonly kind: "rejection" | "error"; readonly value: unknown };

/**
 * Locks the global down. Call it once, after the evaluator is connected and every engine module is
 * loaded, and before any agent code runs.
 *
 * @returns the names that remain, none of which a sweep may take for agent variables
 * @throws {Error} where something that must go cannot be removed: the sandbox must not start then
 */
export function lockdown(
  global: Record<PropertyKey, unknown>,
  onLateFailure: (failure: LateFailure) => void,
): ReadonlySet<string> {
  guardConstructors(global);
  guardEval(global);
  guardStacks();
  setPrototypeOf(global, Object.prototype);
  for (const key of [...getOwnPropertyNames(global), ...getOwnPropertySymbols(global)]) {
    if (typeof key === "string" && ALLOWED_GLOBALS.has(key)) continue;
    if (!Reflect.deleteProperty(global, key)) {
      throw new Error(`Cannot lock the sandbox down: ${String(key)} cannot be removed`);
    }
  }
  for (const key of ["createObjectURL", "revokeObjectURL"]) {
    Reflect.deleteProperty(global["URL"] as object, key);
  }
  // Deno's runtime reports floating rejections and errors in timers through this very property.
  fix(global, "dispatchEvent", (event: {
    type?: string;
    reason?: unknown;
    error?: unknown;
    preventDefault?: () => void;
  }) => {
    const rejection = event?.type === "unhandledrejection";
    if (rejection || event?.type === "error") {
      event.preventDefault?.();
      onLateFailure({
        kind: rejection ? "rejection" : "error",
        value: rejection ? event.reason : event.error,
      });
    }
    return false;
  });
  for (const key of getOwnPropertyNames(global)) {
    const descriptor = Object.getOwnPropertyDescriptor(global, key)!;
    if ("value" in descriptor) continue;
    const value = global[key];
    defineProperty(global, key, { value, writable: true, enumerable: false, configurable: true });
  }
  return new Set(getOwnPropertyNames(global));
}
