/**
 * Config files: YAML or JSON, with the snake_case names of the settings.
 *
 * @module
 */

import { dirname, isAbsolute, join } from "@std/path";
import type { ConfigLayer } from "./config.ts";
import { isRecord } from "./config_checks.ts";
import { CONFIG_FIELDS, fileName } from "./config_fields.ts";
import { RlmError } from "./errors.ts";
import { readInput } from "./input_file.ts";
import { parseYaml } from "./input_parse.ts";
import { showName, showValue } from "./show_value.ts";

/** A config file is written by hand; more is a mistake. */
const MAX_BYTES = 1_000_000;

const refused = (path: string, why: string, cause?: unknown): RlmError =>
  new RlmError(
    "config",
    `Cannot use the config file ${showName(path)}: ${why}`,
    cause === undefined ? undefined : { cause },
  );

/** What errors call the format of a file that is read as YAML. */
export const formatOf = (path: string): "YAML" | "JSON" => /\.json$/i.test(path) ? "JSON" : "YAML";

/** A small text file that configures a run, with errors of code `config`. */
export async function readSmallFile(path: string): Promise<string> {
  try {
    // A config is never read from standard input: "-" is a file of that name.
    const source = await readInput(path === "-" ? "./-" : path, {
      maxBytes: MAX_BYTES,
      stdin: () => new ReadableStream({ start: (controller) => controller.close() }),
      as: "text",
    });
    return source.kind === "text" ? new TextDecoder().decode(source.bytes) : "";
  } catch (error) {
    if (!(error instanceof RlmError)) throw error;
    throw new RlmError(
      "config",
      error.message
        .replace(" as context:", ":")
        .replace(/; raise --max-context$/, ", which is too much"),
      { cause: error },
    );
  }
}

/**
 * Reads a config file as a layer. JSON is read as the YAML that it is, so that a key which is given
 * twice is found there too. A relative path in the file starts at the file's folder, so that the
 * file means the same from everywhere.
 *
 * @throws {RlmError} `config` when the file is missing, unreadable, no YAML or JSON, or no object
 */
export async function readConfigFile(path: string): Promise<ConfigLayer> {
  const text = await readSmallFile(path);
  let value: unknown;
  try {
    value = await parseYaml(text, showName(path), formatOf(path));
  } catch (error) {
    if (!(error instanceof RlmError)) throw error;
    throw new RlmError("config", error.message, { cause: error });
  }
  if (!isRecord(value)) {
    const found = value === null || text.trim() === ""
      ? "holds no setting"
      : `holds ${showValue(value)}`;
    throw refused(path, `it ${found}, expected settings such as max_depth: 3`);
  }
  return { source: path, kind: "file", values: withPaths(value, dirname(path)) };
}

function withPaths(values: Record<string, unknown>, folder: string): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  const paths = new Set(
    CONFIG_FIELDS.filter((field) => "isPath" in field).map((field) => fileName(field.name)),
  );
  const from = (path: string): string => isAbsolute(path) ? path : join(folder, path);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== "string" || value.trim() === "") out[key] = value;
    else if (paths.has(key)) out[key] = from(value);
    else if (/^replay:./.test(value) && /_agent$/.test(key)) {
      out[key] = `replay:${from(value.slice("replay:".length))}`;
    } else if (key === "llm_kwargs" && value.startsWith("@")) out[key] = `@${from(value.slice(1))}`;
    else out[key] = value;
  }
  return out;
}
