import { CONFIG_FIELDS } from "../config_fields.ts";
import { type CliOption, DEBUG, HELP } from "./options.ts";

const DIRECTORIES: readonly string[] = ["session-dir", "log-dir"];

const fieldOptions: readonly CliOption[] = CONFIG_FIELDS.flatMap((field): CliOption[] =>
  field.flag === undefined ? [] : [{
    flag: field.flag,
    placeholder: field.placeholder,
    help: field.help,
    group: field.group,
    field: field.name,
    ...(field.flag === "session-code"
      ? { completes: ["yes", "all", "no"] }
      : DIRECTORIES.includes(field.flag)
      ? { completes: "directory" as const }
      : "isPath" in field || field.placeholder.endsWith("FILE")
      ? { completes: "file" as const }
      : {}),
  }]
);

/** The options of `fast-rlm "prompt"`, in the order that the help shows. */
export const RUN_OPTIONS: readonly CliOption[] = [
  ...fieldOptions,
  {
    flag: "no-session-code",
    help: "do not show a resumed agent its code",
    group: "session",
  },
  {
    flag: "wait",
    placeholder: "SECONDS",
    optionalValue: true,
    help: "wait for a busy session, at most so long",
    group: "session",
  },
  {
    flag: "input-file",
    placeholder: "FILE",
    help: "the context; - is standard input",
    group: "input",
    completes: "file",
  },
  {
    flag: "config",
    placeholder: "FILE",
    help: "settings as YAML or JSON, in snake_case",
    group: "input",
    completes: "file",
  },
  { flag: "json", help: "print the whole result as JSON", group: "general" },
  { flag: "quiet", short: "q", help: "no progress", group: "general" },
  { flag: "verbose", help: "progress with code and output", group: "general" },
  DEBUG,
  HELP,
  { flag: "version", help: "show the version", group: "general" },
];
