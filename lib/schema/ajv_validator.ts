import type { ErrorObject, ValidateFunction } from "ajv";
import type { Validation } from "../output_schema.ts";
import { inertLine } from "../inert_text.ts";
import { showValue } from "../show_value.ts";
import { inspectJson, pathStep } from "./json_value.ts";
import { boundedEngine } from "./safe_pattern.ts";
import type { JsonSchema } from "./type_text.ts";

const MAX_ERRORS = 10;
/** Above this many values in a value, only the first error is looked for. */
const ALL_ERRORS_UP_TO = 20_000;
/** Steps that one validation against an agent's schema may take. */
const MAX_AGENT_STEPS = 5e8;

/**
 * A validator by ajv, which is loaded here, at the first schema. `$schema` chooses between draft-07
 * and 2020-12, the default. Formats are not checked.
 *
 * @param agentSize the size of a schema that agent code wrote: bounds what a validation may cost
 * @throws {Error} ajv's, for a schema that is no JSON Schema
 */
export async function ajvValidator(
  schema: JsonSchema,
  agentSize?: number,
): Promise<(value: unknown) => Promise<Validation>> {
  const engine = boundedEngine();
  const options = {
    strict: false,
    validateFormats: false,
    verbose: true,
    logger: false as const,
    ...(agentSize === undefined ? {} : { code: { regExp: engine.regExp } }),
  };
  const old = typeof schema === "object" && /draft-0[3-7]/.test(String(schema["$schema"]));
  const { Ajv } = old ? await import("ajv") : await import("ajv/dist/2020.js").then(
    ({ Ajv2020 }) => ({ Ajv: Ajv2020 }),
  );
  const plain = typeof schema === "boolean" ? schema : withoutDialect(schema);
  const first = new Ajv(options).compile(plain);
  let all: ValidateFunction | undefined;

  return (value) => {
    const { problems, size } = inspectJson(value, MAX_ERRORS);
    if (problems.length > 0) return Promise.resolve({ ok: false, errors: problems });
    if (size * (agentSize ?? 0) > MAX_AGENT_STEPS) {
      const errors = [`value: has ${size} parts, too many to check against this schema`];
      return Promise.resolve({ ok: false, errors });
    }
    engine.reset();
    try {
      if (first(value)) return Promise.resolve({ ok: true, value });
      let found = first.errors ?? [];
      if (size <= ALL_ERRORS_UP_TO) {
        all ??= new Ajv({ ...options, allErrors: true }).compile(plain);
        engine.reset();
        if (!all(value)) found = all.errors ?? found;
      }
      return Promise.resolve({ ok: false, errors: messages(found) });
    } catch (error) {
      const reason = error instanceof RangeError
        ? "is too deep for this schema"
        : "cannot be checked";
      return Promise.resolve({ ok: false, errors: [`value: ${reason}`] });
    }
  };
}

function withoutDialect(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function messages(errors: readonly ErrorObject[]): string[] {
  const lines = new Set<string>();
  for (const error of errors) {
    lines.add(message(error));
    if (lines.size >= MAX_ERRORS) break;
  }
  return [...lines];
}

function message(error: ErrorObject): string {
  const { keyword, params } = error as { keyword: string; params: Record<string, unknown> };
  let text = error.message ?? "is not valid";
  if (keyword === "enum" && Array.isArray(params["allowedValues"])) {
    const allowed = params["allowedValues"];
    const shown = allowed.slice(0, 8).map((value) => JSON.stringify(value)).join(", ");
    text = `must be one of ${shown}${allowed.length > 8 ? ", …" : ""}`;
  }
  if (keyword === "const") text = `must be ${JSON.stringify(params["allowedValue"])}`;
  if (keyword === "additionalProperties") {
    text = `must not have the property ${JSON.stringify(params["additionalProperty"])}`;
  }
  if (keyword === "required") {
    text = `must have the property ${JSON.stringify(params["missingProperty"])}`;
  }
  const tellsValue = keyword !== "required" && keyword !== "additionalProperties";
  const is = tellsValue ? `, is ${showValue(error.data)}` : "";
  return `${pathOf(error.instancePath)}: ${inertLine(text, 200)}${is}`;
}

/** `/rows/1/id` as `value.rows[1].id`. */
function pathOf(pointer: string): string {
  const steps = pointer.split("/").slice(1).map((part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return pathStep(/^\d+$/.test(key) ? Number(key) : key);
  });
  return `value${steps.join("")}`;
}
