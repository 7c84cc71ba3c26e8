import { basename, extname, resolve, toFileUrl } from "@std/path";
import { RlmError } from "./errors.ts";
import { type CompiledSchema, compileSchema } from "./output_schema.ts";
import { inertLine } from "./inert_text.ts";

/**
 * Reads the schema of `--output-schema`: a JSON Schema as JSON or YAML, or a module (`.ts`, `.js`)
 * whose default export, or export named `schema`, is a JSON Schema, Zod or Standard Schema.
 *
 * @throws {RlmError} `config`, naming the file
 */
export async function loadSchemaFile(path: string): Promise<CompiledSchema> {
  const schema = /\.[cm]?[jt]s$/.test(path) ? await fromModule(path) : await fromText(path);
  return await compileSchema(schema, { name: `the schema in ${path}` });
}

function fail(path: string, error: unknown): RlmError {
  const missing = error instanceof Deno.errors.NotFound;
  const reason = missing ? "there is no such file" : error instanceof Error ? error.message : error;
  const line = inertLine(String(reason).split("\n")[0]!, 300);
  return new RlmError("config", `Cannot read the schema in ${path}: ${line}`, { cause: error });
}

async function fromText(path: string): Promise<unknown> {
  try {
    const text = (await Deno.readTextFile(path)).replace(/^\ufeff/, "");
    if (!/^\.ya?ml$/.test(extname(path))) return JSON.parse(text);
    const { parse } = await import("yaml");
    return parse(text);
  } catch (error) {
    throw fail(path, error);
  }
}

async function fromModule(path: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await import(toFileUrl(resolve(path)).href);
  } catch (error) {
    throw fail(path, error);
  }
  const schema = module["default"] ?? module["schema"];
  if (schema !== undefined) return schema;
  throw new RlmError(
    "config",
    `Cannot read the schema in ${path}: ${
      basename(path)
    } has no default export and none named schema`,
  );
}
