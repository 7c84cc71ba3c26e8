import { grouped } from "../repl/grouped.ts";

/**
 * An answer as the ledger stores it: the value itself where JSON keeps it exactly, else the text
 * that an agent would see; longer than `max` characters, the beginning of its text.
 * `undefined` stays `undefined`.
 */
export function finalAsJson(value: unknown, max: number): unknown {
  if (value === undefined) return undefined;
  if (typeof value === "string") return shortened(value, max);
  if (!isJson(value, new Set())) {
    return shortened(Deno.inspect(value, { depth: 6, strAbbreviateSize: Infinity }), max);
  }
  const json = JSON.stringify(value);
  return json.length <= max ? value : shortened(json, max);
}

/** The text of a stored answer: a string as it is, anything else as JSON. */
export function finalAsText(final: unknown): string {
  return typeof final === "string" ? final : JSON.stringify(final) ?? "undefined";
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const left = grouped(text.length - max);
  return `${text.slice(0, max)}\n… ${left} more characters`;
}

/** Whether JSON keeps the value exactly: no cycle, no `undefined`, no number that it turns to null. */
function isJson(value: unknown, above: Set<object>): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || above.has(value) || above.size > 200) return false;
  const prototype = Object.getPrototypeOf(value);
  const plain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!plain || "toJSON" in value) return false;
  above.add(value);
  const values = Array.isArray(value) ? Array.from(value) : Object.values(value);
  const all = values.every((part) => isJson(part, above));
  above.delete(value);
  return all;
}
