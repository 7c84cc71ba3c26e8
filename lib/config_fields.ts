import {
  booleanOr,
  type Check,
  mcpServers,
  model,
  nameList,
  number,
  path,
  portableName,
  record,
  schema,
  text,
  textRecord,
} from "./config_checks.ts";

/** The part of the help that a field stands in. */
export type FieldGroup = "model" | "session" | "limits" | "sandbox" | "input" | "log";

/**
 * One setting, described once: flags, environment variables, config files, help, completions and
 * checks all derive from this.
 */
export interface ConfigField {
  /** Name in `mod.ts`. Its snake_case form names it in files, `RLM_` and upper case in the environment. */
  readonly name: string;
  /** Long flag without its dashes; undefined where the command line cannot set it. */
  readonly flag: string | undefined;
  /** What the help calls the flag's value: a word in capitals. */
  readonly placeholder: string;
  readonly group: FieldGroup;
  /** At most 44 characters, so that a line of help fits 80 columns. */
  readonly help: string;
  /** The default as the help shows it. */
  readonly shownDefault?: string;
  readonly check: Check;
  /**
   * How text of the command line and of config files becomes the value: `file` reads the file that
   * it names, `json` is JSON or, after an `@`, the name of a JSON file.
   */
  readonly load?: "file" | "json" | "module";
  /** A relative path in a config file starts at that file's folder. */
  readonly isPath?: true;
}

const whole = (min: number, max: number): Check => number(min, max, { whole: true });
const wholeOrNone = (max: number): Check => number(0, max, { whole: true, none: true });

