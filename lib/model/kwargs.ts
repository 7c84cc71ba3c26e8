import { RlmError } from "../errors.ts";

/** `llmKwargs`, sorted into what the SDK has a setting for and what goes into the body as it is. */
export interface CallSettings {
  readonly sdk: Readonly<{
    temperature?: number;
    topP?: number;
    topK?: number;
    frequencyPenalty?: number;
    presencePenalty?: number;
    seed?: number;
    stopSequences?: string[];
  }>;
  readonly maxOutputTokens: number | undefined;
  /** Fields for the request's JSON body, by the provider's own names. */
  readonly body: Readonly<Record<string, unknown>>;
}

const numbers: Readonly<Record<string, string>> = {
  temperature: "temperature",
  top_p: "topP",
  topP: "topP",
  top_k: "topK",
  topK: "topK",
  frequency_penalty: "frequencyPenalty",
  frequencyPenalty: "frequencyPenalty",
  presence_penalty: "presencePenalty",
  presencePenalty: "presencePenalty",
  seed: "seed",
};

const lengths = new Set([
  "max_tokens",
  "maxTokens",
  "max_output_tokens",
  "maxOutputTokens",
  "max_completion_tokens",
]);

/** What the engine itself decides. */
const reserved = new Set(["model", "messages", "contents", "system", "stream", "n"]);

/**
 * Sorts `llmKwargs`. Names are taken in snake case and camel case; `extra_body` is merged into the
 * body. Throws `config` for a setting of the wrong type and for what the engine itself decides.
 */
export function readKwargs(kwargs: Readonly<Record<string, unknown>> = {}): CallSettings {
  const sdk: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  let maxOutputTokens: number | undefined;
  for (const [name, value] of Object.entries(kwargs)) {
    if (value === undefined) continue;
    const setting = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
    if (setting !== undefined) {
      sdk[setting] = finite(name, value);
    } else if (lengths.has(name)) {
      const length = finite(name, value);
      if (!Number.isSafeInteger(length) || length < 1) {
        throw wrong(name, value, "a whole number from 1");
      }
      maxOutputTokens = length;
    } else if (name === "stop" || name === "stop_sequences" || name === "stopSequences") {
      sdk["stopSequences"] = strings(name, value);
    } else if (name === "extra_body" || name === "extraBody") {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw wrong(name, value, "an object");
      }
      for (const [field, given] of Object.entries(value)) set(body, field, given);
    } else set(body, name, value);
  }
  return { sdk, maxOutputTokens, body };
}

function set(body: Record<string, unknown>, name: string, value: unknown): void {
  if (reserved.has(name)) {
    throw new RlmError(
      "config",
      `Cannot use llmKwargs.${name}: the engine sets it itself; remove it`,
    );
  }
  body[name] = value;
}

function finite(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(name, value, "a number");
  return value;
}

function strings(name: string, value: unknown): string[] {
  const list = typeof value === "string" ? [value] : value;
  if (Array.isArray(list) && list.every((one) => typeof one === "string")) return list;
  throw wrong(name, value, "a string or a list of strings");
}

function wrong(name: string, value: unknown, wanted: string): RlmError {
  const shown = (JSON.stringify(value) ?? String(value)).slice(0, 60);
  return new RlmError(
    "config",
    `Cannot use llmKwargs.${name}: current value is ${shown}, not ${wanted}`,
  );
}

/** Merges fields into a body; objects on both sides are merged one level deep. */
export function mergeBody(
  body: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(more)) {
    const old = merged[name];
    merged[name] = isPlain(old) && isPlain(value) ? { ...old, ...value } : value;
  }
  return merged;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
