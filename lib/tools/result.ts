import { isRecord } from "../config_checks.ts";
import { RlmError } from "../errors.ts";
import { inertLine } from "../inert_text.ts";
import { pathStep } from "../schema/json_value.ts";

/** Levels of nesting that a result may have. */
const MAX_DEPTH = 1_000;

/** Built-in objects that the sandbox gets as they are. */
const KEPT = [Date, RegExp, URL, URLSearchParams, ArrayBuffer, DataView, Error];

/**
 * The result of a tool as a value that can enter the sandbox: plain data, Map, Set, Date, typed
 * arrays and the like. Instances of other classes, such as rows of a database driver, become what
 * their `toJSON` says, else plain objects of their own properties without methods.
 *
 * @throws {RlmError} `tool`, naming the place, for a function, a stream or whatever has no value
 */
export function plainResult(tool: string, value: unknown): unknown {
  const seen = new Map<object, unknown>();
  const path: (string | number)[] = [];
  const refuse = (what: string): never => {
    const at = path.length === 0 ? "" : ` at ${inertLine(path.map(pathStep).join(""), 200)}`;
    throw new RlmError(
      "tool",
      `Cannot use the result of tools.${tool}: it has ${what}${at}; let the tool return plain data`,
    );
  };
  const within = (key: string | number, item: unknown): unknown => {
    path.push(key);
    if (path.length > MAX_DEPTH) {
      path.length = 20;
      refuse(`more than ${MAX_DEPTH} levels`);
    }
    const result = visit(item);
    path.pop();
    return result;
  };
  const visit = (item: unknown): unknown => {
    if (typeof item === "function") return refuse("a function");
    if (typeof item === "symbol") return refuse("a symbol");
    if (typeof item !== "object" || item === null) return item;
    const known = seen.get(item);
    if (known !== undefined) return known;
    return copy(item);
  };
  const keep = <T extends object>(item: object, made: T): T => {
    seen.set(item, made);
    return made;
  };
  const copy = (item: object): unknown => {
    if (Array.isArray(item)) {
      const list: unknown[] = keep(item, []);
      for (let i = 0; i < item.length; i++) list[i] = within(i, item[i]);
      return list;
    }
    if (item instanceof Map) {
      const map = keep(item, new Map<unknown, unknown>());
      for (const [key, entry] of item) map.set(visit(key), within(String(key), entry));
      return map;
    }
    if (item instanceof Set) {
      const set = keep(item, new Set<unknown>());
      for (const entry of item) set.add(visit(entry));
      return set;
    }
    if (ArrayBuffer.isView(item)) {
      // A Buffer is a Uint8Array to everyone else.
      return item instanceof Uint8Array ? keep(item, Uint8Array.from(item)) : item;
    }
    if (KEPT.some((type) => item instanceof type)) return item;
    const plain = isRecord(item);
    const { toJSON } = item as { toJSON?: unknown };
    if (!plain && typeof toJSON === "function") return visit(toJSON.call(item, ""));
    if (!plain && isLive(item)) return refuse(`a ${inertLine(nameOf(item), 60)}`);
    const object = keep(
      item,
      Object.create(plain ? Object.getPrototypeOf(item) : Object.prototype),
    );
    for (const key of Object.keys(item)) {
      const part: unknown = (item as Record<string, unknown>)[key];
      if (!plain && typeof part === "function") continue;
      const value = within(key, part);
      // Not by assignment, which a key named __proto__ would turn into something else.
      Object.defineProperty(object, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    return object;
  };
  return visit(value);
}

const nameOf = (item: object): string => item.constructor?.name || "object without a class";

/** Objects whose value lies outside their properties. */
function isLive(item: object): boolean {
  return item instanceof Promise || item instanceof WeakMap || item instanceof WeakSet ||
    item instanceof WeakRef || item instanceof Response || item instanceof Request ||
    item instanceof Blob || Symbol.asyncIterator in item || Symbol.iterator in item;
}
