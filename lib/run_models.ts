import type { Clock } from "./clock.ts";
import type { ModelChoice, ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import { isRecord } from "./config_checks.ts";
import type { Model } from "./model/model.ts";
import { mergeBody } from "./model/kwargs.ts";
import { recorder } from "./model/recording.ts";
import { type AiSdkLanguageModel, resolveModel } from "./model/resolve.ts";
import { showValue } from "./show_value.ts";

/** The models of a run. */
export interface RunModels {
  readonly root: Model;
  readonly sub: Model;
  /** Values of key variables: they must not be written anywhere. */
  readonly secrets: readonly string[];
  /** Receives what the models have to say to the user, also what they said before. */
  onNotice(listener: (message: string) => void): void;
}

/** What the models are resolved with. */
export interface ModelsOptions {
  readonly clock: Clock;
  readonly query: string;
  /** What tells runs of the same query apart in a recording. */
  readonly runKey?: string;
  readonly environment: (name: string) => string | undefined;
}

/** Whether a run plays back or writes a recording. */
export function usesRecording(config: ResolvedConfig): boolean {
  const replays = (model: ModelChoice) => typeof model === "string" && model.startsWith("replay:");
  return config.record !== undefined || replays(config.primaryAgent) || replays(config.subAgent);
}

/** Variables that may hold a key. */
export const KEY_VARIABLES: readonly string[] = [
  "RLM_MODEL_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GOOGLE_VERTEX_API_KEY",
];

/**
 * Resolves the root's and the sub-agents' model; with `record` every call is written to that file.
 * `llmKwargs` holds for both; its entries `primary` and `sub` hold for one of them and come first.
 *
 * @throws {RlmError} `config`, `model_auth`, `input` as `resolveModel` does
 */
export async function openModels(
  config: ResolvedConfig,
  options: ModelsOptions,
): Promise<RunModels> {
  const early: string[] = [];
  let listener = (message: string): void => void early.push(message);
  const run = {
    query: options.query,
    ...(options.runKey === undefined ? {} : { runKey: options.runKey }),
  };
  const resolveOne = (choice: ModelChoice, role: Role): Promise<Model> =>
    resolveModel(choice as string | Model | AiSdkLanguageModel, {
      env: options.environment,
      clock: options.clock,
      kwargs: kwargsOf(config.llmKwargs, role),
      maxRetries: config.apiMaxRetries,
      timeoutSeconds: config.apiTimeoutSeconds,
      ...run,
      onDivergence: (message) => listener(message),
    });
  const root = await resolveOne(config.primaryAgent, "primary");
  const same = config.subAgent === config.primaryAgent &&
    ROLES.every((role) => config.llmKwargs[role] === undefined);
  const sub = same ? root : await resolveOne(config.subAgent, "sub");
  const wrap = config.record === undefined
    ? (model: Model) => model
    : recorder(appendTo(config.record), run);
  const wrapped = wrap(root);
  return {
    root: wrapped,
    sub: sub === root ? wrapped : wrap(sub),
    secrets: KEY_VARIABLES.map(options.environment).filter((key) => key !== undefined),
    onNotice(next) {
      listener = next;
      for (const message of early.splice(0)) next(message);
    },
  };
}

const ROLES = ["primary", "sub"] as const;
type Role = typeof ROLES[number];

/** The parameters of one model: its own over those of both. */
function kwargsOf(
  kwargs: Readonly<Record<string, unknown>>,
  role: Role,
): Readonly<Record<string, unknown>> {
  const common = { ...kwargs };
  for (const name of ROLES) {
    const own = common[name];
    if (own !== undefined && !isRecord(own)) {
      throw new RlmError(
        "config",
        `Cannot use llmKwargs.${name}: current value is ${showValue(own)}, not an object of the ` +
          "parameters of that model",
      );
    }
    delete common[name];
  }
  return mergeBody(common, kwargs[role] as Record<string, unknown> | undefined ?? {});
}

/** Appends lines to the recording, which is made where it is missing. */
function appendTo(path: string): (line: string) => Promise<void> {
  return async (line) => {
    try {
      await Deno.writeTextFile(path, `${line}\n`, { append: true, create: true, mode: 0o600 });
    } catch (error) {
      throw new RlmError("disk", `Cannot write the recording ${path}: ${(error as Error).message}`);
    }
  };
}
