import assert from "node:assert/strict";
import { ModelError } from "../../../lib/model/model_error.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { type FakeAnswer, startFakeModelServer } from "../../support/fake_model_server.ts";
import { anthropicReply, geminiReply } from "../../support/fake_replies.ts";
import { ask, env, request } from "./ask_provider.ts";

Deno.test("anthropic: cached tokens belong to the prompt, thinking is kept apart", async () => {
  const { reply } = await ask(
    "anthropic/claude-x",
    false,
    anthropicReply("", {
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "fi" },
        { type: "from_the_future", text: "?" },
        { type: "text", text: "ne" },
      ],
      usage: {
        input_tokens: 3,
        output_tokens: 7,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 5,
      },
    }),
  );
  assert.equal(reply.text, "fine");
  assert.equal(reply.reasoning, "hm");
  assert.equal(reply.usage.promptTokens, 48);
  assert.equal(reply.usage.cachedTokens, 40);
  assert.equal(reply.usage.totalTokens, 55);
});

for (
  const [stop, finish] of [
    ["max_tokens", "length"],
    ["refusal", "refused"],
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
  ] as const
) {
  Deno.test(`anthropic: ${stop} is ${finish}`, async () => {
    const { reply } = await ask(
      "anthropic/claude-x",
      false,
      anthropicReply("x", { stop_reason: stop }),
    );
    assert.equal(reply.finish, finish);
  });
}

Deno.test("anthropic: usage missing loses no answer", async () => {
  const { reply } = await ask("anthropic/claude-x", false, anthropicReply("x", { usage: null }));
  assert.equal(reply.text, "x");
  assert.equal(reply.usage.promptTokens, undefined);
  assert.equal(reply.usage.unknownCalls, 1);
});

for (
  const [finish, wanted] of [
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "filtered"],
    ["PROHIBITED_CONTENT", "filtered"],
  ] as const
) {
  Deno.test(`gemini: ${finish} is ${wanted}`, async () => {
    const { reply } = await ask("google/gemini-x", false, geminiReply("x", finish));
    assert.equal(reply.finish, wanted);
  });
}

Deno.test("gemini: thoughts are kept apart and counted as output", async () => {
  const { reply } = await ask("google/gemini-x", false, {
    body: {
      candidates: [{
        content: { parts: [{ text: "hm", thought: true }, { text: "fine" }] },
        finishReason: "STOP",
      }],
      usageMetadata: {
        promptTokenCount: 20,
        cachedContentTokenCount: 8,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 5,
        totalTokenCount: 27,
      },
    },
  });
  assert.equal(reply.text, "fine");
  assert.equal(reply.reasoning, "hm");
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, totalTokens } =
    reply.usage;
  assert.deepEqual(
    [promptTokens, completionTokens, cachedTokens, reasoningTokens, totalTokens],
    [20, 7, 8, 5, 27],
  );
});

const bad: readonly (readonly [string, FakeAnswer, string])[] = [
  [
    "anthropic/claude-x",
    { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "x" } } },
    "model_server",
  ],
  [
    "anthropic/claude-x",
    {
      status: 400,
      body: {
        type: "error",
        error: { type: "invalid_request_error", message: "Your credit balance is too low" },
      },
    },
    "model_credit",
  ],
  [
    "anthropic/claude-x",
    {
      status: 400,
      body: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 9 tokens > 8 maximum",
        },
      },
    },
    "model_context_too_long",
  ],
  [
    "anthropic/claude-x",
    { body: { type: "error", error: { type: "overloaded_error", message: "x" } } },
    "model_server",
  ],
  [
    "google/gemini-x",
    { status: 429, body: { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "x" } } },
    "model_rate_limited",
  ],
  [
    "google/gemini-x",
    { body: { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 3 } } },
    "model_filtered",
  ],
  [
    "google/gemini-x",
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
    },
    "model_auth",
  ],
  [
    "google/gemini-x",
    { status: 404, body: { error: { code: 404, message: "models/x" } } },
    "model_not_found",
  ],
  ["google/gemini-x", { body: {} }, "model_empty"],
  ["vertex/gemini-x", { body: "" }, "model_empty"],
];

for (const [spec, answer, code] of bad) {
  Deno.test(`provider ${spec}: ${JSON.stringify(answer).slice(0, 70)} is ${code}`, async () => {
    await assert.rejects(
      ask(spec, false, answer),
      (error) => error instanceof ModelError && error.code === code || assert.fail(String(error)),
    );
  });
}

Deno.test("gemini: a limit by the minute is waited for as the body says", async () => {
  const busy = {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota, please check your plan and billing details",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }],
  };
  await using server = startFakeModelServer([{ status: 429, body: { error: busy } }, "fine"]);
  const clock = fakeClock({ autoAdvanceUpTo: 60_000 });
  const model = await resolveModel("google/gemini-x", {
    env: (name) => env[name],
    clock,
    fetch: server.fetch,
  });
  assert.equal((await model.generate(request)).text, "fine");
  assert.ok(clock.sleeps.includes(34_000));
});

const errorEvents: readonly (readonly [string, string])[] = [
  [
    "anthropic/claude-x",
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
  ],
  ["google/gemini-x", 'data: {"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}\n\n'],
];
for (const [spec, event] of errorEvents) {
  Deno.test(`provider ${spec}: an error event is tried again`, async () => {
    await using server = startFakeModelServer([{ chunks: [event] }, "fine"]);
    const model = await resolveModel(spec, {
      env: (name) => env[name],
      clock: fakeClock({ autoAdvanceUpTo: 60_000 }),
      fetch: server.fetch,
    });
    const { text } = await model.generate({ ...request, onText: () => {} });
    assert.equal(text, "fine");
    assert.equal(server.requests.length, 2);
  });
}
