/**
 * Checks for single config values. A check takes a value of any origin and gives the value that the
 * engine uses, or says what it expected; it never throws and never guesses.
 */

import { grouped } from "../repl/grouped.ts";

/** The outcome of a check. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string };

/** How a value is checked, from a real value or from the text of a flag or variable. */
export interface Check {
  /** What a valid value looks like, for errors: "a whole number from 0". */
  readonly expected: string;
  /** `text` is true for flags and environment variables, where everything is a string. */
  check(value: unknown, text: boolean): Checked;
}

const good = (value: unknown): Checked => ({ ok: true, value });

function make(
  expected: string,
  test: (value: unknown, text: boolean) => Checked | undefined,
): Check {
  return { expected, check: (value, text) => test(value, text) ?? { ok: false, expected } };
}

/** A number as people write it on a command line: digits, one dot, an exponent; no hex, no blanks. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toNumber(value: unknown, text: boolean): number | undefined {
  if (text && typeof value === "string" && NUMBER.test(value)) return Number(value);
  return !text && typeof value === "number" ? value : undefined;
}

/** A number within bounds, both included. `none` lets the word "none" (or Infinity) switch a limit off. */
export function number(
  min: number,
  max: number,
  options: { whole?: boolean; none?: boolean } = {},
): Check {
  const check: Check = {
    // Put together when an error needs it: for all settings it is 0.4 ms of every start.
    get expected() {
      const kind = options.whole ? "a whole number" : "a number";
      const none = options.none ? ', or "none"' : "";
      return `${kind} from ${grouped(min)} to ${grouped(max)}${none}`;
    },
    check(value, text) {
      if (options.none && (value === "none" || value === Infinity)) return good(Infinity);
      const n = toNumber(value, text);
      const inBounds = n !== undefined && n >= min && n <= max;
      if (!inBounds || (options.whole && !Number.isInteger(n))) {
        return { ok: false, expected: check.expected };
      }
      return good(n === 0 ? 0 : n); // -0 is a way to write 0
    },
  };
  return check;
}

/** Any string that is not blank. */
export const text: Check = make(
  "a text that is not empty",
  (value) => typeof value === "string" && value.trim() !== "" ? good(value) : undefined,
);

/** A path that is not blank and that an operating system can hold. */
export const path: Check = make(
  "a path",
  (value) =>
    typeof value === "string" && value.trim() !== "" && !value.includes("\0")
      ? good(value)
      : undefined,
);

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/**
 * Whether `id` can be one path segment on every system, so that a session made here opens there:
 * letters, digits, `.`, `_` and `-`, not a name that Windows reserves, no dot at either end.
 */
export function isPortableName(id: string): boolean {
  return id.length <= 100 && /^[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$/.test(id) &&
    !RESERVED.test(id);
}

/** One portable path segment. */
export const portableName: Check = make(
  "one name of up to 100 letters, digits, dots, dashes and underscores",
  (value) => typeof value === "string" && isPortableName(value) ? good(value) : undefined,
);

const WORDS = new Map([["true", true], ["yes", true], ["false", false], ["no", false]]);

/** A boolean, or one of `words`; on the command line yes and no as well. */
export function booleanOr(...words: string[]): Check {
  const named = words.map((word) => `, or "${word}"`).join("");
  const expected = `true or false${named}`;
  const asText = `${["yes", ...words].join(", ")} or no`;
  return {
    expected,
    check(value, isText) {
      if (typeof value === "string" && words.includes(value)) return good(value);
      const known = isText ? WORDS.get(String(value).toLowerCase()) : value;
      if (typeof known === "boolean") return good(known);
      return { ok: false, expected: isText ? asText : expected };
    },
  };
}

/** Whether `value` is an object with named values: no array, no instance of a class. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const proto = Object.getPrototypeOf(value);
  return proto === null || proto === Object.prototype ||
    Object.getPrototypeOf(proto) === null; // a plain object of another realm
}

/** An object with named values. */
export const record: Check = make(
  "an object with named values",
  (value) => isRecord(value) ? good(value) : undefined,
);

/** An object whose values are all text. */
export const textRecord: Check = make(
  "an object whose values are texts",
  (value) =>
    isRecord(value) && Object.values(value).every((v) => typeof v === "string")
      ? good(value)
      : undefined,
);

/** A list of names. */
export const nameList: Check = make(
  "a list of names",
  (value) =>
    Array.isArray(value) && value.every((v) => typeof v === "string" && v !== "")
      ? good(value)
      : undefined,
);

/** Any object, such as a JSON Schema, a Zod type or a Standard Schema; those may be functions too. */
export const schema: Check = make(
  "a JSON Schema, a Zod type or a Standard Schema",
  (value) =>
    typeof value === "boolean" || typeof value === "function" ||
      (typeof value === "object" && value !== null && !Array.isArray(value))
      ? good(value)
      : undefined,
);

/** The name of a model, or an object that answers for one. */
export const model: Check = make(
  "the name of a model, such as openrouter/anthropic/claude-sonnet-4.5 or replay:FILE",
  (value) => {
    if (typeof value === "string") return value.trim() === "" ? undefined : good(value.trim());
    if (typeof value !== "object" || value === null) return undefined;
    const { generate, doGenerate } = value as { generate?: unknown; doGenerate?: unknown };
    return typeof generate === "function" || typeof doGenerate === "function"
      ? good(value)
      : undefined;
  },
);

/**
 * Servers by name, each with a `command` (stdio) or a `url` (HTTP). The wrapper `{mcpServers: {…}}`
 * that Claude Desktop writes is taken off.
 */
export const mcpServers: Check = make(
  "servers by name, each with a command or a url",
  (value) => {
    const inner = isRecord(value) && isRecord(value["mcpServers"]) ? value["mcpServers"] : value;
    const valid = isRecord(inner) &&
      Object.values(inner).every((server) =>
        isRecord(server) &&
        (typeof server["command"] === "string" || typeof server["url"] === "string")
      );
    return valid ? good(inner) : undefined;
  },
);
