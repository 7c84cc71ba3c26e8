import type { Usage } from "../lib/model/usage.ts";

/** Usage as a transcript writes it: the names of fast-rlm's logs; what is unknown is left out. */
export interface UsageFields {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly cached_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cost?: number;
  /** Model calls that the figures cover; absent in fast-rlm's Python logs, where it is one. */
  readonly calls?: number;
  /** Calls whose token counts are unknown. */
  readonly unknown_calls?: number;
}

/** `Usage` → the fields of an entry. */
export function writeUsage(usage: Usage): UsageFields {
  return {
    ...(usage.promptTokens !== undefined && { prompt_tokens: usage.promptTokens }),
    ...(usage.completionTokens !== undefined && { completion_tokens: usage.completionTokens }),
    ...(usage.totalTokens !== undefined && { total_tokens: usage.totalTokens }),
    ...(usage.cachedTokens !== undefined && { cached_tokens: usage.cachedTokens }),
    ...(usage.reasoningTokens !== undefined && { reasoning_tokens: usage.reasoningTokens }),
    ...(usage.cost !== undefined && { cost: usage.cost }),
    calls: usage.calls,
    ...(usage.unknownCalls > 0 && { unknown_calls: usage.unknownCalls }),
  };
}

const figure = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

/** The fields of an entry → `Usage`; anything that is no finite number from 0 is unknown. */
export function readUsage(value: unknown, defaultCalls: number): Usage {
  const fields = typeof value === "object" && value !== null
    ? value as Record<keyof UsageFields, unknown>
    : {} as Partial<Record<keyof UsageFields, unknown>>;
  return {
    promptTokens: figure(fields.prompt_tokens),
    completionTokens: figure(fields.completion_tokens),
    totalTokens: figure(fields.total_tokens),
    cachedTokens: figure(fields.cached_tokens),
    reasoningTokens: figure(fields.reasoning_tokens),
    cost: figure(fields.cost),
    calls: figure(fields.calls) ?? defaultCalls,
    unknownCalls: figure(fields.unknown_calls) ?? 0,
  };
}
