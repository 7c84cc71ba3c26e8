import { cut, inertLine } from "./inert_text.ts";

/**
 * A value as an error may show it: on one line, inert, at most 60 characters of a text; only the
 * shape of anything that holds other values, which may be large or secret.
 */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value === "" ? "empty" : inertLine(JSON.stringify(cut(value, 60)), 400);
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "bigint":
      return `${value}n`;
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    default:
      if (value === null) return "empty";
      return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  }
}

/** A name or path as an error may write it without quotes: on one line, inert, of bounded length. */
export function showName(name: string): string {
  return inertLine(name, 300);
}
