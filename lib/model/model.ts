import type { Usage } from "./usage.ts";

/** One message of a conversation with a model. */
export interface ChatMessage {
  /** Who speaks. */
  readonly role: "system" | "user" | "assistant";
  /** What is said. */
  readonly content: string;
}

/** Who asks: names a call in logs, in recordings and in the budget. */
export interface CallerRef {
  /** The agent's path in the tree: "0" is the root, "0.2" its third sub-agent. */
  readonly agent: string;
  /** 0 for the root agent. */
  readonly depth: number;
  /** The call's number within that agent, from 1. */
  readonly call: number;
}

/** What a model is asked. */
export interface ModelRequest {
  /** The conversation so far, the system message first. */
  readonly messages: readonly ChatMessage[];
  /** Who asks. */
  readonly caller: CallerRef;
  /** Completion tokens the reply may have; the provider's default when absent. */
  readonly maxOutputTokens?: number;
  /** Stop generating after the first complete code block, where that is safe and saves tokens. */
  readonly stopAtCode?: boolean;
  /** Ends the call; what is thrown then is the signal's reason. */
  readonly signal?: AbortSignal;
  /** Text as it comes, where the provider streams. */
  readonly onText?: (delta: string) => void;
  /** A try failed and another follows after `waitMs` milliseconds. */
  readonly onRetry?: (retry: { attempt: number; waitMs: number; reason: string }) => void;
}

/** Why a reply ended. */
export type FinishReason = "stop" | "length" | "filtered" | "refused" | "other";

/** What a model answered. */
export interface ModelReply {
  /** All text parts joined; never reasoning. */
  readonly text: string;
  /** What the model thought, where the provider tells. */
  readonly reasoning: string | undefined;
  /** Why the reply ended. */
  readonly finish: FinishReason;
  /** What the call used, tries that failed included. */
  readonly usage: Usage;
}

/**
 * The port to a model: one request, one reply. Retries, time limits and the reading of usage happen
 * behind it; it throws `RlmError` with a `model_*` code, `replay_*`, or the signal's reason.
 */
export interface Model {
  /** As the user named it, for example `openrouter/anthropic/claude-sonnet-4.5`. */
  readonly id: string;
  /** Prompt tokens that fit, where known. */
  readonly contextWindow?: number;
  /** Asks once. */
  generate(request: ModelRequest): Promise<ModelReply>;
}
