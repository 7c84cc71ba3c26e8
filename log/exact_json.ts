/** Nesting beyond which a value is not taken for JSON. */
const MAX_DEPTH = 200;

/**
 * Whether JSON keeps a value exactly: plain objects and lists of finite numbers, texts, booleans and
 * null; no cycle, no `undefined`, no class, no `toJSON`, no number that JSON turns to something else.
 */
export function isExactJson(value: unknown): boolean {
  return isExact(value, new Set());
}

function isExact(value: unknown, above: Set<object>): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || above.has(value) || above.size >= MAX_DEPTH) return false;
  const prototype = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!isPlain || "toJSON" in value) return false;
  above.add(value);
  // Array.from, so that a hole is seen as the undefined that it reads as.
  const parts = Array.isArray(value) ? Array.from(value) : Object.values(value);
  const isAll = parts.every((part) => isExact(part, above));
  above.delete(value);
  return isAll;
}
