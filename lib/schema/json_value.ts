import { isRecord } from "../config_checks.ts";
import { inertLine } from "../inert_text.ts";

/** Levels of nesting that a validated value may have. */
const MAX_DEPTH = 500;

/** A key as it is written behind a path: `.name`, `[3]`, `["a b"]`. */
export function pathStep(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_$][\w$]{0,59}$/.test(key)
    ? `.${key}`
    : `[${inertLine(JSON.stringify(key), 60)}]`;
}

/** What a value is, where it is no JSON value, with what to use instead. */
function notJson(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${value} is no JSON value, use null or a text`;
    case "bigint":
      return "a bigint is no JSON value, use a number or a text";
    case "function":
    case "symbol":
      return `a ${typeof value} is no JSON value`;
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null || Array.isArray(value) || isRecord(value)) return undefined;
  if (value instanceof Map) return "a Map is no JSON value, use Object.fromEntries(map)";
  if (value instanceof Set) return "a Set is no JSON value, use [...set]";
  if (value instanceof Date) return "a Date is no JSON value, use date.toISOString()";
  if (value instanceof Promise) return "a Promise is no value, await it";
  const name: unknown = value.constructor?.name;
  const shown = typeof name === "string" && name !== "" ? inertLine(name, 40) : "object";
  return `an instance of ${shown} is no JSON value, use a plain object`;
}

/** What a walk through a value found. */
export interface JsonReport {
  /** Path and message of each part that is no JSON, as many as were asked for. */
  readonly problems: readonly string[];
  /** Values in it, as far as it was walked. */
  readonly size: number;
}

/**
 * Looks for parts of `value` that are no JSON. A JSON Schema describes JSON, and a validator would
 * take a Map for an empty object. Also bounds nesting, which the validator follows.
 *
 * @param max problems after which the walk ends
 */
export function inspectJson(value: unknown, max: number): JsonReport {
  const problems: string[] = [];
  const open = new Set<object>();
  const path: (string | number)[] = [];
  let size = 0;
  const report = (problem: string): void => {
    problems.push(`value${path.map(pathStep).join("")}: ${problem}`);
  };
  const visit = (item: unknown): void => {
    size++;
    const problem = notJson(item);
    if (problem !== undefined) return report(problem);
    if (typeof item !== "object" || item === null) return;
    if (open.has(item)) return report("refers to an object around it, which JSON cannot");
    if (path.length >= MAX_DEPTH) {
      path.length = 0;
      throw new RangeError(`is nested deeper than ${MAX_DEPTH} levels`);
    }
    open.add(item);
    const keys = Array.isArray(item) ? item.keys() : Object.keys(item);
    for (const key of keys) {
      if (problems.length >= max) break;
      path.push(key);
      visit((item as Record<string | number, unknown>)[key]);
      path.pop();
    }
    open.delete(item);
  };
  try {
    visit(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(error.message);
  }
  return { problems, size };
}
