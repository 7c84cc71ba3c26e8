import type { Clock } from "../clock.ts";
import { RlmError } from "../errors.ts";
import { type BaseUrl, readBaseUrl } from "./base_url.ts";
import { type CallSettings, readKwargs } from "./kwargs.ts";
import type { Model } from "./model.ts";
import { ownModel } from "./own_model.ts";
import * as providers from "./providers.ts";
import { replayModel } from "./replay.ts";
import type { RetryOptions } from "./retry.ts";
import { oneLine } from "./safe_text.ts";
import { sdkModel, type SdkModelOptions, type SdkProvider, type StopAtCode } from "./sdk_model.ts";
import { type AiSdkLanguageModel, isAiSdkModel } from "./sdk_types.ts";

export type { AiSdkLanguageModel } from "./sdk_types.ts";

/** What a model's name is resolved with. */
export interface ResolveOptions {
  /** Reads an environment variable. */
  readonly env: (name: string) => string | undefined;
  readonly clock: Clock;
  /** Address of an OpenAI-compatible API. @default RLM_MODEL_BASE_URL */
  readonly baseUrl?: string;
  /** @default by provider, see `resolveModel` */
  readonly apiKey?: string;
  /** `llmKwargs`: call settings, and fields for the request's body. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
  /** Tries after the first one. @default 3 */
  readonly maxRetries?: number;
  /** Seconds that one try may take. @default 600 */
  readonly timeoutSeconds?: number;
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch;
  /** @default "safe" */
  readonly stopAtCode?: StopAtCode;
  /** Spreads the waits of parallel calls; from 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** For `replay:`: the text of the run's query. */
  readonly query?: string;
  /** For `replay:`: tells runs of the same query apart. */
  readonly runKey?: string;
  /** For `replay:`: told once when the run leaves the recording. */
  readonly onDivergence?: (message: string) => void;
}

/**
 * The model that `spec` names. A `Model` is given back as it is, an AI SDK language model is wrapped.
 *
 * | spec | goes to | key, first found |
 * |---|---|---|
 * | anything, while a base URL is set | that OpenAI-compatible endpoint | RLM_MODEL_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY; none is fine |
 * | `openrouter/VENDOR/NAME` | OpenRouter (at the base URL, if one is set) | RLM_MODEL_API_KEY, OPENROUTER_API_KEY, an OPENAI_API_KEY that begins with `sk-or-` |
 * | `anthropic/NAME` | Anthropic, if its key is set | ANTHROPIC_API_KEY |
 * | `google/NAME` | Gemini, if its key is set | GEMINI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, GOOGLE_API_KEY |
 * | `openai/NAME` | OpenAI, if its key is set and none for OpenRouter | OPENAI_API_KEY |
 * | `vertex/NAME` | Vertex AI | GOOGLE_VERTEX_API_KEY, else GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION with application default credentials |
 * | `VENDOR/NAME` | OpenRouter | as for OpenRouter |
 * | `acp:NAME` | a coding agent on this machine: claude, codex, opencode, gemini, or RLM_ACP_COMMAND | its own login |
 * | `replay:FILE` | nowhere: plays a recording | none |
 *
 * `apiKey` beats the environment. Returns while the provider's package is still loading, so that the
 * start of the run overlaps with it. Throws `config` for a name or address that cannot be used
 * and where a key is missing, `input` for a recording that cannot be read.
 */
export async function resolveModel(
  spec: string | Model | AiSdkLanguageModel,
  options: ResolveOptions,
): Promise<Model> {
  const settings = readKwargs(options.kwargs);
  if (typeof spec !== "string") return resolveObject(spec, settings, options);
  const name = spec.trim();
  if (name === "") {
    throw new RlmError(
      "config",
      "Cannot start: no model is named; give one, for example --primary-agent openrouter/VENDOR/NAME",
    );
  }
  if (name.startsWith("replay:")) return await replay(name.slice("replay:".length), options);
  if (name.startsWith("acp:")) return await acp(name, options, sdkOptions(settings, options));
  return sdkModel(name, chooseProvider(name, options), sdkOptions(settings, options));
}

function sdkOptions(settings: CallSettings, options: ResolveOptions): SdkModelOptions {
  return {
    settings,
    clock: options.clock,
    maxRetries: options.maxRetries ?? 3,
    timeoutMs: (options.timeoutSeconds ?? 600) * 1000,
    ...(options.fetch ? { fetch: options.fetch } : {}),
    ...(options.stopAtCode ? { stopAtCode: options.stopAtCode } : {}),
    ...(options.random ? { random: options.random } : {}),
  };
}

function resolveObject(
  spec: Model | AiSdkLanguageModel,
  settings: CallSettings,
  options: ResolveOptions,
): Model {
  if (isAiSdkModel(spec)) {
    const provider: SdkProvider = {
      connect: Promise.resolve(() => spec),
      keys: [],
      keyHint: "check the key that the model was made with",
    };
    return sdkModel(`${spec.provider}/${spec.modelId}`, provider, sdkOptions(settings, options));
  }
  if (typeof spec === "object" && spec !== null && typeof spec.generate === "function") {
    return ownModel(spec);
  }
  throw new RlmError(
    "config",
    "Cannot use the model: it is neither a name, nor a Model, nor an AI SDK language model (V2 to V4)",
  );
}

