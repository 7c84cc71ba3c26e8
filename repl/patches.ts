import { intrinsicName, isMap, isSet } from "./intrinsics.ts";
import { DecodeError } from "./table.ts";

type Target = object;

function damaged(): never {
  throw new DecodeError("the saved text is damaged: a patch");
}

function target(value: unknown): Target {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") damaged();
  // A patch of a built-in would change the realm and not a value.
  if (intrinsicName(value) !== undefined) damaged();
  return value as Target;
}

function key(value: unknown): PropertyKey {
  if (typeof value !== "string" && typeof value !== "symbol" && typeof value !== "number") {
    damaged();
  }
  return value as PropertyKey;
}

function define(object: Target, name: PropertyKey, descriptor: PropertyDescriptor): void {
  // On a class of the agent a re-run initialiser may have fixed the property already.
  if (!Reflect.defineProperty(object, name, descriptor)) damaged();
}

function accessors(get: unknown, set: unknown): PropertyDescriptor {
  const descriptor: PropertyDescriptor = {};
  if (typeof get === "function") descriptor.get = get as () => unknown;
  else if (get !== undefined) damaged();
  if (typeof set === "function") descriptor.set = set as (value: unknown) => void;
  else if (set !== undefined) damaged();
  return descriptor;
}

/**
 * Applies one patch of a payload: what the table cannot say. The rows are
 * `[operation, target, …values]`:
 * `put` key value, `entry` key value (Map), `member` value (Set), `property` key flags value,
 * `accessor` key flags get set, `prototype` object or name of a built-in, `variable` (target: scope)
 * name value, `freeze`, `seal`, `prevent`, `keep`.
 */
export function applyPatch(
  row: unknown,
  scopes: readonly ((name: string, value: unknown) => void)[],
  prototypeAt: (name: string) => object | null,
): void {
  if (!Array.isArray(row)) damaged();
  const [operation, subject, a, b, c, d] = row as unknown[];
  switch (operation) {
    case "put":
      return define(target(subject), key(a), {
        value: b,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    case "entry":
      if (!isMap(subject)) damaged();
      return void Map.prototype.set.call(subject as Map<unknown, unknown>, a, b);
    case "member":
      if (!isSet(subject)) damaged();
      return void Set.prototype.add.call(subject as Set<unknown>, a);
    case "property": {
      const flags = Number(b);
      return define(target(subject), key(a), {
        value: c,
        writable: (flags & 1) !== 0,
        enumerable: (flags & 2) !== 0,
        configurable: (flags & 4) !== 0,
      });
    }
    case "accessor": {
      const flags = Number(b);
      return define(target(subject), key(a), {
        ...accessors(c, d),
        enumerable: (flags & 2) !== 0,
        configurable: (flags & 4) !== 0,
      });
    }
    case "prototype": {
      // Only a class may inherit from a constructor.
      if (typeof a === "string" && typeof subject !== "function" && !/\.prototype$|^%/.test(a)) {
        damaged();
      }
      const prototype = typeof a === "string" ? prototypeAt(a) : a === null ? null : target(a);
      if (!Reflect.setPrototypeOf(target(subject), prototype)) damaged();
      return;
    }
    case "variable": {
      const set = scopes[Number(subject)];
      if (set === undefined || typeof a !== "string") damaged();
      return set(a, b);
    }
    case "freeze":
      return void Object.freeze(target(subject));
    case "seal":
      return void Object.seal(target(subject));
    case "prevent":
      return void Object.preventExtensions(target(subject));
    case "keep":
      return;
    default:
      damaged();
  }
}
