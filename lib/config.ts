import {
  CONFIG_FIELDS,
  DEFAULTS,
  environmentName,
  type FieldName,
  fileName,
} from "./config_fields.ts";
import { didYouMean } from "./did_you_mean.ts";
import { RlmError } from "./errors.ts";
import type { Model } from "./model/model.ts";
import { defaultConcurrency } from "./scheduler.ts";
import { showName, showValue } from "./show_value.ts";

/** The part of an AI SDK language model by which it is known; any version of the interface. */
export interface LanguageModelLike {
  /** The model's name at its provider. */
  readonly modelId: string;
  /** The provider's name. */
  readonly provider: string;
  /** The SDK's own call; never made but through the SDK. */
  doGenerate(...options: never[]): unknown;
}

/** A model by name (`openrouter/…`, `replay:FILE`), as an AI SDK model, or as a `Model` of your own. */
export type ModelChoice = string | Model | LanguageModelLike;

/** An MCP server: started by command (stdio), or reached by URL (HTTP). */
export interface McpServerConfig {
  /** Program of a stdio server. */
  readonly command?: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Its environment, beside a few harmless variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Address of an HTTP server. */
  readonly url?: string;
  /** Headers of every request to it, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further keys that other programs' files have. */
  readonly [key: string]: unknown;
}

/**
 * What a caller may set. Nothing is needed but `primaryAgent`. For limits 0 is zero, and `"none"` or
 * `Infinity` switches those off that say so.
 */
export interface Config {
  /** Model of the root agent. No default. */
  primaryAgent?: ModelChoice;
  /** Model of sub-agents. @default the primary agent's */
  subAgent?: ModelChoice;
  /** Standing instruction for the root agent; sub-agents do not see it. */
  instruction?: string;
  /** What FINAL must satisfy: a JSON Schema, a Zod type or any Standard Schema. */
  outputSchema?: unknown;
  /** AI SDK tools and plain functions by name; they run on the host. */
  tools?: Readonly<Record<string, unknown>>;
  /** MCP servers by name. */
  mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** Values that tools are given, by name; never in a prompt or a log. */
  env?: Readonly<Record<string, string>>;
  /** Names of `env` whose values the root agent's code may read as `env.NAME`. @default none */
  exposeEnv?: readonly string[];
  /** Further parameters of model calls, passed to the provider. */
  llmKwargs?: Readonly<Record<string, unknown>>;
  /** Tries after a failed model call. @default 3 */
  apiMaxRetries?: number;
  /** Time limit of one model call in seconds. @default 600 */
  apiTimeoutSeconds?: number;
  /** Directory of the session. @default a private one, removed at the end */
  sessionDir?: string;
  /** A folder below `sessionDir`: one portable path segment. */
  sessionId?: string;
  /** Whether a resumed agent sees its earlier code; `"all"` ignores the budget. @default true */
  addSessionCodeToContext?: boolean | "all";
  /** Prompt tokens that a resume may cost. @default 3,000 */
  resumeTokens?: number;
  /** Larger variables are not saved; MB of encoded UTF-8. @default 5 */
  variableCapMb?: number;
  /** Levels of sub-agents below the root; 0 allows none. @default 3 */
  maxDepth?: number;
  /** Model calls of one agent. @default 20 */
  maxCallsPerSubagent?: number;
  /** Model calls of a run, or "none". @default none, 50 for an `acp:` agent */
  maxGlobalCalls?: number | "none";
  /** Prompt tokens of a run, or "none". @default 1,000,000 */
  maxPromptTokens?: number | "none";
  /** Completion tokens of a run, or "none". @default 100,000 */
  maxCompletionTokens?: number | "none";
  /** Cost of a run in US dollars, or "none". @default 1.0 */
  maxMoneySpent?: number | "none";
  /** Wall time of a run in seconds, or "none". @default none */
  maxSeconds?: number | "none";
  /** Characters of output that an agent sees a step. @default 4,000 */
  truncateLen?: number;
  /** Active code time of a step in seconds; waiting does not count. @default 120 */
  stepTimeoutSeconds?: number;
  /** Memory of one sandbox in MB. @default 2,048 */
  memoryLimitMb?: number;
  /** Sub-agents at once. @default four for every core, fewer where memory is short, 1 to 32 */
  maxConcurrency?: number;
  /** Size of a context in MB. @default 512 */
  maxContextMb?: number;
  /** Where transcripts go. @default `logs` in the session directory, else `logs` */
  logDir?: string;
  /** First part of a transcript's name: one portable path segment. @default "run" */
  prefix?: string;
  /** File that model calls and replies are written to. */
  record?: string;
}

