import { isRecord } from "../config_checks.ts";
import type { Validation } from "../output_schema.ts";
import { inertLine } from "../inert_text.ts";
import { pathStep } from "./json_value.ts";
import type { JsonSchema } from "./type_text.ts";

/** The part of Standard Schema (https://standardschema.dev) that is used here. */
export interface StandardSchema {
  readonly "~standard": {
    readonly vendor: string;
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    /** Standard JSON Schema, where the library has it. */
    readonly jsonSchema?: { input(options: { target: string }): unknown };
  };
}

type StandardResult = {
  readonly value?: unknown;
  readonly issues?:
    | readonly {
      readonly message: string;
      readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
    }[]
    | undefined;
};

/** Whether `schema` is a Standard Schema: Zod, Valibot, ArkType and others. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard = (schema as Record<string, unknown>)["~standard"];
  return typeof standard === "object" && standard !== null &&
    typeof (standard as Record<string, unknown>)["validate"] === "function";
}

/**
 * The JSON Schema of what a value must be before the library transforms it; undefined where the
 * library cannot tell.
 */
export async function standardJsonSchema(schema: StandardSchema): Promise<JsonSchema | undefined> {
  const standard = schema["~standard"];
  try {
    const own = standard.jsonSchema?.input({ target: "draft-07" });
    if (isRecord(own)) return own;
    if (standard.vendor !== "zod") return undefined;
    // Zod before 4.2 cannot tell by itself; the AI SDK knows all its versions.
    const { zodSchema } = await import("ai");
    const made: unknown = await zodSchema(schema as never).jsonSchema;
    return isRecord(made) ? made : undefined;
  } catch {
    return undefined; // a transform or custom type that JSON Schema has no word for
  }
}

/** Validates by the library itself. */
export function standardValidator(
  schema: StandardSchema,
): (value: unknown) => Promise<Validation> {
  return async (value) => {
    try {
      const result = await schema["~standard"].validate(value);
      if (!result.issues) return { ok: true, value: result.value };
      const errors = result.issues.slice(0, 10).map(({ message, path }) => {
        const steps = (path ?? []).map((part) => typeof part === "object" ? part.key : part);
        const at = steps.map((key) => pathStep(typeof key === "number" ? key : String(key)));
        return `value${at.join("")}: ${inertLine(message, 200)}`;
      });
      return { ok: false, errors };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, errors: [`value: ${inertLine(reason, 200)}`] };
    }
  };
}
