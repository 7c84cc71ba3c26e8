import { isRecord } from "../config_checks.ts";
import { inertLine } from "../inert_text.ts";
import { showValue } from "../show_value.ts";
import { patternCost } from "./safe_pattern.ts";
import { type JsonSchema, resolve } from "./type_text.ts";

/** Parts of a schema, references followed: bounds what one validation costs. */
const MAX_PARTS = 2_000;
/** Values in a schema as it is written. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 40;

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const ONE = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const LIST = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const NAMED = new Set(["dependentSchemas", "patternProperties", "properties"]);
const STORES = new Set(["$defs", "definitions"]);
const REFUSED = new Set([
  "$anchor",
  "$data",
  "$dynamicAnchor",
  "$dynamicRef",
  "$id",
  "$recursiveAnchor",
  "$recursiveRef",
  "$vocabulary",
  "dependencies",
  "id",
  "nullable",
  "discriminator",
]);

/** A schema that agent code wrote was refused; the message says why, for the agent. */
export class AgentSchemaError extends Error {
  override readonly name = "AgentSchemaError";
}

/**
 * A copy of a schema that agent code wrote, fit to be compiled and run on the host. Agent code is
 * not trusted, so only what is bounded passes: plain data, at most 2,000 parts with references
 * followed, only local references and no cycles of them, no pattern that backtracks without bound,
 * `uniqueItems` for plain items only. Formats are not checked. `size` says what checking one value
 * against it costs at most.
 *
 * @throws {AgentSchemaError} naming the place in the schema
 */
export function checkAgentSchema(schema: unknown): { schema: JsonSchema; size: number } {
  const budget = { left: MAX_VALUES };
  const copy = plainCopy(schema, "schema", 0, budget);
  if (typeof copy !== "boolean" && !isRecord(copy)) {
    throw new AgentSchemaError(
      `Cannot use schema: it must be a JSON Schema object, current value is ${showValue(copy)}`,
    );
  }
  const state = { root: copy, open: new Set<unknown>(), parts: 0 };
  walk(copy, "schema", state);
  return { schema: copy as JsonSchema, size: state.parts + MAX_VALUES - budget.left };
}

/** JSON data only: no accessors, no prototypes, no shared objects that the sandbox may have made. */
function plainCopy(value: unknown, path: string, depth: number, budget: { left: number }): unknown {
  if (depth > MAX_DEPTH) refuse(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (--budget.left < 0) refuse("schema", "has more than 20,000 values in it");
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (value.length > 10_000) refuse(path, "holds a text of more than 10,000 characters");
    return value;
  }
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) {
    return value.map((item, i) => plainCopy(item, `${path}[${i}]`, depth + 1, budget));
  }
  if (!isRecord(value)) refuse(path, `is ${showValue(value)}, not plain JSON`);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") refuse(path, "has a key named __proto__");
    if (item !== undefined) copy[key] = plainCopy(item, `${path}.${key}`, depth + 1, budget);
  }
  return copy;
}

interface Walk {
  readonly root: unknown;
  /** Schemas being walked: meeting one again is a cycle. */
  readonly open: Set<unknown>;
  parts: number;
}

function walk(schema: unknown, path: string, state: Walk): void {
  if (typeof schema === "boolean") return;
  if (!isRecord(schema)) refuse(path, "must be a schema, an object");
  if (state.open.has(schema)) {
    refuse(path, "refers to itself; spell out as many levels as you need");
  }
  if (++state.parts > MAX_PARTS) refuse("schema", `has more than ${MAX_PARTS} parts`);
  state.open.add(schema);
  for (const [key, value] of Object.entries(schema)) {
    const at = `${path}.${key}`;
    if (REFUSED.has(key)) refuse(at, "is not supported here; leave it out");
    else if (key === "$ref") follow(value, at, state);
    else if (key === "pattern") checkPattern(value, at);
    else if (key === "uniqueItems") checkUnique(schema, at);
    else if (NAMED.has(key) && isRecord(value)) {
      for (const [name, part] of Object.entries(value)) {
        if (key === "patternProperties") checkPattern(name, at);
        walk(part, `${at}.${name}`, state);
      }
    } else if (LIST.has(key) && Array.isArray(value)) {
      value.forEach((part, i) => walk(part, `${at}[${i}]`, state));
    } else if (ONE.has(key)) walk(value, at, state);
    else if (STORES.has(key)) continue; // walked where they are referred to
  }
  state.open.delete(schema);
}

function follow(ref: unknown, path: string, state: Walk): void {
  const target = typeof ref === "string" ? resolve(ref, state.root) : undefined;
  if (target === undefined) {
    refuse(path, `must name a part of this schema, such as #/$defs/item, is ${showValue(ref)}`);
  }
  walk(target, path, state);
}

function checkPattern(pattern: unknown, path: string): void {
  if (typeof pattern !== "string") refuse(path, "must be a text");
  try {
    new RegExp(pattern, "u");
  } catch {
    refuse(path, "is no regular expression");
  }
  if (patternCost(pattern) === undefined) {
    refuse(path, "is too complex to run on the host; simplify it or check the value in your code");
  }
}

/** ajv compares every pair of items unless their type is plain. */
function checkUnique(schema: Record<string, unknown>, path: string): void {
  const items = schema["items"];
  const type = isRecord(items) ? items["type"] : undefined;
  if (schema["uniqueItems"] === true && !["string", "number", "integer"].includes(String(type))) {
    refuse(path, "is supported for items of type string, number or integer only");
  }
}

function refuse(path: string, why: string): never {
  const shown = inertLine(path, 120);
  throw new AgentSchemaError(`Cannot use schema: ${shown} ${why}`);
}
