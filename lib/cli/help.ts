import { grouped } from "../../repl/grouped.ts";
import { CONFIG_FIELDS, DEFAULTS } from "../config_fields.ts";
import {
  type CliOption,
  type HelpTopic,
  LOG_OPTIONS,
  SESSION_OPTIONS,
  SESSION_VERBS,
} from "./options.ts";
import { RUN_OPTIONS } from "./options_run.ts";

/** Options that the short help shows. */
const COMMON: readonly string[] = [
  "primary-agent",
  "sub-agent",
  "input-file",
  "session-dir",
  "session-id",
  "no-session-code",
  "config",
  "max-depth",
  "max-money-spent",
  "max-seconds",
  "json",
  "quiet",
];

const GROUPS: readonly (readonly [CliOption["group"], string])[] = [
  ["model", "Models and what they are given"],
  ["input", "Input"],
  ["session", "Session"],
  ["limits", "Limits of a run (0 is zero)"],
  ["sandbox", "Limits of a sandbox"],
  ["log", "Transcripts"],
  ["general", "General"],
];

const MAIN_HEAD = `fast-rlm: recursive language models with resumable sessions

  fast-rlm [options] "prompt"     ask; the answer goes to standard output
  fast-rlm log PATH               read a transcript or a session
  fast-rlm session show DIR       look at sessions, fork, repair, move them
  fast-rlm completions SHELL      completions for bash, zsh or fish
  fast-rlm help run|log|session   all options of a command

Common options
`;

const MAIN_TAIL = `
Flags beat the config file, the file beats RLM_* variables (RLM_MAX_DEPTH).
The model's key is read from RLM_MODEL_API_KEY, OPENAI_API_KEY or
OPENROUTER_API_KEY, its address from RLM_MODEL_BASE_URL.

Exit codes: 0 an answer, 1 failed, 2 wrong usage, 3 stopped by a limit,
4 session busy, 5 session unreadable, 130 interrupted

  fast-rlm --primary-agent openrouter/z-ai/glm-4.6 --input-file book.txt \\
    --session-dir ./s "Who is the narrator?"
`;

const LOG_HEAD = `fast-rlm log PATH [options]   (also as fast-rlm-log PATH)

PATH is a session directory, its state.json, a transcript, or a directory of
transcripts.

`;

const SESSION_HEAD = `fast-rlm session VERB PATH [options]

`;

/** The help on a topic, at most 80 columns wide; `main` fits a screen of 40 lines. */
export function helpText(topic: HelpTopic): string {
  switch (topic) {
    case "main":
      return MAIN_HEAD + lines(RUN_OPTIONS.filter((o) => COMMON.includes(o.flag))) + MAIN_TAIL;
    case "run":
      return 'fast-rlm [run] [options] "prompt"\n' +
        GROUPS.map(([group, title]) =>
          `\n${title}\n${lines(RUN_OPTIONS.filter((o) => o.group === group))}`
        ).join("");
    case "log":
      return LOG_HEAD + lines(LOG_OPTIONS);
    case "session":
      return SESSION_HEAD + verbs() + "\n" + lines(SESSION_OPTIONS);
  }
}

function verbs(): string {
  return Object.entries(SESSION_VERBS).map(([verb, { paths, help }]) =>
    `  ${`${verb} ${paths.join(" ")}`.padEnd(20)}${help}\n`
  ).join("");
}

function lines(options: readonly CliOption[]): string {
  const heads = options.map(head);
  const width = Math.max(...heads.map((text) => text.length)) + 2;
  return options.map((option, i) =>
    `  ${heads[i]!.padEnd(width)}${option.help}${defaultOf(option)}\n`
  ).join("");
}

function head(option: CliOption): string {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value = option.placeholder === undefined
    ? ""
    : option.optionalValue
    ? `[=${option.placeholder}]`
    : ` ${option.placeholder}`;
  return `${short}--${option.flag}${value}`;
}

/** " (default 3)", where there is one. */
function defaultOf(option: CliOption): string {
  const field = CONFIG_FIELDS.find((each) => each.name === option.field);
  if (field === undefined) return "";
  if ("shownDefault" in field) return ` (${field.shownDefault})`;
  const value = (DEFAULTS as Readonly<Record<string, unknown>>)[field.name];
  if (value === undefined) return "";
  if (value === Infinity) return " (none)";
  if (value === true) return " (yes)";
  return ` (${typeof value === "number" ? grouped(value) : value})`;
}
