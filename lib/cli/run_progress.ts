import type { ResolvedConfig } from "../config.ts";
import type { RunCommand } from "./command.ts";
import { colorsOn, type Io } from "./io.ts";
import { createProgress, type Progress } from "./progress.ts";

/** The progress of a run on standard error: live on a terminal, plain lines elsewhere. */
export function runProgress(io: Io, command: RunCommand, config: ResolvedConfig): Progress {
  const limit = (value: number): number | undefined => value === Infinity ? undefined : value;
  return createProgress({
    write: (text) => io.stderr(text),
    isTerminal: io.terminal.stderr && io.env("TERM") !== "dumb",
    columns: () => io.size().columns,
    rows: () => io.size().rows,
    clock: io.clock,
    color: colorsOn(io, "stderr"),
    verbosity: command.quiet ? "quiet" : command.verbose ? "verbose" : "normal",
    budgets: {
      maxPromptTokens: limit(config.maxPromptTokens),
      maxCompletionTokens: limit(config.maxCompletionTokens),
      maxMoneySpent: limit(config.maxMoneySpent),
      maxGlobalCalls: limit(config.maxGlobalCalls),
      maxSeconds: limit(config.maxSeconds),
    },
  });
}
