import { parseArgs, type ParsedArgs } from "@std/cli";
import { RlmError } from "../errors.ts";
import type { CliOption, CommandName } from "./options.ts";
import { load } from "./parts.ts";

/** An argument list with options told from words; every option has its value joined by `=`. */
export interface Tokens {
  readonly options: readonly string[];
  /** Words before `--`. */
  readonly words: readonly string[];
  /** Words after `--`: never a command. */
  readonly rest: readonly string[];
  /** The last word that became the value of the option before it. */
  readonly taken?: { readonly word: string; readonly flag: string };
}

/** The arguments of a command, read. */
export interface Arguments extends Tokens {
  readonly flags: ParsedArgs;
  readonly asked: "help" | "version" | undefined;
}

/** The value that an option was given. */
export const textOf = (flags: ParsedArgs, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

/**
 * Reads the arguments of a command that has these options.
 *
 * @throws {RlmError} `usage` for an unknown option and a missing or superfluous value
 */
export async function readArguments(
  argv: readonly string[],
  command: CommandName,
  known: readonly CliOption[],
): Promise<Arguments> {
  const tokens = await tokenize(argv, command, known);
  const string: string[] = [];
  const boolean: string[] = [];
  for (const { flag, placeholder } of known) {
    (placeholder === undefined ? boolean : string).push(flag);
  }
  const flags = parseArgs(tokens.options, { string, boolean });
  const asked = flags["help"] ? "help" : flags["version"] ? "version" : undefined;
  return { ...tokens, flags, asked };
}

const LONG = /^--[A-Za-z][\w-]*(?==|$)/;

/**
 * Tells options from words and joins values to their options, so that a value may begin with a dash
 * (`--instruction "-be brief"`, `--at -1`) and a prompt may too (`"- what is this?"`).
 */
async function tokenize(
  argv: readonly string[],
  command: CommandName,
  known: readonly CliOption[],
): Promise<Tokens> {
  const options: string[] = [];
  const words: string[] = [];
  let taken: { word: string; flag: string } | undefined;
  const tokens = (rest: readonly string[]): Tokens => ({
    options,
    words,
    rest,
    ...(taken === undefined ? {} : { taken }),
  });
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (arg === "--") return tokens(argv.slice(i + 1));
    if (!looksLikeOption(arg)) {
      words.push(arg);
      continue;
    }
    const name = LONG.exec(arg)?.[0] ?? arg;
    const option = findOption(name, known);
    if (option === undefined) {
      // Whose it is or what was meant says a part that knows the options of every command.
      throw (await load("./unknown_option.ts")).unknownOption(name, command);
    }
    const given = arg.length > name.length ? arg.slice(name.length + 1) : undefined;
    if (option.placeholder === undefined) {
      if (given !== undefined) {
        throw new RlmError("usage", `Cannot use --${option.flag} with a value: it takes none`);
      }
      options.push(`--${option.flag}`);
    } else if (option.optionalValue || given !== undefined) {
      options.push(given === undefined ? `--${option.flag}=` : `--${option.flag}=${given}`);
      if (given === "") throw missingValue(option);
    } else {
      const next = argv[i + 1];
      if (next === undefined || next === "--" || isOption(next, known)) {
        throw missingValue(option);
      }
      options.push(`--${option.flag}=${next}`);
      taken = { word: next, flag: option.flag };
      i++;
    }
  }
  return tokens([]);
}

/** A dash begins an option unless the argument is a text: `-` alone, or with a blank in its name. */
function looksLikeOption(arg: string): boolean {
  if (!arg.startsWith("-") || arg === "-") return false;
  return LONG.test(arg) || !/\s/.test(arg);
}

/** The option of this name, which has its dashes. */
export function findOption(name: string, known: readonly CliOption[]): CliOption | undefined {
  return known.find((option) =>
    name === `--${option.flag}` || (option.short !== undefined && name === `-${option.short}`)
  );
}

/** Whether `arg` is rather an option than the value of the one before it. */
function isOption(arg: string, known: readonly CliOption[]): boolean {
  return LONG.test(arg) || findOption(arg, known) !== undefined;
}

function missingValue(option: CliOption): RlmError {
  return new RlmError(
    "usage",
    `Cannot use --${option.flag}: its value is missing, write --${option.flag}=${option.placeholder}`,
  );
}
