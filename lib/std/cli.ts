/**
 * `parseArgs` with the signature that `@std/cli` has, as far as it is used here: the project installs
 * from npm alone. Swap the import map entry to use the real one. It is not built on the parser of
 * `node:util`: loading that takes 6 ms, where an empty program takes 14.
 *
 * @module
 */

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
  const { boolean: booleans = [], string: strings = [], alias = {} } = options;
  const longs = new Map(Object.entries(alias).map(([long, short]) => [short, long]));
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const after = args.slice(end + 1);
  const parsed: ParsedArgs = { _: [] };
  for (const name of booleans) parsed[name] = false;
  for (let i = 0; i < end; i++) {
    const arg = args[i]!;
    const [, long, short, joined] = /^(?:--([^=]+)|-([^-=]))(?:=(.*))?$/s.exec(arg) ?? [];
    const name = long ?? (short === undefined ? undefined : longs.get(short) ?? short);
    if (name === undefined) parsed._.push(arg);
    else if (booleans.includes(name)) parsed[name] = joined !== "false";
    else if (strings.includes(name)) {
      const next = i + 1 < end ? args[i + 1] : undefined;
      const takesNext = joined === undefined && next !== undefined && !next.startsWith("-");
      parsed[name] = joined ?? (takesNext ? next : "");
      if (takesNext) i++;
    }
  }
  if (options["--"]) parsed["--"] = after;
  else parsed._.push(...after);
  return parsed;
}
