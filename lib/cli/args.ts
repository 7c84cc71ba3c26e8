import type { Command } from "./command.ts";
import { load } from "./parts.ts";

/**
 * An argument list → what is asked. The first word decides the command; anything but a command word
 * is the prompt of a run. Of an option that is given twice the last one counts; `--` ends options.
 * Only the parser of that command is loaded.
 *
 * @throws {RlmError} `usage`, naming the argument and the way out
 */
export async function parseCommand(argv: readonly string[]): Promise<Command> {
  const [first, ...others] = argv;
  switch (first) {
    case "run":
      return await (await load("./args_run.ts")).parseRun(others);
    case "log":
      return await (await load("./args_log.ts")).parseLog(others);
    case "session":
      return await (await load("./args_session.ts")).parseSession(others);
    case "completions":
      return (await load("./args_help.ts")).parseCompletions(others);
    case "help":
      return (await load("./args_help.ts")).parseHelp(others);
    default:
      return await (await load("./args_run.ts")).parseRun(argv, "main");
  }
}
