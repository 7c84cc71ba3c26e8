import type { BaseUrl } from "./base_url.ts";
import { anthropicDialect } from "./dialect_anthropic.ts";
import { googleDialect } from "./dialect_google.ts";
import { openAiDialect } from "./dialect_openai.ts";
import type { SdkProvider } from "./sdk_model.ts";

/*
 * Each provider's package is imported only when a model of it is named, and the import is under way
 * while the rest of the run starts: `connect` is a promise that nobody awaits before the first call.
 */

const started = <T>(loading: Promise<T>): Promise<T> => {
  // A failed import is reported by the call that awaits it, not as a stray rejection.
  loading.catch(() => {});
  return loading;
};

/** Some gateways take their key in the address: none of its variable parts may be shown. */
const secretsIn = (base: BaseUrl | undefined): string[] =>
  base ? [...Object.values(base.query), new URL(base.url).password].filter(Boolean) : [];

/** OpenRouter, or a proxy that speaks its protocol. */
export function openRouter(name: string, key: string, base?: BaseUrl): SdkProvider {
  const connect = import("@openrouter/ai-sdk-provider").then(({ createOpenRouter }) =>
  (
    fetch: typeof globalThis.fetch,
  ) =>
    createOpenRouter({
      apiKey: key,
      fetch,
      compatibility: "strict",
      ...(base ? { baseURL: base.url } : {}),
    }).chat(name, { usage: { include: true } })
  );
  return {
    connect: started(connect),
    dialect: openAiDialect,
    ...(/^anthropic\/|\/claude/.test(name) ? { cacheMarks: "openrouter" as const } : {}),
    keys: [key, ...secretsIn(base)],
    keyHint: "check OPENROUTER_API_KEY or RLM_MODEL_API_KEY",
    urlHint: `check the model's name "${name}"`,
  };
}

/** Any endpoint that takes OpenAI's chat completions. */
export function openAiCompatible(
  name: string,
  key: string | undefined,
  base: BaseUrl,
): SdkProvider {
  const connect = import("@ai-sdk/openai-compatible").then(({ createOpenAICompatible }) =>
  (
    fetch: typeof globalThis.fetch,
  ) =>
    createOpenAICompatible({
      name: "endpoint",
      baseURL: base.url,
      includeUsage: true,
      fetch,
      ...(key === undefined ? {} : { apiKey: key }),
      ...(Object.keys(base.query).length > 0 ? { queryParams: { ...base.query } } : {}),
    }).chatModel(name)
  );
  return {
    connect: started(connect),
    dialect: openAiDialect,
    keys: [...(key === undefined ? [] : [key]), ...secretsIn(base)],
    keyHint: key === undefined
      ? "no key was sent, set RLM_MODEL_API_KEY"
      : "check RLM_MODEL_API_KEY (or OPENAI_API_KEY, OPENROUTER_API_KEY)",
    urlHint:
      `check the model's name "${name}" and RLM_MODEL_BASE_URL, which most often ends in /v1`,
  };
}

/** Anthropic's own API. */
export function anthropic(name: string, key: string): SdkProvider {
  const connect = import("@ai-sdk/anthropic").then(({ createAnthropic }) =>
  (
    fetch: typeof globalThis.fetch,
  ) => createAnthropic({ apiKey: key, fetch, baseURL: "https://api.anthropic.com/v1" })(name));
  return {
    connect: started(connect),
    dialect: anthropicDialect,
    cacheMarks: "anthropic",
    keys: [key],
    keyHint: "check ANTHROPIC_API_KEY",
    urlHint: `check the model's name "${name}"`,
  };
}

/** Gemini by Google AI. */
export function google(name: string, key: string): SdkProvider {
  const connect = import("@ai-sdk/google").then(({ createGoogleGenerativeAI }) =>
  (
    fetch: typeof globalThis.fetch,
  ) =>
    createGoogleGenerativeAI({
      apiKey: key,
      fetch,
      baseURL: "https://generativelanguage.googleapis.com/v1beta",
    })(name)
  );
  return {
    connect: started(connect),
    dialect: googleDialect,
    keys: [key],
    keyHint: "check GEMINI_API_KEY (or GOOGLE_GENERATIVE_AI_API_KEY, GOOGLE_API_KEY)",
    urlHint: `check the model's name "${name}"`,
  };
}

/** How Vertex lets one in: a key (express mode), or a project with application default credentials. */
export type VertexAccess =
  | { readonly key: string }
  | { readonly project: string; readonly location: string };

/** Gemini by Google Cloud Vertex AI. */
export function vertex(name: string, access: VertexAccess): SdkProvider {
  const connect = import("@ai-sdk/google-vertex").then(({ createVertex }) =>
  (
    fetch: typeof globalThis.fetch,
  ) =>
    createVertex(
      "key" in access
        ? { apiKey: access.key, fetch }
        : { project: access.project, location: access.location, fetch },
    )(name)
  );
  return {
    connect: started(connect),
    dialect: googleDialect,
    keys: "key" in access ? [access.key] : [],
    keyHint: "key" in access
      ? "check GOOGLE_VERTEX_API_KEY"
      : "run `gcloud auth application-default login` or set GOOGLE_APPLICATION_CREDENTIALS",
    urlHint: `check the model's name "${name}"`,
  };
}
