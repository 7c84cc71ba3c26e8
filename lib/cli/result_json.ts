/** Values in all that are rendered: shared parts of an answer can multiply without end. */
const MAX_VALUES = 2_000_000;
const MAX_DEPTH = 500;

/** What JSON leaves as it is and a terminal would act on: C1 controls and bidirectional marks. */
const ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Any value as JSON text of two-space indentation, whatever JSON has no form for:
 *
 * | value | rendered as |
 * |---|---|
 * | `undefined` | `null` |
 * | `NaN`, `Infinity`, `-Infinity` | their names as texts |
 * | bigint | its digits as a text |
 * | Map | an object where all keys are texts, else a list of pairs |
 * | Set, typed array, ArrayBuffer | a list |
 * | Date | ISO 8601 text, `null` for an invalid one |
 * | Error | `{name, message}` |
 * | URL, RegExp, symbol, function | a text |
 * | a value inside itself | `"[circular]"` |
 *
 * The text holds no character that a terminal acts on; escapes keep the value the same.
 *
 * @param maxValues objects and lists in all; those beyond are rendered as `"[too many values]"`
 */
export function toJsonText(value: unknown, maxValues: number = MAX_VALUES): string {
  const budget = { left: maxValues };
  const text = JSON.stringify(plain(value, [], budget), null, 2);
  return text.replace(
    ACTIVE,
    (char) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function plain(value: unknown, above: object[], budget: { left: number }): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return value.toString();
    case "symbol":
      return String(value);
    case "function":
      return `[function ${value.name || "without a name"}]`;
  }
  if (typeof value !== "object" || value === null) return null;
  if (above.includes(value)) return "[circular]";
  if (above.length >= MAX_DEPTH) return "[nested too deep]";
  if (--budget.left < 0) return "[too many values]";
  above.push(value);
  const inner = plainObject(value, (part) => plain(part, above, budget));
  above.pop();
  return inner;
}

/** An object for `JSON.stringify`; without a prototype, so that no `toJSON` is called. */
function record(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) out[key] = value;
  return out;
}

function plainObject(value: object, inner: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, inner);
  if (value instanceof Map) {
    const pairs = [...value];
    return pairs.every(([key]) => typeof key === "string")
      ? record(pairs.map(([key, item]) => [key, inner(item)]))
      : pairs.map(([key, item]) => [inner(key), inner(item)]);
  }
  if (value instanceof Set) return Array.from(value, inner);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof URL || value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return Array.from(new Uint8Array(value));
  if (value instanceof DataView) {
    return Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (ArrayBuffer.isView(value)) {
    return Array.from(value as unknown as ArrayLike<number | bigint>, inner);
  }
  const temporal = Object.prototype.toString.call(value).startsWith("[object Temporal.");
  if (temporal || value instanceof URLSearchParams) return String(value);
  return record(Object.entries(value).map(([key, item]) => [key, inner(item)]));
}
