import type { Model, ModelReply, ModelRequest } from "../../lib/model/model.ts";
import type { Usage } from "../../lib/model/usage.ts";

/** A reply's text, a whole reply, an error to throw, or a function of the request that gives one. */
export type ScriptedReply =
  | string
  | Partial<ModelReply>
  | Error
  | ((
    request: ModelRequest,
  ) => string | Partial<ModelReply> | Promise<string | Partial<ModelReply>>);

/** Replies in order, or one list for each agent path (`"*"` serves agents that are not named). */
export type Script = readonly ScriptedReply[] | Readonly<Record<string, readonly ScriptedReply[]>>;

/** A model that plays its script and records what it was asked. */
export interface ScriptedModel extends Model {
  /** Every request, in the order of arrival. The messages are copies. */
  readonly requests: readonly ModelRequest[];
  /** Replies not yet played. */
  readonly left: number;
}

/** What every scripted reply costs unless it says otherwise: 10 prompt and 5 completion tokens. */
export const scriptedUsage: Usage = {
  promptTokens: 10,
  completionTokens: 5,
  cachedTokens: undefined,
  reasoningTokens: undefined,
  totalTokens: 15,
  cost: undefined,
  calls: 1,
  unknownCalls: 0,
};

/**
 * Plays `script`; throws when it runs out, so that a test cannot pass on calls it did not expect.
 * `options.id` is the model's name (default `scripted`), `options.contextWindow` its window.
 */
export function scriptedModel(
  script: Script,
  options: { readonly id?: string; readonly contextWindow?: number } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const shared = Array.isArray(script) ? [...script] as ScriptedReply[] : undefined;
  const byAgent = new Map<string, ScriptedReply[]>(
    shared ? [] : Object.entries(script).map(([agent, replies]) => [agent, [...replies]]),
  );
  const queues = (): ScriptedReply[][] => shared ? [shared] : [...byAgent.values()];

  const next = (agent: string): ScriptedReply | undefined => {
    if (shared) return shared.shift();
    return (byAgent.get(agent) ?? byAgent.get("*"))?.shift();
  };

  return {
    id: options.id ?? "scripted",
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    requests,
    get left() {
      return queues().reduce((sum, queue) => sum + queue.length, 0);
    },
    async generate(request) {
      request.signal?.throwIfAborted();
      requests.push({ ...request, messages: request.messages.map((message) => ({ ...message })) });
      const { agent, call } = request.caller;
      const scripted = next(agent);
      if (scripted === undefined) {
        throw new Error(`The script has no reply for agent ${agent}, call ${call}`);
      }
      if (scripted instanceof Error) throw scripted;
      const played = typeof scripted === "function" ? await scripted(request) : scripted;
      request.signal?.throwIfAborted();
      const reply = typeof played === "string" ? { text: played } : played;
      const whole: ModelReply = {
        text: "",
        reasoning: undefined,
        finish: "stop",
        usage: scriptedUsage,
        ...reply,
      };
      request.onText?.(whole.text);
      return whole;
    },
  };
}
