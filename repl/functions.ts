import { isAsyncFunction, isGeneratorFunction } from "./intrinsics.ts";
import type { SweptFunction } from "./snapshot.ts";

/** What a function is, as far as its text and brand tell. */
export interface FunctionText {
  /** As written by the agent. */
  readonly source: string;
  readonly kind: SweptFunction["kind"];
  /** Why the function can never be saved; undefined where it can. */
  readonly reason?: string;
}

const toText = Function.prototype.toString;
const apply = Reflect.apply;
const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;
const PLAIN = /^(?:async\b\s*)?function\b/;
const CLASS = /^class\b/;
const ARROW = /^(?:async\b\s*)?(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\([^()]*\))\s*=>/u;
/** A computed name that has no effect and is the same in every process. */
const SAFE_KEY = /^\[\s*(?:Symbol\.\w+|\d+|"[^"\\\n]*"|'[^'\\\n]*')\s*\]/;
/** A private name that is read, tested or called; `#fff` in a string is not followed by this. */
const PRIVATE_USE = /(?:[\w$)\]]\??\.|[\s(!]|^)#[\p{ID_Start}$_][\p{ID_Continue}$]*\b/u;

/** Sources of restored functions, whose text the generated code around them may have changed. */
const restored = new WeakMap<object, string>();

/** Remembers the source that a function was restored from. */
export function rememberSource(fn: object, source: string): void {
  restored.set(fn, source);
}

/** The text of a live function, from `Function.prototype.toString` as it was at the start. */
export function sourceOf(fn: object): string {
  return restored.get(fn) ?? String(apply(toText, fn, []));
}

/** Tells source and kind of a live function, without calling it. */
export function describeFunction(fn: object): FunctionText {
  const source = sourceOf(fn);
  if (CLASS.test(source)) return { source, kind: "class" };
  const generator = isGeneratorFunction(fn);
  const kind = isAsyncFunction(fn)
    ? generator ? "async generator" : "async function"
    : generator
    ? "generator"
    : isMethodText(source)
    ? "method"
    : "function";
  if (NATIVE.test(source)) return { source, kind, reason: "is a native or bound function" };
  return { source, kind };
}

const caller = Object.getOwnPropertyDescriptor(Function.prototype, "caller")?.get;

/** Whether an ordinary function is strict though its own text may not say so: only those hide their caller. */
export function isStrict(fn: object, source: string): boolean {
  if (caller === undefined || !PLAIN.test(source)) return false;
  try {
    apply(caller, fn, []);
    return false;
  } catch {
    return true;
  }
}

/** Whether a text is a method of an object or class: `len() {}`, `get n() {}`, `async *g() {}`. */
export function isMethodText(source: string): boolean {
  return !PLAIN.test(source) && !CLASS.test(source) && !isArrowText(source);
}

/** Whether a text is an arrow function. */
export function isArrowText(source: string): boolean {
  if (PLAIN.test(source) || CLASS.test(source)) return false;
  if (ARROW.test(source)) return true;
  const open = /^(?:async\b(?:\s|\/\*[^]*?\*\/)*)?\(/.exec(source);
  if (open === null) return false;
  const close = matching(source, open[0].length - 1);
  return /^\s*(?:\/\*[^]*?\*\/\s*)*=>/.test(source.slice(close + 1));
}

/** Whether a text uses a private name of the class that it was written in. */
export function usesPrivateNames(source: string): boolean {
  return PRIVATE_USE.test(source);
}

/** Whether a text mentions an identifier; true too often is safe, so strings and comments count. */
export function mentions(source: string, name: string): boolean {
  let from = 0;
  while (true) {
    const at = source.indexOf(name, from);
    if (at < 0) return false;
    const before = source[at - 1] ?? " ";
    const after = source[at + name.length] ?? " ";
    if (!/[\p{ID_Continue}$]/u.test(before) && !/[\p{ID_Continue}$]/u.test(after)) return true;
    from = at + 1;
  }
}

/** Index of the bracket that closes the one at `start`; the end of the text where none does. */
export function matching(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '"' || c === "'" || c === "`") {
      for (i++; i < text.length && text[i] !== c; i++) if (text[i] === "\\") i++;
    } else if (c === "(" || c === "[" || c === "{") depth++;
    else if ((c === ")" || c === "]" || c === "}") && --depth === 0) return i;
  }
  return text.length;
}

/** Method text with a computed name replaced: its expression must not run again. */
function plainName(source: string): string {
  const head = /^(?:(?:get|set|async)\b\s*)?(?:\*\s*)?/.exec(source)?.[0] ?? "";
  if (source[head.length] !== "[") return source;
  if (SAFE_KEY.test(source.slice(head.length))) return source;
  return `${head}computed${source.slice(matching(source, head.length) + 1)}`;
}

/**
 * An expression that makes the function of a source again; the object that holds a method with it.
 * @param strict Whether code around it has to make it strict.
 */
export function definition(source: string, strict = false): string {
  if (strict) return `(function(){"use strict";return(${source}\n)})()`;
  if (!isMethodText(source)) return `(${source}\n)`;
  const text = plainName(source);
  const part = /^get\b\s*[^\s(]/.test(text)
    ? "get"
    : /^set\b\s*[^\s(]/.test(text)
    ? "set"
    : "value";
  return `(o=>{for(const k of Reflect.ownKeys(o))` +
    `return Object.getOwnPropertyDescriptor(o,k).${part}})({${text}\n})`;
}

/** Code that defines a class with its superclass given, where the name it extends is gone. */
export function definitionWithSuper(source: string): string | undefined {
  const heritage =
    /^class(?:\s+[\p{ID_Start}$_][\p{ID_Continue}$]*)?\s+extends\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*\{/u
      .exec(source)?.[1];
  return heritage === undefined ? undefined : `(function(${heritage}){return(${source}\n)})`;
}

/** The text without strings, comments and regular expressions, near enough to look for words. */
export function codeOnly(source: string): string {
  return source.replace(
    /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g,
    (text) => text.startsWith("/") ? " " : '""',
  );
}

/** The text without what is in nested classes and functions, which have their own `this`. */
export function ownCode(source: string): string {
  let text = codeOnly(source);
  const nested = /\b(?:class|function)\b[^{]*\{/g;
  for (let found = nested.exec(text); found !== null; found = nested.exec(text)) {
    const open = found.index + found[0].length - 1;
    text = text.slice(0, found.index) + " " + text.slice(matching(text, open) + 1);
    nested.lastIndex = found.index;
  }
  return text;
}

/** Whether instances of a class have private fields or methods, which nothing outside can write. */
export function hasPrivateState(classSource: string): boolean {
  const declared =
    /(static\s+)?(?:(?:async|get|set|accessor)\s+)*\*?\s*(?<![\w$.\])]|\?\.)#[\p{ID_Start}$_][\p{ID_Continue}$]*(?!\s+in\b)/gu;
  for (const match of codeOnly(classSource).matchAll(declared)) {
    if (match[1] === undefined) return true;
  }
  return false;
}
