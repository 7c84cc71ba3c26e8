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
  const plain = plainCommand(argv);
  if (plain !== undefined) return plain;
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

/** Views of a log whose options have no value. */
export const PLAIN_VIEWS = ["stats", "text", "tui", "json"] as const;

/**
 * The plainest calls, understood as their parsers would: to load and run one is half of the time of a
 * help, and a tenth of that of statistics.
 */
function plainCommand(argv: readonly string[]): Command | undefined {
  const [first, path = "", option] = argv;
  if (argv.length === 1) {
    if (first === "--help" || first === "-h" || first === "help") {
      return { kind: "help", topic: "main" };
    }
    return first === "--version" ? { kind: "version" } : undefined;
  }
  if (first !== "log" || argv.length > 3 || path === "" || path.startsWith("-")) return undefined;
  const view = option === undefined ? "auto" : PLAIN_VIEWS.find((name) => option === `--${name}`);
  if (view === undefined) return undefined;
  return { kind: "log", path, view, htmlFile: undefined, follow: false, debug: false };
}
