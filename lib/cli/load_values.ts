import { resolve, toFileUrl } from "@std/path";
import type { ConfigLayer } from "../config.ts";
import { CONFIG_FIELDS, type ConfigField, fileName } from "../config_fields.ts";
import { formatOf, readSmallFile } from "../config_file.ts";
import { RlmError } from "../errors.ts";
import { inertLine } from "../inert_text.ts";
import { parseYaml } from "../input_parse.ts";
import { showName } from "../show_value.ts";
import { loadToolsFile } from "../tools_file.ts";

/**
 * Replaces what names a file by what the file holds: schemas and MCP servers (JSON or YAML, schemas
 * from a module too), parameters (`@FILE` or JSON in place), tools (a module). Only the layer that
 * wins is read.
 *
 * @throws {RlmError} `config`, naming the file
 */
export async function loadValues(layers: readonly ConfigLayer[]): Promise<ConfigLayer[]> {
  const loaded = layers.map((layer) => ({ ...layer, values: { ...layer.values } }));
  const fields: readonly ConfigField[] = CONFIG_FIELDS;
  for (const field of fields) {
    if (field.load === undefined) continue;
    let won = false;
    for (const layer of loaded) {
      const key = layer.kind === "file" ? fileName(field.name) : field.name;
      if (!Object.hasOwn(layer.values, key) || layer.values[key] === undefined) continue;
      const value = layer.values[key];
      if (won) delete layer.values[key];
      else if (typeof value === "string" && value.trim() !== "") {
        layer.values[key] = await named(field, value);
      }
      won = true;
    }
  }
  return loaded;
}

/** The same; what is wrong with a file is told with the setting that named it. */
async function named(field: ConfigField, text: string): Promise<unknown> {
  try {
    return await load(field, text);
  } catch (error) {
    const setting = `--${field.flag ?? field.name}`;
    if (!(error instanceof RlmError) || error.message.includes(setting)) throw error;
    throw new RlmError(error.code, `${error.message} (named by ${setting})`, { cause: error });
  }
}

async function load(field: ConfigField, text: string): Promise<unknown> {
  const name = `--${field.flag}`;
  if (field.load === "module") return await loadToolsFile(text);
  if (field.load === "json" && !text.startsWith("@")) return await parse(text, name, "JSON");
  const path = field.load === "json" ? text.slice(1) : text;
  if (/\.[cm]?[jt]s$/.test(path)) {
    const { default: main, schema } = await importModule(path);
    if (main !== undefined || schema !== undefined) return main ?? schema;
    throw new RlmError(
      "config",
      `Cannot use the module ${showName(path)}: it has no default export and none named schema`,
    );
  }
  return await parse(await readSmallFile(path), showName(path), formatOf(path));
}

/** JSON is read as the YAML that it is. */
async function parse(text: string, shown: string, format: "YAML" | "JSON"): Promise<unknown> {
  try {
    return await parseYaml(text, shown, format);
  } catch (error) {
    if (!(error instanceof RlmError)) throw error;
    throw new RlmError("config", error.message, { cause: error });
  }
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    if (!(await Deno.stat(path)).isFile) throw new Error("it is no file");
    return await import(toFileUrl(resolve(path)).href);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "there is no such file"
      : inertLine(error instanceof Error ? error.message : String(error), 300);
    throw new RlmError("config", `Cannot use the module ${showName(path)}: ${reason}`, {
      cause: error,
    });
  }
}
