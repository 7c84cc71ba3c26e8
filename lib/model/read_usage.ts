import type { Usage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one where it is none. */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

/** A number that counts something: a finite, non-negative number or numeric string, else unknown. */
export function amount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const first = (...values: unknown[]): number | undefined =>
  values.map(amount).find((value) => value !== undefined);

const sum = (...values: (number | undefined)[]): number | undefined =>
  values.reduce((a, b) => a === undefined ? b : b === undefined ? a : a + b, undefined);

/** One call's usage from its parts: totals are filled in, and what nobody told stays unknown. */
export function oneCall(parts: Partial<Usage>): Usage {
  // No prompt takes 0 tokens: a gateway that says so does not know.
  const promptTokens = parts.promptTokens === 0 ? undefined : parts.promptTokens;
  const told = promptTokens !== undefined || (parts.completionTokens ?? 0) > 0;
  const completionTokens = told ? parts.completionTokens : undefined;
  const bothKnown = promptTokens !== undefined && completionTokens !== undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: told ? parts.cachedTokens : undefined,
    reasoningTokens: told ? parts.reasoningTokens : undefined,
    totalTokens: (parts.totalTokens || undefined) ??
      (bothKnown ? promptTokens + completionTokens : undefined),
    cost: parts.cost,
    calls: 1,
    unknownCalls: bothKnown ? 0 : 1,
  };
}

/**
 * Usage as a provider's body tells it, in the shapes of OpenAI (and OpenRouter, DeepSeek),
 * Anthropic and Gemini. The cost is the provider's own figure in US dollars; none is computed.
 */
export function readRawUsage(raw: unknown): Usage {
  const usage = fields(raw);
  const promptDetails = fields(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const outputDetails = fields(
    usage["completion_tokens_details"] ?? usage["output_tokens_details"],
  );
  const costDetails = fields(usage["cost_details"]);
  const anthropicCacheRead = amount(usage["cache_read_input_tokens"]);
  const anthropicCacheWrite = amount(usage["cache_creation_input_tokens"]);
  const thoughts = amount(usage["thoughtsTokenCount"]);
  const cost = first(usage["cost"], usage["total_cost"]);
  // With a key of their own users pay the vendor beside OpenRouter.
  const upstream = usage["is_byok"] === true
    ? amount(costDetails["upstream_inference_cost"])
    : undefined;
  const input = amount(usage["input_tokens"]);
  return oneCall({
    promptTokens: first(
      usage["prompt_tokens"],
      usage["promptTokenCount"],
      // Anthropic counts cached tokens apart from input tokens.
      input === undefined ? undefined : sum(input, anthropicCacheRead, anthropicCacheWrite),
    ),
    completionTokens: first(
      usage["completion_tokens"],
      usage["output_tokens"],
      sum(amount(usage["candidatesTokenCount"]), thoughts),
    ),
    cachedTokens: first(
      promptDetails["cached_tokens"],
      usage["prompt_cache_hit_tokens"],
      anthropicCacheRead,
      usage["cachedContentTokenCount"],
    ),
    reasoningTokens: first(
      outputDetails["reasoning_tokens"],
      outputDetails["thinking_tokens"],
      thoughts,
    ),
    totalTokens: first(usage["total_tokens"], usage["totalTokenCount"]),
    cost: sum(cost, upstream),
  });
}

/** Usage as an AI SDK model reports it, in the shapes of its interfaces V2 to V4. */
export function readSdkUsage(usage: unknown, providerMetadata: unknown): Usage {
  const told = fields(usage);
  const input = fields(told["inputTokens"]);
  const output = fields(told["outputTokens"]);
  const openrouter = fields(fields(fields(providerMetadata)["openrouter"])["usage"]);
  return oneCall({
    promptTokens: first(told["inputTokens"], input["total"]),
    completionTokens: first(told["outputTokens"], output["total"]),
    cachedTokens: first(told["cachedInputTokens"], input["cacheRead"]),
    reasoningTokens: first(told["reasoningTokens"], output["reasoning"]),
    totalTokens: first(told["totalTokens"]),
    cost: first(openrouter["cost"], fields(told["raw"])["cost"]),
  });
}

/** Whether both sides of a call's tokens are known. */
export function isKnown(usage: Usage): boolean {
  return usage.calls > 0 && usage.unknownCalls === 0;
}
