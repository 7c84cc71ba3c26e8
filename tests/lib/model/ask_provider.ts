import assert from "node:assert/strict";
import { systemClock } from "../../../lib/clock.ts";
import type { ModelReply, ModelRequest } from "../../../lib/model/model.ts";
import { resolveModel, type ResolveOptions } from "../../../lib/model/resolve.ts";
import {
  type FakeAnswer,
  type ReceivedRequest,
  startFakeModelServer,
} from "../../support/fake_model_server.ts";

/** A conversation in its second step. */
export const request: ModelRequest = {
  messages: [
    { role: "system", content: "rules" },
    { role: "user", content: "task" },
    { role: "assistant", content: "```js\n1\n```" },
    { role: "user", content: "1" },
  ],
  caller: { agent: "0", depth: 0, call: 2 },
  maxOutputTokens: 100,
};

/** A key for every provider. */
export const env: Record<string, string> = {
  OPENROUTER_API_KEY: "or-key-12345678",
  ANTHROPIC_API_KEY: "an-key-12345678",
  GEMINI_API_KEY: "ge-key-12345678",
  GOOGLE_VERTEX_API_KEY: "ve-key-12345678",
};

/** What came of a call. */
export interface Asked {
  readonly reply: ModelReply;
  readonly received: ReceivedRequest;
  readonly deltas: readonly string[];
}

/** Makes one call of the model `spec` against a server that gives `answer`. */
export async function ask(
  spec: string,
  stream: boolean,
  answer: FakeAnswer = "fine",
  more: Partial<ResolveOptions> = {},
  asked: ModelRequest = request,
): Promise<Asked> {
  await using server = startFakeModelServer([answer]);
  const model = await resolveModel(spec, {
    env: (name) => env[name],
    clock: systemClock,
    fetch: server.fetch,
    maxRetries: 0,
    ...more,
  });
  const deltas: string[] = [];
  const reply = await model.generate({
    ...asked,
    ...(stream ? { onText: (delta: string) => void deltas.push(delta) } : {}),
  });
  const [received] = server.requests;
  assert.ok(received);
  return { reply, received, deltas };
}
