import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";

/** A format that becomes a value rather than text. */
export type StructuredFormat = "json" | "yaml" | "jsonl";

/** V8 holds strings of up to 2^29 - 24 characters. */
const MAX_STRING = 2 ** 29 - 24;

/** How often YAML may repeat what an anchor names, in all; more is an attempt to fill the memory. */
const MAX_ALIASES = 1_000;

const failed = (shown: string, what: string, why: string): RlmError =>
  new RlmError("input", `Cannot read ${shown} as ${what}: ${inertLine(why, 300)}`);

/**
 * What a parser's message says, without the text around the error that it quotes: that may be
 * anything, and long. YAML quotes on further lines, V8 on the first.
 */
const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/, (\.\.\.)?".*" ?(\.\.\.)?is not valid JSON$/s, "")
    .replace(/(, .{0,4})?".*is not valid JSON$/s, "it is not valid")
    .split("\n")[0]!
    .replace(/ in JSON at position \d+( \((line \d+) (column \d+)\))?$/, " at $2, $3")
    .replace(/[:.]$/, "");

/**
 * Parses valid UTF-8 bytes.
 *
 * @param shown how errors name the input
 * @throws {RlmError} `input` with the place of the first error
 */
export async function parseStructured(
  bytes: Uint8Array,
  format: StructuredFormat,
  shown: string,
): Promise<unknown> {
  if (format === "jsonl") return parseLines(bytes, shown);
  const what = format === "json" ? "JSON" : "YAML";
  if (bytes.length > MAX_STRING) {
    throw failed(shown, what, "it is larger than 512 MB; use JSON lines, one value a line");
  }
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (text.trim() === "") throw failed(shown, what, "it is empty");
  return format === "json" ? parseJson(text, shown) : await parseYaml(text, shown);
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failed(shown, "JSON", reason(error));
  }
}

/** One JSON value a line, split on line feeds only; blank lines do not count. */
function parseLines(bytes: Uint8Array, shown: string): unknown[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const values: unknown[] = [];
  let line = 0;
  for (let start = 0; start < bytes.length;) {
    line++;
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    if (end - start > MAX_STRING) throw failed(shown, "JSON lines", `line ${line} is too long`);
    const text = decoder.decode(bytes.subarray(start, end));
    start = end + 1;
    if (text.trim() === "") continue;
    try {
      values.push(JSON.parse(text));
    } catch (error) {
      throw failed(shown, "JSON lines", `line ${line}: ${reason(error)}`);
    }
  }
  if (values.length === 0) throw failed(shown, "JSON lines", "it holds no value");
  return values;
}

/**
 * Parses YAML: one document is a value, several are a list. Duplicate keys, unknown tags and
 * anchors that multiply are refused.
 *
 * @param what how errors name the format: JSON is YAML too
 * @throws {RlmError} `input` with the place of the first error
 */
export async function parseYaml(
  text: string,
  shown: string,
  what: "YAML" | "JSON" = "YAML",
): Promise<unknown> {
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(text, { logLevel: "silent", prettyErrors: true });
  const list = Array.isArray(documents) ? documents : [];
  for (const document of list) {
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) throw failed(shown, what, reason(problem));
  }
  try {
    const values = list.map((document): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }));
    return values.length > 1 ? values : values[0] ?? null;
  } catch (error) {
    throw failed(shown, what, reason(error));
  }
}
