import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showName, showValue } from "../show_value.ts";
import { type CliOption, type CommandName, OPTIONS } from "./options.ts";

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

const LONG = /^--[A-Za-z][\w-]*(?==|$)/;

/**
 * Tells options from words and joins values to their options, so that a value may begin with a dash
 * (`--instruction "-be brief"`, `--at -1`) and a prompt may too (`"- what is this?"`).
 *
 * @throws {RlmError} `usage` for an unknown option and a missing or superfluous value
 */
export function tokenize(argv: readonly string[], command: CommandName): Tokens {
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
    const option = findOption(name, command);
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
      if (next === undefined || next === "--" || isOption(next, command)) {
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

const find = (name: string, command: CommandName): CliOption | undefined =>
  OPTIONS[command].find((option) =>
    name === `--${option.flag}` || (option.short !== undefined && name === `-${option.short}`)
  );

/** Whether `arg` is rather an option than the value of the one before it. */
function isOption(arg: string, command: CommandName): boolean {
  return LONG.test(arg) || find(arg, command) !== undefined;
}

function missingValue(option: CliOption): RlmError {
  return new RlmError(
    "usage",
    `Cannot use --${option.flag}: its value is missing, write --${option.flag}=${option.placeholder}`,
  );
}

function findOption(name: string, command: CommandName): CliOption {
  const option = find(name, command);
  if (option !== undefined) return option;
  const shown = showName(name);
  const owner = (Object.keys(OPTIONS) as CommandName[]).find((other) =>
    find(name, other) !== undefined
  );
  if (owner !== undefined) {
    throw new RlmError(
      "usage",
      `Cannot use ${shown} here: it belongs to fast-rlm ${owner}, see fast-rlm help ${owner}`,
    );
  }
  if (/^-\d/.test(name)) {
    throw new RlmError("usage", `Cannot use ${shown}: for a prompt write -- ${shown}`);
  }
  const meant = didYouMean(name.replace(/^-+/, ""), OPTIONS[command].map((o) => o.flag));
  const hint = meant === undefined
    ? `see fast-rlm help${command === "run" ? "" : ` ${command}`}`
    : `did you mean --${meant}?`;
  throw new RlmError("usage", `Cannot use ${shown}: there is no such option; ${hint}`);
}

/** A whole number from 0 that an option was given. */
export function wholeValue(flag: string, value: string, from = 0): number {
  const n = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (n >= from) return n;
  throw new RlmError(
    "usage",
    `Cannot use --${flag}: current value is ${
      showValue(value)
    }, expected a whole number from ${from}`,
  );
}
