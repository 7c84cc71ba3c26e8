import { type CliOption, DEBUG, HELP } from "./option.ts";

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
