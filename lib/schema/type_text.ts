import { isRecord } from "../config_checks.ts";
import { inertLine } from "../inert_text.ts";

/** A JSON Schema. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** Nesting and characters of a type text; what lies deeper is `unknown`, what is longer is cut. */
const MAX_DEPTH = 8;
const MAX_NOTE = 120;

/**
 * A JSON Schema as a TypeScript type on one line, the form that costs a model the fewest tokens.
 * Descriptions and bounds stand in comments.
 * What TypeScript cannot say is left out: the text is for reading, validation uses the schema.
 */
export function typeText(schema: unknown): string {
  return text(schema, schema, 0);
}

function text(schema: unknown, root: unknown, depth: number): string {
  if (schema === false) return "never";
  if (!isRecord(schema) || depth > MAX_DEPTH) return "unknown";
  if (typeof schema["$ref"] === "string") {
    const target = resolve(schema["$ref"], root);
    return target === undefined ? "unknown" : text(target, root, depth + 1);
  }
  const type = bare(schema, root, depth);
  const note = noteOf(schema);
  return note === "" ? type : `${type} /* ${note} */`;
}

function bare(schema: Readonly<Record<string, unknown>>, root: unknown, depth: number): string {
  if ("const" in schema) return literal(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map(literal).join(" | ");
  for (const key of ["anyOf", "oneOf"]) {
    const options = schema[key];
    if (Array.isArray(options)) {
      return [...new Set(options.map((option) => text(option, root, depth + 1)))].join(" | ");
    }
  }
  if (Array.isArray(schema["allOf"]) && schema["properties"] === undefined) {
    return schema["allOf"].map((part) => text(part, root, depth + 1)).join(" & ");
  }
  const types: unknown[] = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  return types.map((type) => oneType(type, schema, root, depth)).join(" | ");
}

function oneType(
  type: unknown,
  schema: Readonly<Record<string, unknown>>,
  root: unknown,
  depth: number,
): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return arrayText(schema, root, depth);
    case "object":
      return objectText(schema, root, depth);
    default:
      if (isRecord(schema["properties"])) return objectText(schema, root, depth);
      return schema["items"] !== undefined ? arrayText(schema, root, depth) : "unknown";
  }
}

function arrayText(
  schema: Readonly<Record<string, unknown>>,
  root: unknown,
  depth: number,
): string {
  const tuple = schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : 0);
  if (Array.isArray(tuple)) {
    return `[${tuple.map((item) => text(item, root, depth + 1)).join(", ")}]`;
  }
  const item = text(schema["items"], root, depth + 1);
  return /^[\w.]+$|^\{[^{}|]*\}$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function objectText(
  schema: Readonly<Record<string, unknown>>,
  root: unknown,
  depth: number,
): string {
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = properties.map(([key, value]) =>
    `${propertyName(key)}${required.includes(key) ? "" : "?"}: ${text(value, root, depth + 1)}`
  );
  const rest = schema["additionalProperties"];
  if (isRecord(rest)) fields.push(`[key: string]: ${text(rest, root, depth + 1)}`);
  if (fields.length === 0) return rest === false ? "{}" : "Record<string, unknown>";
  return `{ ${fields.join("; ")} }`;
}

const propertyName = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? key : inertLine(JSON.stringify(key), 100);

const literal = (value: unknown): string => inertLine(JSON.stringify(value) ?? "undefined", 200);

/** What a type cannot say: description and bounds, on one line, unable to end its comment. */
function noteOf(schema: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  if (schema["type"] === "integer") parts.push("integer");
  const span = (low: unknown, high: unknown, unit: string): void => {
    if (low === undefined && high === undefined) return;
    const from = low === undefined ? "" : `from ${showNumber(low)}`;
    const to = high === undefined ? "" : `to ${showNumber(high)}`;
    parts.push([from, to, unit].filter((word) => word !== "").join(" "));
  };
  span(schema["minimum"], schema["maximum"], "");
  span(schema["minLength"], schema["maxLength"], "characters");
  span(schema["minItems"], schema["maxItems"], "items");
  for (const key of ["format", "pattern", "description"]) {
    const value = schema[key];
    if (typeof value === "string" && value !== "") parts.push(value);
  }
  return inertLine(parts.join(", "), MAX_NOTE).replaceAll("*/", "* /");
}

const showNumber = (value: unknown): string => typeof value === "number" ? String(value) : "?";

/** The target of a local reference: `#`, `#/$defs/x`. Undefined for any other. */
export function resolve(ref: string, root: unknown): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = unescapePointer(part);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function unescapePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // not percent-encoded: taken as it stands
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
