import type { FieldGroup } from "../config_fields.ts";

/** The commands that take options. */
export type CommandName = "run" | "log" | "session";

/** One option of the command line. */
export interface CliOption {
  /** Long name without dashes. */
  readonly flag: string;
  /** One letter, without its dash. */
  readonly short?: string;
  /** What the help calls the value; absent for an option without one. */
  readonly placeholder?: string;
  /** The value may be left out; where it is given, an equals sign must join it. */
  readonly optionalValue?: true;
  readonly help: string;
  readonly group: FieldGroup | "general";
  /** The setting of `Config` that this option sets. */
  readonly field?: string;
  /** What shells complete the value with. */
  readonly completes?: "file" | "directory" | readonly string[];
}

/** The option of every command that asks for its help. */
export const HELP: CliOption = {
  flag: "help",
  short: "h",
  help: "show this help",
  group: "general",
};

/** The option of every command for those who look for a fault. */
export const DEBUG: CliOption = {
  flag: "debug",
  help: "show stack traces of errors",
  group: "general",
};