/** Every setting with the value that counts. A limit that is off is `Infinity`. */
export interface ResolvedConfig {
  readonly primaryAgent: ModelChoice;
  readonly subAgent: ModelChoice;
  readonly instruction: string | undefined;
  readonly outputSchema: unknown;
  readonly tools: Readonly<Record<string, unknown>>;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  readonly env: Readonly<Record<string, string>>;
  readonly exposeEnv: readonly string[];
  readonly llmKwargs: Readonly<Record<string, unknown>>;
  readonly apiMaxRetries: number;
  readonly apiTimeoutSeconds: number;
  /** Undefined: the session is a private one that ends with its owner. */
  readonly sessionDir: string | undefined;
  readonly sessionId: string | undefined;
  readonly addSessionCodeToContext: boolean | "all";
  readonly resumeTokens: number;
  readonly variableCapMb: number;
  readonly maxDepth: number;
  readonly maxCallsPerSubagent: number;
  readonly maxGlobalCalls: number;
  readonly maxPromptTokens: number;
  readonly maxCompletionTokens: number;
  readonly maxMoneySpent: number;
  readonly maxSeconds: number;
  readonly truncateLen: number;
  readonly stepTimeoutSeconds: number;
  readonly memoryLimitMb: number;
  readonly maxConcurrency: number;
  readonly maxContextMb: number;
  /** Undefined: `logs` in the session directory where there is one, else `logs`. */
  readonly logDir: string | undefined;
  readonly prefix: string;
  readonly record: string | undefined;
}

/** Values from one place. */
export interface ConfigLayer {
  /** Where the values come from, as errors name it: a file's path; "options", "flags", "environment". */
  readonly source: string;
  /**
   * How errors write the names, and whether text stands for numbers: `flags` and `environment` hold
   * text, `file` uses snake_case keys. The other kinds use the names of `Config`.
   * @default "options"
   */
  readonly kind?: "options" | "flags" | "environment" | "file";
  readonly values: Readonly<Record<string, unknown>>;
}

/** The name of a setting as a layer's errors write it. */
function nameIn(layer: ConfigLayer, field: typeof CONFIG_FIELDS[number]): string {
  switch (layer.kind) {
    case "flags":
      return field.flag === undefined ? field.name : `--${field.flag}`;
    case "environment":
      return environmentName(field.name);
    case "file":
      return `${fileName(field.name)} from ${showName(layer.source)}`;
    default:
      return field.name;
  }
}

function unknownName(layer: ConfigLayer, key: string): RlmError {
  const known = CONFIG_FIELDS.map((field) =>
    layer.kind === "file" ? fileName(field.name) : field.name
  );
  const where = layer.kind === "file" ? ` from ${showName(layer.source)}` : "";
  const shown = showName(key);
  if (/api_?key/i.test(key)) {
    return new RlmError(
      "config",
      `Cannot use ${shown}${where}: keys are read from the environment only, set RLM_MODEL_API_KEY`,
    );
  }
  const meant = didYouMean(key, known);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new RlmError("config", `Cannot use ${shown}${where}: there is no such setting${hint}`);
}

