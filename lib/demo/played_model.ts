import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { RlmError } from "../errors.ts";
import type { ChatMessage, Model } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { Replies } from "./replies.ts";

/** What chat models add to each message, and to open the reply: OpenAI's published count. */
const MESSAGE_TOKENS = 3;

/** o200k tokens of a conversation as a chat model is sent it. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, { role, content }) => sum + MESSAGE_TOKENS + countTokens(role) + countTokens(content),
    MESSAGE_TOKENS,
  );
}

/** A call that was played. */
export interface PlayedCall {
  readonly agent: string;
  readonly messages: readonly ChatMessage[];
  readonly usage: Usage;
}

/**
 * Plays replies written for each agent, whatever it is asked, and counts the tokens of what it was
 * really asked and of what it said. What it costs is unknown.
 */
export function playedModel(replies: Replies, onCall?: (call: PlayedCall) => void): Model {
  return {
    id: "written-by-hand",
    generate({ messages, caller, signal, onText }) {
      signal?.throwIfAborted();
      const { agent, call } = caller;
      const text = replies[agent]?.[call - 1];
      if (text === undefined) {
        const message =
          `Cannot play the session: there is no reply for agent ${agent} call ${call}`;
        return Promise.reject(new RlmError("replay_exhausted", message));
      }
      const prompt = promptTokens(messages);
      const completion = countTokens(text);
      const usage: Usage = {
        promptTokens: prompt,
        completionTokens: completion,
        cachedTokens: undefined,
        reasoningTokens: undefined,
        totalTokens: prompt + completion,
        cost: undefined,
        calls: 1,
        unknownCalls: 0,
      };
      onCall?.({ agent, messages, usage });
      onText?.(text);
      return Promise.resolve({ text, reasoning: undefined, finish: "stop", usage });
    },
  };
}
