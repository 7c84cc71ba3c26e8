import type { HelpTopic, SessionVerb, Shell } from "./options.ts";

/** What one call of the program was asked to do. */
export type Command =
  | RunCommand
  | LogCommand
  | SessionCommand
  | { readonly kind: "help"; readonly topic: HelpTopic }
  | { readonly kind: "version" }
  | { readonly kind: "completions"; readonly shell: Shell };

/** `fast-rlm [options] "prompt"`. */
export interface RunCommand {
  readonly kind: "run";
  readonly prompt: string;
  /** Settings by their names in `Config`, as the text that was typed. */
  readonly flags: Readonly<Record<string, string>>;
  readonly configFile: string | undefined;
  /** A path, or `-` for standard input. */
  readonly inputFile: string | undefined;
  /** Seconds to wait for a busy session: 0 not at all, Infinity without an end. */
  readonly wait: number;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
}

/** `fast-rlm log PATH`. */
export interface LogCommand {
  readonly kind: "log";
  readonly path: string;
  /** `auto` is what is asked for without a view: statistics, or plain lines of a followed log in a pipe. */
  readonly view: "auto" | "stats" | "text" | "tui" | "json" | "html";
  /** Where the page goes; only for the view `html`. */
  readonly htmlFile: string | undefined;
  readonly follow: boolean;
  readonly debug: boolean;
}

/** `fast-rlm session …`. */
export interface SessionCommand {
  readonly kind: "session";
  readonly verb: SessionVerb;
  /** Set where no verb was typed, only one word: `session DIR`. */
  readonly implied?: true;
  /** As many as the verb needs. */
  readonly paths: readonly string[];
  readonly json: boolean;
  readonly yes: boolean;
  /** Query number that a fork ends at; undefined for all. */
  readonly at: number | undefined;
  readonly debug: boolean;
}
