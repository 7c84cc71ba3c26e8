import { isRecord } from "./config_checks.ts";
import { RlmError } from "./errors.ts";
import { AgentSchemaError, checkAgentSchema } from "./schema/agent_schema.ts";
import { ajvValidator } from "./schema/ajv_validator.ts";
import { isStandardSchema, standardJsonSchema, standardValidator } from "./schema/standard.ts";
import { type JsonSchema, typeText } from "./schema/type_text.ts";
import { inertLine } from "./inert_text.ts";
import { showValue } from "./show_value.ts";

export { AgentSchemaError } from "./schema/agent_schema.ts";
export { type JsonSchema, typeText } from "./schema/type_text.ts";

/** The outcome of a validation. `value` is what the schema made of it: Zod may transform. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | {
    readonly ok: false;
    /** Path and message, one line each, inert, at most 10: `value.rows[1].id: must be integer`. */
    readonly errors: readonly string[];
  };

/** A schema that values can be checked against. */
export interface CompiledSchema {
  /** Absent for a Standard Schema that cannot say it. */
  readonly jsonSchema?: JsonSchema;
  /** The shape as a prompt shows it: a TypeScript type on one line. */
  describe(): string;
  /** Never throws for a value; a schema whose own code throws counts as an error of the value. */
  validate(value: unknown): Promise<Validation>;
}

/** Options of {@linkcode compileSchema}. */
export interface CompileOptions {
  /**
   * `agent` for a schema that came out of a sandbox: it is bounded and checked first, see
   * `checkAgentSchema`. @default "user"
   */
  readonly origin?: "user" | "agent";
  /** What messages call the schema. @default "outputSchema" */
  readonly name?: string;
}

/** Longest description; a longer one is cut, validation still knows the whole. */
const MAX_DESCRIPTION = 4_000;

/**
 * Makes a schema ready: JSON Schema, Zod, any Standard Schema, or a schema of the AI SDK.
 * Validation libraries are loaded by the first schema that needs them.
 *
 * @throws {RlmError} `config` for a user's schema that cannot be used
 * @throws {AgentSchemaError} for an agent's
 *
 * @example
 * ```ts
 * import { compileSchema } from "./output_schema.ts";
 * const schema = await compileSchema({ type: "object", properties: { n: { type: "integer" } } });
 * const checked = await schema.validate({ n: 1.5 });
 * if (checked.ok || checked.errors[0] !== "value.n: must be integer, is 1.5") throw new Error();
 * ```
 */
export async function compileSchema(
  schema: unknown,
  options: CompileOptions = {},
): Promise<CompiledSchema> {
  if (options.origin === "agent") {
    const checked = checkAgentSchema(schema);
    try {
      const validate = await ajvValidator(checked.schema, checked.size);
      return compiled(checked.schema, validate);
    } catch (error) {
      throw new AgentSchemaError(`Cannot use schema: ${reasonOf(error)}`);
    }
  }
  const name = options.name ?? "outputSchema";
  const known = await knownSchema(schema);
  if (known === undefined) {
    throw new RlmError(
      "config",
      `Cannot use ${name}: it must be a JSON Schema, a Zod schema or a Standard Schema, ` +
        `current value is ${showValue(schema)}`,
    );
  }
  try {
    return compiled(known.jsonSchema, known.validate ?? await ajvValidator(known.jsonSchema!));
  } catch (error) {
    throw new RlmError("config", `Cannot use ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

type Validate = (value: unknown) => Promise<Validation>;

interface KnownSchema {
  readonly jsonSchema?: JsonSchema | undefined;
  /** Absent: ajv does it. */
  readonly validate?: Validate;
}

async function knownSchema(schema: unknown): Promise<KnownSchema | undefined> {
  if (isStandardSchema(schema)) {
    return { jsonSchema: await standardJsonSchema(schema), validate: standardValidator(schema) };
  }
  // The AI SDK's `jsonSchema()` and `zodSchema()`, and its lazy form, a function.
  if (typeof schema === "function" && schema.length === 0) return await knownSchema(schema());
  if (isSdkSchema(schema)) {
    const jsonSchema = await schema.jsonSchema;
    if (isJsonSchema(jsonSchema)) return { jsonSchema };
  }
  return isJsonSchema(schema) ? { jsonSchema: schema } : undefined;
}

const isJsonSchema = (schema: unknown): schema is JsonSchema =>
  typeof schema === "boolean" || isRecord(schema);

function isSdkSchema(schema: unknown): schema is { jsonSchema: unknown } {
  return typeof schema === "object" && schema !== null && "jsonSchema" in schema &&
    "validate" in schema;
}

function compiled(jsonSchema: JsonSchema | undefined, validate: Validate): CompiledSchema {
  return {
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    describe() {
      const text = jsonSchema === undefined ? "unknown" : typeText(jsonSchema);
      return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
    },
    validate,
  };
}

const reasonOf = (error: unknown): string =>
  inertLine(error instanceof Error ? error.message : String(error), 300);
