import type { ChatMessage } from "./model.ts";
import type { CallOptions } from "./sdk_types.ts";

/** Providers whose caches want marks, by the name under which the SDK takes them. */
export type CacheMarks = "anthropic" | "openrouter";

type Message = CallOptions["prompt"][number];

/**
 * Messages as the SDK takes them. With cache marks the system message and the last message are
 * marked: the next call repeats everything up to there and reads it from the cache. Without a
 * system message nothing is marked, as such a call stands alone and a mark costs money.
 */
export function toPrompt(
  messages: readonly ChatMessage[],
  marks?: CacheMarks,
): CallOptions["prompt"] {
  const marked = marks !== undefined && messages[0]?.role === "system";
  return messages.map((message, at): Message => {
    const mark = marked && (at === 0 || at === messages.length - 1)
      ? { providerOptions: { [marks]: { cacheControl: { type: "ephemeral" } } } }
      : {};
    return message.role === "system"
      ? { role: "system", content: message.content, ...mark }
      : { role: message.role, content: [{ type: "text", text: message.content }], ...mark };
  });
}