async function replay(file: string, options: ResolveOptions): Promise<Model> {
  if (file === "") {
    throw new RlmError("config", "Cannot use replay: no file is named; write replay:FILE");
  }
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such file"
      : oneLine(error instanceof Error ? error.message : String(error), 120);
    throw new RlmError("input", `Cannot read the recording ${oneLine(file, 200)}: ${why}`);
  }
  return replayModel(text, file, options);
}

async function acp(name: string, options: ResolveOptions, retries: RetryOptions): Promise<Model> {
  const [{ acpModel }, { acpCommand, startAcp }] = await Promise.all([
    import("./acp.ts"),
    import("./acp_process.ts"),
  ]);
  const agent = name.slice("acp:".length);
  const command = acpCommand(agent, options.env("RLM_ACP_COMMAND"));
  return acpModel(name, () => startAcp(agent, command), retries);
}

/** Which provider serves a name; see `resolveModel`. */
function chooseProvider(name: string, options: ResolveOptions): SdkProvider {
  const { env, apiKey } = options;
  const found = (...variables: string[]): string | undefined =>
    variables.map((variable) => env(variable)?.trim()).find((value) => value);
  const generalKey = apiKey ?? found("RLM_MODEL_API_KEY");
  const openAiKey = found("OPENAI_API_KEY");
  const routerKey = generalKey ?? found("OPENROUTER_API_KEY") ??
    (openAiKey?.startsWith("sk-or-") ? openAiKey : undefined);

  const baseText = options.baseUrl ?? found("RLM_MODEL_BASE_URL");
  const slash = name.indexOf("/");
  const vendor = name.slice(0, Math.max(0, slash));
  const rest = name.slice(slash + 1);
  if (slash >= 0 && (vendor === "" || rest === "")) throw unnamed(name);

  if (baseText) {
    const base = readBaseUrl(baseText, options.baseUrl ? "baseUrl" : "RLM_MODEL_BASE_URL");
    const key = generalKey ?? openAiKey ?? found("OPENROUTER_API_KEY");
    const named = vendor === "openrouter";
    const isRouter = new URL(base.url).hostname.endsWith("openrouter.ai");
    // An endpoint of one's own may want no key; then it is no OpenRouter, whatever the name says.
    if (isRouter || (named && (routerKey ?? key))) {
      return router(named ? rest : name, routerKey ?? key, base);
    }
    const plain = named || vendor === "openai-compatible" ? rest : name;
    return providers.openAiCompatible(plain, key, base);
  }
  const anthropicKey = found("ANTHROPIC_API_KEY");
  const googleKey = found("GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY");
  if (vendor === "openrouter") return router(rest, routerKey);
  if (vendor === "anthropic" && anthropicKey) {
    return providers.anthropic(rest, apiKey ?? anthropicKey);
  }
  if (vendor === "google" && googleKey) return providers.google(rest, apiKey ?? googleKey);
  if (vendor === "vertex") return providers.vertex(rest, vertexAccess(name, found, apiKey));
  if (vendor === "openai" && openAiKey && !routerKey) {
    return providers.openAiCompatible(rest, openAiKey, openAi);
  }
  if (vendor === "openai-compatible") {
    throw new RlmError(
      "config",
      `Cannot use ${oneLine(name, 80)}: no endpoint is named; set RLM_MODEL_BASE_URL`,
    );
  }
  if (slash < 0) throw unnamed(name);
  return router(name, routerKey, undefined, ownKey[vendor]);
}

const openAi: BaseUrl = { url: "https://api.openai.com/v1", query: {} };

/** Vendors that can be reached without OpenRouter, and the variable that holds their key. */
const ownKey: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  google: "GEMINI_API_KEY",
  openai: "OPENAI_API_KEY",
};

function router(
  name: string,
  key: string | undefined,
  base?: BaseUrl,
  alternative?: string,
): SdkProvider {
  if (key) return providers.openRouter(name, key, base);
  throw new RlmError(
    "config",
    `Cannot use ${oneLine(name, 80)}: no key is set; set ${
      alternative ? `${alternative}, or ` : ""
    }OPENROUTER_API_KEY or RLM_MODEL_API_KEY${unreadableHint("RLM_MODEL_API_KEY")}`,
  );
}

/** For a program that may not read a variable, which is as if it were not set. */
function unreadableHint(variable: string): string {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? "" : `, and let Deno read it: --allow-env=${variable}`;
}

function vertexAccess(
  name: string,
  found: (...variables: string[]) => string | undefined,
  apiKey: string | undefined,
): providers.VertexAccess {
  const key = apiKey ?? found("GOOGLE_VERTEX_API_KEY");
  if (key) return { key };
  const project = found("GOOGLE_VERTEX_PROJECT", "GOOGLE_CLOUD_PROJECT");
  const location = found("GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION");
  if (project && location) return { project, location };
  throw new RlmError(
    "config",
    `Cannot use ${oneLine(name, 80)}: no access is set; set GOOGLE_VERTEX_API_KEY, or ` +
      "GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION",
  );
}

function unnamed(name: string): RlmError {
  return new RlmError(
    "config",
    `Cannot use the model "${oneLine(name, 80)}": it names no provider; write ` +
      "openrouter/VENDOR/NAME, or set RLM_MODEL_BASE_URL to an OpenAI-compatible endpoint",
  );
}
