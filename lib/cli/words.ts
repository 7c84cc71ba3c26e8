import type { CommandName } from "./option.ts";

/** What help can be asked about; `main` is the short form of `run`. */
export type HelpTopic = "main" | CommandName;

/** Every word that may stand first on the command line. */
export const COMMAND_WORDS = ["run", "log", "session", "completions", "help"] as const;

/** The shells that completions are written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A shell that completions are written for. */
export type Shell = typeof SHELLS[number];
