import type { FieldGroup } from "../config_fields.ts";

/** The commands that take options. */
export type CommandName = "run" | "log" | "session";

/** One option of the command line. */
export interface CliOption {
  /** Long name without dashes. */
  readonly flag: string;
  /** One letter, without its dash. */
  readonly short?: string;
  /** What the help calls the value; absent for an option without one. */
  readonly placeholder?: string;
  /** The value may be left out; where it is given, an equals sign must join it. */
  readonly optionalValue?: true;
  readonly help: string;
  readonly group: FieldGroup | "general";
  /** The setting of `Config` that this option sets. */
  readonly field?: string;
  /** What shells complete the value with. */
  readonly completes?: "file" | "directory" | readonly string[];
}

/** The option of every command that asks for its help. */
export const HELP: CliOption = {
  flag: "help",
  short: "h",
  help: "show this help",
  group: "general",
};

/** The option of every command for those who look for a fault. */
export const DEBUG: CliOption = {
  flag: "debug",
  help: "show stack traces of errors",
  group: "general",
};

/** The options of `fast-rlm log`, in the order that the help shows. */
export const LOG_OPTIONS: readonly CliOption[] = [
  {
    flag: "stats",
    help: "answers, time, steps, tokens and cost (default)",
    group: "general",
  },
  { flag: "text", help: "every step as plain text", group: "general" },
  { flag: "tui", help: "browse on the terminal", group: "general" },
  { flag: "json", help: "the same as one JSON document", group: "general" },
  {
    flag: "html",
    placeholder: "FILE",
    help: "write one self-contained page",
    group: "general",
    completes: "file",
  },
  { flag: "follow", help: "go on while the run does: --stats, --text, --tui", group: "general" },
  DEBUG,
  HELP,
];

/** The options of `fast-rlm session`, in the order that the help shows. */
export const SESSION_OPTIONS: readonly CliOption[] = [
  { flag: "json", help: "print as JSON", group: "general" },
  { flag: "yes", help: "clear without asking", group: "general" },
  {
    flag: "at",
    placeholder: "N",
    help: "fork from the end of query N",
    group: "general",
  },
  DEBUG,
  HELP,
];

/** What `fast-rlm session` can do, with the names of its paths. */
export const SESSION_VERBS = {
  list: { paths: ["DIR"], needs: 0, help: "all sessions below DIR (here without one)" },
  show: { paths: ["DIR"], needs: 1, help: "queries, variables, functions, what was dropped" },
  clear: { paths: ["DIR"], needs: 1, help: "remove the session's state and logs, no other files" },
  fork: { paths: ["SRC", "DEST"], needs: 2, help: "a copy that goes on from any earlier query" },
  repair: { paths: ["DIR"], needs: 1, help: "bring back the newest good state, tell what is lost" },
  export: { paths: ["DIR", "FILE"], needs: 2, help: "the session as one file" },
  import: { paths: ["FILE", "DIR"], needs: 2, help: "a session from such a file" },
} as const;

/** The name of something that `fast-rlm session` can do. */
export type SessionVerb = keyof typeof SESSION_VERBS;

/** What help can be asked about; `main` is the short form of `run`. */
export type HelpTopic = "main" | CommandName;

/** Every word that may stand first on the command line. */
export const COMMAND_WORDS = ["run", "log", "session", "completions", "help"] as const;

/** The shells that completions are written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A shell that completions are written for. */
export type Shell = typeof SHELLS[number];
