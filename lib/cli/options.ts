import type { CliOption, CommandName } from "./option.ts";
import { LOG_OPTIONS } from "./options_log.ts";
import { RUN_OPTIONS } from "./options_run.ts";
import { SESSION_OPTIONS } from "./options_session.ts";

/**
 * The options of every command: for help and completions, and for an option that its command does not
 * know. What reads one command's arguments takes that command's alone, so that it loads no other.
 */
export const OPTIONS: Readonly<Record<CommandName, readonly CliOption[]>> = {
  run: RUN_OPTIONS,
  log: LOG_OPTIONS,
  session: SESSION_OPTIONS,
};
