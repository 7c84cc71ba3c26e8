/**
 * Takes from the worker's global everything that is not on the list, on every path: the global's
 * prototype chain, events, stack-trace hooks, and the evaluators (`guards.ts`).
 */
import { fix, freezePlatform, guardRealm } from "./guards.ts";

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

const {
  defineProperty,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  setPrototypeOf,
} = Object;
const { call } = Function.prototype;

interface CallSite {
  getScriptNameOrSourceURL(): string | null;
  getFunctionName(): string | null;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** Scripts of agent code are named like this; frames of any other script are never shown. */
export const AGENT_SCRIPT = /^(?:step|saved)-/;

/**
 * Stacks hold frames of agent code only. V8 asks the global's `Error` for the hook, so both are fixed:
 * frames would tell an agent functions, receivers and files of the engine.
 */
function guardStacks(global: object): void {
  fix(global, "Error", Error);
  const isAgent = call.bind(RegExp.prototype.exec, AGENT_SCRIPT) as (text: string) => unknown;
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
  for (const key of ["createObjectURL", "revokeObjectURL"]) {
    Reflect.deleteProperty(global["URL"] as object, key);
  }
  guardRealm();
  guardStacks(global);
  setPrototypeOf(global, Object.prototype);
  freezePlatform();
  for (const key of [...getOwnPropertyNames(global), ...getOwnPropertySymbols(global)]) {
    if (typeof key === "string" && ALLOWED_GLOBALS.has(key)) continue;
    if (!Reflect.deleteProperty(global, key)) {
      throw new Error(`Cannot lock the sandbox down: ${String(key)} cannot be removed`);
    }
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
    const descriptor = getOwnPropertyDescriptor(global, key)!;
    if ("value" in descriptor) continue;
    const value = global[key];
    defineProperty(global, key, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }
  return new Set(getOwnPropertyNames(global));
}
