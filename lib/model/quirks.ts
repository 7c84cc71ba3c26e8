import type { ModelError } from "./model_error.ts";

/** What a server turned out not to know; learned from its refusals, kept for later calls. */
export interface Quirks {
  /** It takes no `stream_options`. */
  noStreamOptions: boolean;
  /** It cannot stream. */
  noStream: boolean;
  /** It wants `max_completion_tokens` in place of `max_tokens`. */
  completionTokens: boolean;
}

/** A server of which nothing is known. */
export const noQuirks = (): Quirks => ({
  noStreamOptions: false,
  noStream: false,
  completionTokens: false,
});

/** Learns from a refusal; true when the same call, adapted, is worth another try at once. */
export function learn(quirks: Quirks, error: ModelError, streaming: boolean): boolean {
  if (error.code !== "model_bad_request") return false;
  const reason = error.message;
  const once = (name: keyof Quirks): boolean => {
    if (quirks[name]) return false;
    quirks[name] = true;
    return true;
  };
  if (/max_completion_tokens/.test(reason)) return once("completionTokens");
  if (streaming && /stream_options|include_usage/.test(reason)) return once("noStreamOptions");
  if (streaming && /stream/i.test(reason)) return once("noStream");
  return false;
}

/** Whether the body of a request needs no change. */
export function isPlain({ noStreamOptions, completionTokens }: Quirks): boolean {
  return !noStreamOptions && !completionTokens;
}

/** Adapts a request's body to what its server knows. */
export function adapt(quirks: Quirks, body: Record<string, unknown>): Record<string, unknown> {
  const { stream_options, max_tokens, ...rest } = body;
  return {
    ...rest,
    ...(stream_options === undefined || quirks.noStreamOptions ? {} : { stream_options }),
    ...(max_tokens === undefined
      ? {}
      : { [quirks.completionTokens ? "max_completion_tokens" : "max_tokens"]: max_tokens }),
  };
}
