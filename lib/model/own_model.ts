import type { FinishReason, Model, ModelReply } from "./model.ts";
import { ModelError, unknownCall } from "./model_error.ts";
import { amount, fields, oneCall } from "./read_usage.ts";
import type { Usage } from "./usage.ts";

const finishes: ReadonlySet<unknown> = new Set<FinishReason>([
  "stop",
  "length",
  "filtered",
  "refused",
  "other",
]);

/**
 * A model of the user's own. It may leave out what it does not know: `reasoning`, `finish` ("stop"),
 * and `usage`, of which tokens suffice; then the call's tokens are unknown.
 *
 * @throws {ModelError} `model_unreadable`, from `generate`, where a reply has no text
 */
export function ownModel(model: Model): Model {
  return {
    id: String(model.id),
    ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
    generate: async (request) => readReply(model.id, await model.generate(request)),
  };
}

function readReply(id: string, given: unknown): ModelReply {
  const { text, reasoning, finish, usage } = fields(given);
  if (typeof text !== "string") {
    throw new ModelError(
      "model_unreadable",
      `Cannot use the reply of ${id}: its text is ${
        text === null ? "null" : typeof text
      }; generate resolves to {text, usage}`,
      { usage: unknownCall },
    );
  }
  return {
    text,
    reasoning: typeof reasoning === "string" ? reasoning : undefined,
    finish: finishes.has(finish) ? finish as FinishReason : "stop",
    usage: readUsage(usage),
  };
}

/** What was told in full is taken as it is, from parts the rest is made. */
function readUsage(given: unknown): Usage {
  const told = fields(given);
  const parts = {
    promptTokens: amount(told["promptTokens"]),
    completionTokens: amount(told["completionTokens"]),
    cachedTokens: amount(told["cachedTokens"]),
    reasoningTokens: amount(told["reasoningTokens"]),
    totalTokens: amount(told["totalTokens"]),
    cost: amount(told["cost"]),
  };
  const calls = amount(told["calls"]);
  const unknownCalls = amount(told["unknownCalls"]);
  if (calls === undefined || unknownCalls === undefined) return oneCall(parts);
  return { ...parts, calls, unknownCalls };
}
