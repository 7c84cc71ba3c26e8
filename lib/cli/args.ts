import { parseArgs, type ParsedArgs } from "@std/cli";
import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showName, showValue } from "../show_value.ts";
import type { Command, LogCommand, RunCommand, SessionCommand } from "./command.ts";
import {
  COMMAND_WORDS,
  type CommandName,
  type HelpTopic,
  OPTIONS,
  SESSION_VERBS,
  type SessionVerb,
  type Shell,
  SHELLS,
} from "./options.ts";
import { tokenize, type Tokens, wholeValue } from "./tokens.ts";

const usage = (message: string): RlmError => new RlmError("usage", message);

/**
 * An argument list → what is asked. The first word decides the command; anything but a command word
 * is the prompt of a run. Of an option that is given twice the last one counts; `--` ends options.
 *
 * @throws {RlmError} `usage`, naming the argument and the way out
 */
export function parseCommand(argv: readonly string[]): Command {
  const [first, ...others] = argv;
  switch (first) {
    case "run":
      return parseRun(others);
    case "log":
      return parseLog(others);
    case "session":
      return parseSession(others);
    case "completions":
      return parseCompletions(others);
    case "help":
      return parseHelp(others);
    default:
      return parseRun(argv, "main");
  }
}

interface Parsed extends Tokens {
  readonly flags: ParsedArgs;
  readonly asked: "help" | "version" | undefined;
}

function read(argv: readonly string[], command: CommandName): Parsed {
  const tokens = tokenize(argv, command);
  const flags = parseArgs(tokens.options, {
    string: OPTIONS[command].filter((o) => o.placeholder !== undefined).map((o) => o.flag),
    boolean: OPTIONS[command].filter((o) => o.placeholder === undefined).map((o) => o.flag),
  });
  const asked = flags["help"] ? "help" : flags["version"] ? "version" : undefined;
  return { ...tokens, flags, asked };
}

const textOf = (flags: ParsedArgs, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

function parseRun(argv: readonly string[], topic: HelpTopic = "run"): Command {
  // Both forms set one thing; rewritten first, so that the last one counts.
  const end = argv.indexOf("--");
  const plain = argv.map((arg, i) =>
    arg === "--no-session-code" && (end < 0 || i < end) ? "--session-code=no" : arg
  );
  const { flags, words, rest, asked, taken } = read(plain, "run");
  if (asked === "help") return { kind: "help", topic };
  if (asked === "version") return { kind: "version" };
  const set: Record<string, string> = {};
  for (const option of OPTIONS.run) {
    const value = textOf(flags, option.flag);
    if (option.field !== undefined && value !== undefined) set[option.field] = value;
  }
  const wait = textOf(flags, "wait");
  if (flags["quiet"] && flags["verbose"]) {
    throw usage("Cannot use --quiet and --verbose together: choose one");
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

function parseLog(argv: readonly string[]): Command {
  const { flags, words, rest, asked } = read(argv, "log");
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

const isVerb = (word: string | undefined): word is SessionVerb =>
  word !== undefined && Object.hasOwn(SESSION_VERBS, word);

function parseSession(argv: readonly string[]): Command {
  const { flags, words, rest, asked } = read(argv, "session");
  if (asked === "help") return { kind: "help", topic: "session" };
  const { verb, paths, implied } = verbOf(words, rest);
  const { needs, paths: names } = SESSION_VERBS[verb];
  const form = `fast-rlm session ${verb} ${names.join(" ")}`;
  if (paths.length < needs) {
    throw usage(`Cannot ${verb} a session: ${names[paths.length]} is missing, write ${form}`);
  }
  if (paths.length > names.length) {
    throw usage(`Cannot ${verb} a session: ${paths.length} paths were given, write ${form}`);
  }
  if (paths.includes("")) throw usage(`Cannot ${verb} a session: a path is empty, write ${form}`);
  const at = textOf(flags, "at");
  if (at !== undefined && verb !== "fork") {
    throw usage(`Cannot use --at with ${verb}: it belongs to fork`);
  }
  if (flags["yes"] && verb !== "clear") {
    throw usage(`Cannot use --yes with ${verb}: it belongs to clear`);
  }
  const command: SessionCommand = {
    kind: "session",
    verb,
    ...(implied && { implied }),
    paths: paths.length === 0 ? ["."] : paths,
    json: flags["json"] === true,
    yes: flags["yes"] === true,
    at: at === undefined ? undefined : wholeValue("at", at, 1),
    debug: flags["debug"] === true,
  };
  return command;
}

/** The verb comes first (`session list DIR`), second (`session DIR list`), or is `show`. */
function verbOf(
  words: readonly string[],
  rest: readonly string[],
): { verb: SessionVerb; paths: readonly string[]; implied?: true } {
  const [first, second, ...others] = words;
  if (isVerb(first)) return { verb: first, paths: [...words.slice(1), ...rest] };
  if (first !== undefined && isVerb(second)) {
    return { verb: second, paths: [first, ...others, ...rest] };
  }
  const paths = [...words, ...rest];
  if (paths.length === 1) return { verb: "show", paths, implied: true };
  if (paths.length === 0) {
    throw usage(
      "Cannot tell what to do with a session: write fast-rlm session show DIR, see fast-rlm help session",
    );
  }
  const meant = [first, second].map((word) =>
    word === undefined ? undefined : didYouMean(word, Object.keys(SESSION_VERBS))
  ).find((word) => word !== undefined);
  const hint = meant === undefined
    ? `expected one of ${Object.keys(SESSION_VERBS).join(", ")}`
    : `did you mean ${meant}?`;
  throw usage(`Cannot use session ${showName(paths[0]!)}: ${hint}`);
}

function parseCompletions(argv: readonly string[]): Command {
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

function parseHelp(argv: readonly string[]): Command {
  const [topic = "main"] = argv;
  if (Object.hasOwn(OPTIONS, topic)) return { kind: "help", topic: topic as HelpTopic };
  if (["main", "completions", "help"].includes(topic) || topic.startsWith("-")) {
    return { kind: "help", topic: "main" };
  }
  const meant = didYouMean(topic, Object.keys(OPTIONS));
  const hint = meant === undefined ? Object.keys(OPTIONS).join(", ") : `did you mean ${meant}?`;
  throw usage(`Cannot show help on ${showValue(topic)}: ${hint}`);
}
