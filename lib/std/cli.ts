/**
 * `parseArgs` with the signature that `@std/cli` has, as far as it is used here, over `node:util`:
 * the project installs from npm alone. Swap the import map entry to use the real one.
 *
 * @module
 */

import { parseArgs as nodeParseArgs } from "node:util";

/** What `parseArgs` should know. */
export interface ParseOptions {
  /** Flags without a value. */
  readonly boolean?: readonly string[];
  /** Flags with a value. */
  readonly string?: readonly string[];
  /** Short names of flags. */
  readonly alias?: Readonly<Record<string, string>>;
  /** Put what follows `--` into `"--"` instead of `_`. */
  readonly "--"?: boolean;
}

/** Flags by name; `_` holds the words that belong to no flag. */
export interface ParsedArgs {
  _: string[];
  "--"?: string[];
  [flag: string]: string | boolean | string[] | undefined;
}

/**
 * Reads an argument list. Of a flag that is given twice the last one counts; flags that are in
 * neither list are ignored.
 *
 * @example
 * ```ts
 * import { parseArgs } from "@std/cli";
 * const parsed = parseArgs(["--name=x", "--loud", "word"], { string: ["name"], boolean: ["loud"] });
 * if (parsed["name"] !== "x" || parsed._[0] !== "word") throw new Error("unexpected");
 * ```
 */
export function parseArgs(args: readonly string[], options: ParseOptions = {}): ParsedArgs {
  const end = args.indexOf("--");
  const before = end < 0 ? [...args] : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  const short = Object.fromEntries(
    Object.entries(options.alias ?? {}).map(([name, letter]) => [name, { short: letter }]),
  );
  const of = (type: "string" | "boolean", names: readonly string[] = []) =>
    names.map((name) => [name, { type, ...short[name] }] as const);
  const { values, positionals } = nodeParseArgs({
    args: before,
    options: Object.fromEntries([
      ...of("string", options.string),
      ...of("boolean", options.boolean),
    ]),
    allowPositionals: true,
    strict: false,
  });
  const parsed: ParsedArgs = { _: options["--"] ? positionals : [...positionals, ...after] };
  if (options["--"]) parsed["--"] = after;
  for (const name of options.boolean ?? []) parsed[name] = false;
  const known = new Set([...options.string ?? [], ...options.boolean ?? []]);
  for (const [name, value] of Object.entries(values)) {
    if (known.has(name)) parsed[name] = value as string | boolean;
  }
  return parsed;
}
