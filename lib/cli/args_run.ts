import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showValue } from "../show_value.ts";
import type { Command, RunCommand } from "./command.ts";
import { RUN_OPTIONS } from "./options_run.ts";
import { readArguments, textOf, type Tokens } from "./tokens.ts";
import { wholeValue } from "./whole_value.ts";
import { COMMAND_WORDS, type HelpTopic } from "./options.ts";

const usage = (message: string): RlmError => new RlmError("usage", message);

/** The arguments of a run → what is asked. @throws {RlmError} `usage` */
export async function parseRun(
  argv: readonly string[],
  topic: HelpTopic = "run",
): Promise<Command> {
  // Both forms set one thing; rewritten first, so that the last one counts.
  const end = argv.indexOf("--");
  const plain = argv.map((arg, i) =>
    arg === "--no-session-code" && (end < 0 || i < end) ? "--session-code=no" : arg
  );
  const { flags, options, words, rest, asked, taken } = await readArguments(
    plain,
    "run",
    RUN_OPTIONS,
  );
  if (asked === "help") return { kind: "help", topic };
  if (asked === "version") return { kind: "version" };
  const set: Record<string, string> = {};
  for (const option of RUN_OPTIONS) {
    const value = textOf(flags, option.flag);
    if (option.field !== undefined && value !== undefined) set[option.field] = value;
  }
  const wait = textOf(flags, "wait");
  if (flags["quiet"] && flags["verbose"]) {
    throw usage("Cannot use --quiet and --verbose together: choose one");
  }
  const files = new Set(options.filter((option) => option.startsWith("--input-file=")));
  if (files.size > 1) {
    throw usage(
      `Cannot use ${files.size} input files: join them, as in cat A B | … --input-file -`,
    );
  }
  const command: RunCommand = {
    kind: "run",
    prompt: promptOf(words, rest, taken),
    flags: set,
    configFile: textOf(flags, "config"),
    inputFile: textOf(flags, "input-file"),
    wait: wait === undefined ? 0 : wait === "" ? Infinity : wholeValue("wait", wait),
    json: flags["json"] === true,
    quiet: flags["quiet"] === true,
    verbose: flags["verbose"] === true,
    debug: flags["debug"] === true,
  };
  return command;
}

function promptOf(
  words: readonly string[],
  rest: readonly string[],
  taken: Tokens["taken"],
): string {
  const all = [...words, ...rest];
  const [prompt] = all;
  if (prompt === undefined) {
    const hint = taken === undefined
      ? ""
      : `${showValue(taken.word)} was taken as the value of --${taken.flag}; `;
    throw usage(
      `Cannot run without a prompt: ${hint}write fast-rlm [options] "prompt", see fast-rlm --help`,
    );
  }
  if (all.length > 1) {
    const at = words.findIndex((word) => (COMMAND_WORDS as readonly string[]).includes(word));
    if (at >= 0) {
      const word = words[at];
      throw usage(
        `Cannot use ${all.length} prompts: to call ${word}, write fast-rlm ${word} first`,
      );
    }
    const meant = words.length > 0 && !/\s/.test(prompt)
      ? didYouMean(prompt, COMMAND_WORDS)
      : undefined;
    const hint = meant === undefined ? "" : `; or did you mean fast-rlm ${meant}?`;
    throw usage(
      `Cannot use ${all.length} prompts: put the prompt in quotes, as in fast-rlm "what is this?"${hint}`,
    );
  }
  if (prompt.trim() === "") throw usage("Cannot run: the prompt is empty");
  return prompt;
}
