import { type CliOption, DEBUG, HELP } from "./option.ts";

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
