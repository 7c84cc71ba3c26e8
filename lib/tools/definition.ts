import { isRecord } from "../config_checks.ts";
import { RlmError } from "../errors.ts";
import { inertLine } from "../inert_text.ts";
import { type CompiledSchema, compileSchema } from "../output_schema.ts";
import { showName, showValue } from "../show_value.ts";
import type { HostTool, ToolContext } from "../tools.ts";

/** Names that JavaScript or the REPL would not pass on as the name of a tool. */
const IMPOSSIBLE = new Set(["then", "toJSON", "constructor", "prototype", "__proto__"]);
const MAX_DESCRIPTION = 200;
const MAX_SIGNATURE = 400;

type ToolFunction = (args: unknown, context: ToolContext) => unknown;

/** The part of an AI SDK tool that is used here. */
interface ToolObject {
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly parameters?: unknown;
  readonly outputSchema?: unknown;
  readonly execute: ToolFunction;
  readonly needsApproval?: unknown;
}

/**
 * Reads one tool.
 *
 * @throws {RlmError} `config`, naming the tool
 */
export async function readTool(name: string, tool: unknown): Promise<HostTool> {
  const refuse = (why: string): RlmError =>
    new RlmError("config", `Cannot use the tool ${showName(name)}: ${why}`);
  if (!/^[A-Za-z_$][\w$]{0,63}$/.test(name) || IMPOSSIBLE.has(name)) {
    throw refuse("its name must be a JavaScript identifier of at most 64 characters");
  }
  if (!isToolLike(tool)) {
    const why = isRecord(tool) ? "it has no execute function" : `it is ${showValue(tool)}`;
    throw refuse(`${why}; use tool({description, inputSchema, execute}) or a function`);
  }
  if (
    typeof tool === "object" && tool.needsApproval !== undefined && tool.needsApproval !== false
  ) {
    throw refuse("it asks for approval, and nobody watches a run; leave needsApproval out");
  }
  const schema = tool.inputSchema ?? (typeof tool === "object" ? tool.parameters : undefined);
  const input = await compileOptional(schema, `the inputSchema of the tool ${name}`);
  const output = await compileOptional(tool.outputSchema, `the outputSchema of the tool ${name}`);
  const run = typeof tool === "function" ? tool : tool.execute.bind(tool);
  const args = input
    ? `args: ${input.describe()}`
    : typeof tool === "function"
    ? parameterText(tool)
    : "args";
  const result = output ? `: ${output.describe()}` : "";
  return {
    name,
    description: typeof tool.description === "string"
      ? inertLine(tool.description, MAX_DESCRIPTION)
      : "",
    signature: inertLine(`${name}(${args})${result}`, MAX_SIGNATURE),
    input,
    run: async (given, context) => await lastOf(run(given, context)),
  };
}

/** Whether `value` looks like a tool: a function that is no class, or an object with `execute`. */
export function isToolLike(
  value: unknown,
): value is ToolObject | (ToolFunction & Partial<Omit<ToolObject, "execute">>) {
  if (typeof value === "function") return !/^class\b/.test(Function.prototype.toString.call(value));
  return typeof value === "object" && value !== null &&
    typeof (value as Partial<ToolObject>).execute === "function";
}

async function compileOptional(schema: unknown, name: string): Promise<CompiledSchema | undefined> {
  return schema === undefined ? undefined : await compileSchema(schema, { name });
}

/** AI SDK tools may yield intermediate values; the last one is the result. */
async function lastOf(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const part of value as AsyncIterable<unknown>) last = part;
  return last;
}

/** The first parameter of a function as its source has it, `{ query, limit = 5 }`, else `args`. */
function parameterText(fn: ToolFunction): string {
  if (fn.length === 0 && !/^[^(]*\(\s*[{[\w$]/.test(Function.prototype.toString.call(fn))) {
    return "";
  }
  const source = Function.prototype.toString.call(fn).slice(0, 2_000);
  const start = source.indexOf("(");
  const arrow = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(source);
  if (arrow) return arrow[1]!;
  if (start < 0) return "args";
  let depth = 0;
  for (let i = start + 1; i < source.length; i++) {
    const char = source[i]!;
    if ("([{".includes(char)) depth++;
    else if (depth === 0 && ",)=".includes(char)) {
      return source.slice(start + 1, i).trim().slice(0, 200);
    } else if (")]}".includes(char)) depth--;
    else if (`"'\`/`.includes(char)) return "args"; // a default with a text: not worth a parser
  }
  return "args";
}
