import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showValue } from "../show_value.ts";
import type { Command } from "./command.ts";
import { OPTIONS } from "./all_options.ts";
import { type HelpTopic, type Shell, SHELLS } from "./options.ts";

const usage = (message: string): RlmError => new RlmError("usage", message);

/** The arguments of `fast-rlm completions` → what is asked. @throws {RlmError} `usage` */
export function parseCompletions(argv: readonly string[]): Command {
  const [shell, ...more] = argv;
  const known = SHELLS as readonly string[];
  if (shell === "--help" || shell === "-h") return { kind: "help", topic: "main" };
  if (shell === undefined || !known.includes(shell) || more.length > 0) {
    const current = shell === undefined ? "missing" : showValue(shell);
    throw usage(
      `Cannot write completions: the shell is ${current}, write fast-rlm completions ${
        SHELLS.join("|")
      }`,
    );
  }
  return { kind: "completions", shell: shell as Shell };
}

/** The arguments of `fast-rlm help` → what is asked. @throws {RlmError} `usage` */
export function parseHelp(argv: readonly string[]): Command {
  const [topic = "main"] = argv;
  if (Object.hasOwn(OPTIONS, topic)) return { kind: "help", topic: topic as HelpTopic };
  if (["main", "completions", "help"].includes(topic) || topic.startsWith("-")) {
    return { kind: "help", topic: "main" };
  }
  const meant = didYouMean(topic, Object.keys(OPTIONS));
  const hint = meant === undefined ? Object.keys(OPTIONS).join(", ") : `did you mean ${meant}?`;
  throw usage(`Cannot show help on ${showValue(topic)}: ${hint}`);
}
