import { type CliOption, type CommandName, LOG_OPTIONS, SESSION_OPTIONS } from "./options.ts";
import { RUN_OPTIONS } from "./options_run.ts";

/**
 * The options of every command: for help and completions, and for an option that its command does not
 * know. What reads one command's arguments takes that command's alone, so that it loads no other.
 */
export const OPTIONS: Readonly<Record<CommandName, readonly CliOption[]>> = {
  run: RUN_OPTIONS,
  log: LOG_OPTIONS,
  session: SESSION_OPTIONS,
};
