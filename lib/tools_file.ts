import { resolve, toFileUrl } from "@std/path";
import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";
import { isRecord } from "./config_checks.ts";
import { showName, showValue } from "./show_value.ts";
import { isToolLike } from "./tools/definition.ts";

/**
 * The tools that a module exports: the entries of its default export, where that is an object, and
 * every named export. All of them must be tools; the name `default` is never one.
 *
 * @param path the module of `--tools`, `.ts` or `.js`; it runs with the permissions of the host
 * @throws {RlmError} `config`, naming the file, and the export at fault
 */
export async function loadToolsFile(path: string): Promise<Record<string, unknown>> {
  const fail = (why: string, cause?: unknown): RlmError =>
    new RlmError("config", `Cannot load tools from ${showName(path)}: ${why}`, { cause });
  let module: Record<string, unknown>;
  try {
    module = await import(toFileUrl(resolve(path)).href);
  } catch (error) {
    const missing = /module not found/i.test(String(error)) &&
      !(await Deno.stat(path).catch(() => undefined));
    const message = error instanceof Error ? error.message : String(error);
    throw fail(missing ? "there is no such file" : inertLine(message, 300), error);
  }
  const { default: main, ...named } = module;
  if (main !== undefined && (!isRecord(main) || isToolLike(main))) {
    throw fail(
      `its default export must be an object of tools by name, it is ${
        isToolLike(main) ? "a single tool" : showValue(main)
      }`,
    );
  }
  const tools: Record<string, unknown> = Object.create(null);
  for (const [name, tool] of [...Object.entries(main ?? {}), ...Object.entries(named)]) {
    if (!isToolLike(tool)) {
      throw fail(`${showName(name)} is ${showValue(tool)}, no tool and no function`);
    }
    if (name in tools && tools[name] !== tool) throw fail(`${showName(name)} is exported twice`);
    tools[name] = tool;
  }
  if (Object.keys(tools).length === 0) throw fail("it exports no tools");
  return tools;
}
