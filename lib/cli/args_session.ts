import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showName } from "../show_value.ts";
import type { Command, SessionCommand } from "./command.ts";
import { SESSION_OPTIONS, SESSION_VERBS, type SessionVerb } from "./options.ts";
import { readArguments, textOf } from "./tokens.ts";
import { wholeValue } from "./whole_value.ts";

const usage = (message: string): RlmError => new RlmError("usage", message);

const isVerb = (word: string | undefined): word is SessionVerb =>
  word !== undefined && Object.hasOwn(SESSION_VERBS, word);

/** The arguments of `fast-rlm session` → what is asked. @throws {RlmError} `usage` */
export async function parseSession(argv: readonly string[]): Promise<Command> {
  const { flags, words, rest, asked } = await readArguments(argv, "session", SESSION_OPTIONS);
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
