/**
 * What model calls used. A field is `undefined` where no call told; where some told and others did
 * not, it is the sum of those that told and `unknownCalls` counts the rest, so the sum is a floor.
 */
export interface Usage {
  /** Tokens of prompts, cached ones included. */
  readonly promptTokens: number | undefined;
  /** Tokens of replies, reasoning included. */
  readonly completionTokens: number | undefined;
  /** Prompt tokens that the provider had in its cache. */
  readonly cachedTokens: number | undefined;
  /** Completion tokens that went into reasoning. */
  readonly reasoningTokens: number | undefined;
  /** Prompt and completion tokens. */
  readonly totalTokens: number | undefined;
  /** US dollars. */
  readonly cost: number | undefined;
  /** Model calls made, retries that cost included. */
  readonly calls: number;
  /** Calls whose token counts are unknown. */
  readonly unknownCalls: number;
}

/** The usage of nothing. */
export const noUsage: Usage = {
  promptTokens: undefined,
  completionTokens: undefined,
  cachedTokens: undefined,
  reasoningTokens: undefined,
  totalTokens: undefined,
  cost: undefined,
  calls: 0,
  unknownCalls: 0,
};

const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;

/** The sum of two usages; unknown plus known is known, unknown plus unknown stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: plus(a.promptTokens, b.promptTokens),
    completionTokens: plus(a.completionTokens, b.completionTokens),
    cachedTokens: plus(a.cachedTokens, b.cachedTokens),
    reasoningTokens: plus(a.reasoningTokens, b.reasoningTokens),
    totalTokens: plus(a.totalTokens, b.totalTokens),
    cost: plus(a.cost, b.cost),
    calls: a.calls + b.calls,
    unknownCalls: a.unknownCalls + b.unknownCalls,
  };
}