function checkLayer(layer: ConfigLayer, into: Record<string, unknown>): void {
  const isText = layer.kind === "flags" || layer.kind === "environment";
  for (const [key, value] of Object.entries(layer.values)) {
    const field = CONFIG_FIELDS.find((f) =>
      (layer.kind === "file" ? fileName(f.name) : f.name) === key
    );
    if (field === undefined) throw unknownName(layer, key);
    if (value === undefined) continue;
    const checked = field.check.check(value, isText);
    if (!checked.ok) {
      throw new RlmError(
        "config",
        `Cannot use ${nameIn(layer, field)}: current value is ${
          showValue(value)
        }, expected ${checked.expected}`,
      );
    }
    into[field.name] = checked.value;
  }
}

/**
 * Checks layers and lays them over each other; the first layer wins (flags, then file, then
 * environment).
 *
 * @throws {RlmError} `config`, naming source, setting and current value
 */
export function checkConfig(...layers: ConfigLayer[]): Config {
  const values: Record<string, unknown> = {};
  for (const layer of layers.toReversed()) checkLayer(layer, values);
  if (values["sessionId"] !== undefined && values["sessionDir"] === undefined) {
    const flags = layers.some((layer) => layer.kind === "flags");
    throw new RlmError(
      "config",
      flags
        ? "Cannot use --session-id without --session-dir: name the directory that holds the session"
        : "Cannot use sessionId without sessionDir: name the directory that holds the session",
    );
  }
  return values as Config;
}

/**
 * Raw → checked → resolved, once: every setting has the value that counts, and nothing downstream
 * knows a default. The first layer wins.
 *
 * @throws {RlmError} `config`, naming source, setting and current value; also when no model is named
 */
export function resolveConfig(...layers: ConfigLayer[]): ResolvedConfig {
  const values = checkConfig(...layers) as Partial<ResolvedConfig>;
  const { primaryAgent } = values;
  if (primaryAgent === undefined) {
    const ways = layers.some((layer) => layer.kind === "flags")
      ? "--primary-agent, primary_agent in a config file, or RLM_PRIMARY_AGENT"
      : "primaryAgent";
    throw new RlmError("config", `Cannot run without a model: name one with ${ways}`);
  }
  const acp = typeof primaryAgent === "string" && primaryAgent.startsWith("acp:");
  return {
    instruction: undefined,
    outputSchema: undefined,
    tools: {},
    mcpServers: {},
    env: {},
    exposeEnv: [],
    llmKwargs: {},
    sessionDir: undefined,
    sessionId: undefined,
    logDir: undefined,
    record: undefined,
    ...DEFAULTS,
    ...(acp ? { maxGlobalCalls: 50 } : {}),
    maxConcurrency: defaultConcurrency(navigator.hardwareConcurrency, memoryBytes()),
    subAgent: primaryAgent,
    ...values,
    primaryAgent,
  };
}

/**
 * The layer of the environment: `RLM_MAX_DEPTH` for `maxDepth` and so on. A variable that is set but
 * empty counts as not set. Keys and the base URL of the model are read elsewhere.
 *
 * @param env gives the value of a variable
 */
export function environmentLayer(env: (name: string) => string | undefined): ConfigLayer {
  const values: Record<string, unknown> = {};
  for (const field of CONFIG_FIELDS) {
    // Structured values have no readable form in a variable.
    if ("load" in field || field.flag === undefined) continue;
    const value = env(environmentName(field.name));
    if (value !== undefined && value !== "") values[field.name] = value;
  }
  return { source: "environment", kind: "environment", values };
}

/** Names of `Config`, for picking it out of a larger object of options. */
export function pickConfig(options: Readonly<Record<string, unknown>>): Partial<
  Record<FieldName, unknown>
> {
  const picked: Partial<Record<FieldName, unknown>> = {};
  for (const { name } of CONFIG_FIELDS) {
    if (options[name] !== undefined) picked[name] = options[name];
  }
  return picked;
}

/** Memory of the machine; 0 where it may not be asked for. */
function memoryBytes(): number {
  // Asked first: the call itself would make Deno ask the user.
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "systemMemoryInfo" });
  return state === "granted" ? Deno.systemMemoryInfo().total : 0;
}
