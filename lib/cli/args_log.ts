import { RlmError } from "../errors.ts";
import type { Command, LogCommand } from "./command.ts";
import { LOG_OPTIONS } from "./options.ts";
import { readArguments, textOf } from "./tokens.ts";

const usage = (message: string): RlmError => new RlmError("usage", message);

/** The arguments of `fast-rlm log` → what is asked. @throws {RlmError} `usage` */
export async function parseLog(argv: readonly string[]): Promise<Command> {
  const { flags, words, rest, asked } = await readArguments(argv, "log", LOG_OPTIONS);
  if (asked === "help") return { kind: "help", topic: "log" };
  const [path, ...more] = [...words, ...rest];
  if (path === undefined || path === "") {
    throw usage(
      "Cannot show a log: its path is missing, write fast-rlm log PATH " +
        '(for the prompt "log" write fast-rlm run log)',
    );
  }
  if (more.length > 0) {
    throw usage(
      `Cannot show ${more.length + 1} logs at once: name one path, in quotes if it has blanks`,
    );
  }
  const htmlFile = textOf(flags, "html");
  const views = (["stats", "text", "tui", "json", "html"] as const).filter((view) =>
    view === "html" ? htmlFile !== undefined : flags[view]
  );
  if (views.length > 1) {
    throw usage(`Cannot use --${views.join(" and --")} together: choose one`);
  }
  const view = views[0] ?? "auto";
  const follow = flags["follow"] === true;
  if (follow && (view === "json" || view === "html")) {
    throw usage(`Cannot use --follow with --${view}: it works with --stats, --text and --tui`);
  }
  const command: LogCommand = {
    kind: "log",
    path,
    view,
    htmlFile,
    follow,
    debug: flags["debug"] === true,
  };
  return command;
}