/** Every setting, in the order that the help shows. */
export const CONFIG_FIELDS = [
  {
    name: "primaryAgent",
    flag: "primary-agent",
    placeholder: "MODEL",
    group: "model",
    help: "model of the root agent (needed)",
    check: model,
  },
  {
    name: "subAgent",
    flag: "sub-agent",
    placeholder: "MODEL",
    group: "model",
    help: "model of sub-agents",
    shownDefault: "the primary one",
    check: model,
  },
  {
    name: "instruction",
    flag: "instruction",
    placeholder: "TEXT",
    group: "model",
    help: "standing instruction for the root agent",
    check: text,
  },
  {
    name: "outputSchema",
    flag: "output-schema",
    placeholder: "FILE",
    group: "model",
    help: "JSON Schema that the answer must satisfy",
    check: schema,
    load: "file",
    isPath: true,
  },
  {
    name: "tools",
    flag: "tools",
    placeholder: "FILE",
    group: "model",
    help: "module that exports host-side tools",
    check: record,
    load: "module",
    isPath: true,
  },
  {
    name: "mcpServers",
    flag: "mcp",
    placeholder: "FILE",
    group: "model",
    help: "MCP servers, as in Claude Desktop",
    check: mcpServers,
    load: "file",
    isPath: true,
  },
  {
    name: "env",
    flag: undefined,
    placeholder: "VALUES",
    group: "model",
    help: "values for tools, by name",
    check: textRecord,
  },
  {
    name: "exposeEnv",
    flag: undefined,
    placeholder: "NAMES",
    group: "model",
    help: "values of env that agent code may read",
    check: nameList,
  },
  {
    name: "llmKwargs",
    flag: "llm-kwargs",
    placeholder: "JSON|@FILE",
    group: "model",
    help: "further parameters of model calls",
    check: record,
    load: "json",
  },
  {
    name: "apiMaxRetries",
    flag: "api-max-retries",
    placeholder: "N",
    group: "model",
    help: "tries after a failed model call",
    check: whole(0, 100),
  },
  {
    name: "apiTimeoutSeconds",
    flag: "api-timeout",
    placeholder: "SECONDS",
    group: "model",
    help: "time limit of a model call",
    check: number(0.1, 86_400),
  },
  {
    name: "sessionDir",
    flag: "session-dir",
    placeholder: "DIR",
    group: "session",
    help: "keep the state here, resume from it",
    shownDefault: "not kept",
    check: path,
    isPath: true,
  },
  {
    name: "sessionId",
    flag: "session-id",
    placeholder: "NAME",
    group: "session",
    help: "a folder of that name below --session-dir",
    check: portableName,
  },
  {
    name: "addSessionCodeToContext",
    flag: "session-code",
    placeholder: "yes|all|no",
    group: "session",
    help: "show a resumed agent its earlier code",
    check: booleanOr("all"),
  },
  {
    name: "resumeTokens",
    flag: "resume-tokens",
    placeholder: "N",
    group: "session",
    help: "prompt tokens that a resume may cost",
    check: whole(0, 1_000_000),
  },
  {
    name: "variableCapMb",
    flag: "variable-cap",
    placeholder: "MB",
    group: "session",
    help: "larger variables are not saved",
    check: number(0, 400),
  },
  {
    name: "maxDepth",
    flag: "max-depth",
    placeholder: "N",
    group: "limits",
    help: "levels of sub-agents below the root",
    check: whole(0, 32),
  },
  {
    name: "maxCallsPerSubagent",
    flag: "max-calls",
    placeholder: "N",
    group: "limits",
    help: "model calls of one agent",
    check: whole(0, 10_000),
  },
  {
    name: "maxGlobalCalls",
    flag: "max-global-calls",
    placeholder: "N",
    group: "limits",
    help: "model calls of a run",
    check: wholeOrNone(10_000_000),
  },
  {
    name: "maxPromptTokens",
    flag: "max-prompt-tokens",
    placeholder: "N",
    group: "limits",
    help: "prompt tokens of a run",
    check: wholeOrNone(1e12),
  },
  {
    name: "maxCompletionTokens",
    flag: "max-completion-tokens",
    placeholder: "N",
    group: "limits",
    help: "completion tokens of a run",
    check: wholeOrNone(1e12),
  },
  {
    name: "maxMoneySpent",
    flag: "max-money-spent",
    placeholder: "USD",
    group: "limits",
    help: "cost of a run in US dollars",
    check: number(0, 1_000_000, { none: true }),
  },
  {
    name: "maxSeconds",
    flag: "max-seconds",
    placeholder: "SECONDS",
    group: "limits",
    help: "wall time of a run",
    check: number(0, 31_536_000, { none: true }),
  },
  {
    name: "truncateLen",
    flag: "truncate-len",
    placeholder: "CHARS",
    group: "sandbox",
    help: "output of a step that the agent sees",
    check: whole(0, 10_000_000),
  },
  {
    name: "stepTimeoutSeconds",
    flag: "step-timeout",
    placeholder: "SECONDS",
    group: "sandbox",
    help: "active code time of a step",
    check: number(0.1, 86_400),
  },
  {
    name: "memoryLimitMb",
    flag: "memory-limit",
    placeholder: "MB",
    group: "sandbox",
    help: "memory of one sandbox",
    check: whole(64, 1_048_576),
  },
  {
    name: "maxConcurrency",
    flag: "max-concurrency",
    placeholder: "N",
    group: "sandbox",
    help: "sub-agents at once",
    shownDefault: "by cores",
    check: whole(1, 1_024),
  },
  {
    name: "maxContextMb",
    flag: "max-context",
    placeholder: "MB",
    group: "sandbox",
    help: "size of a context",
    check: number(0, 16_384),
  },
  {
    name: "logDir",
    flag: "log-dir",
    placeholder: "DIR",
    group: "log",
    help: "where transcripts go",
    shownDefault: "SESSION/logs or logs",
    check: path,
    isPath: true,
  },
  {
    name: "prefix",
    flag: "prefix",
    placeholder: "NAME",
    group: "log",
    help: "first part of a transcript's name",
    check: portableName,
  },
  {
    name: "record",
    flag: "record",
    placeholder: "FILE",
    group: "log",
    help: "write model calls to a file, for replay:FILE",
    check: path,
    isPath: true,
  },
] as const satisfies readonly ConfigField[];

/** Defaults that need nothing else; the help shows them too. */
export const DEFAULTS = {
  apiMaxRetries: 3,
  apiTimeoutSeconds: 600,
  addSessionCodeToContext: true,
  resumeTokens: 3_000,
  variableCapMb: 5,
  maxDepth: 3,
  maxCallsPerSubagent: 20,
  maxGlobalCalls: Infinity,
  maxPromptTokens: 1_000_000,
  maxCompletionTokens: 100_000,
  maxMoneySpent: 1,
  maxSeconds: Infinity,
  truncateLen: 4_000,
  stepTimeoutSeconds: 120,
  memoryLimitMb: 2_048,
  maxContextMb: 512,
  prefix: "run",
} as const;

/** The name of a setting in `mod.ts`. */
export type FieldName = typeof CONFIG_FIELDS[number]["name"];

/** The name of a setting in a config file: `maxDepth` is `max_depth`. */
export function fileName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
}

/** The name of a setting in the environment: `maxDepth` is `RLM_MAX_DEPTH`. */
export function environmentName(name: string): string {
  return "RLM_" + fileName(name).toUpperCase();
}
