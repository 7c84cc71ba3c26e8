import assert from "node:assert/strict";
import { systemClock } from "../../../lib/clock.ts";
import { ModelError } from "../../../lib/model/model_error.ts";
import type { ModelReply, ModelRequest } from "../../../lib/model/model.ts";
import { resolveModel, type ResolveOptions } from "../../../lib/model/resolve.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import {
  type FakeAnswer,
  type ReceivedRequest,
  startFakeModelServer,
} from "../../support/fake_model_server.ts";
import { anthropicReply, fakeUsage, geminiReply } from "../../support/fake_replies.ts";

const request: ModelRequest = {
  messages: [
    { role: "system", content: "rules" },
    { role: "user", content: "task" },
    { role: "assistant", content: "```js\n1\n```" },
    { role: "user", content: "1" },
  ],
  caller: { agent: "0", depth: 0, call: 2 },
  maxOutputTokens: 100,
};

const env: Record<string, string> = {
  OPENROUTER_API_KEY: "or-key-12345678",
  ANTHROPIC_API_KEY: "an-key-12345678",
  GEMINI_API_KEY: "ge-key-12345678",
  GOOGLE_VERTEX_API_KEY: "ve-key-12345678",
};

interface Asked {
  readonly reply: ModelReply;
  readonly received: ReceivedRequest;
  readonly deltas: readonly string[];
}

async function ask(
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

const chat = [
  { role: "system", content: "rules" },
  { role: "user", content: "task" },
  { role: "assistant", content: "```js\n1\n```" },
  { role: "user", content: "1" },
];

const mark = { cache_control: { type: "ephemeral" } };

/** What each provider documents for this conversation. */
const documented: readonly {
  readonly spec: string;
  readonly more?: Partial<ResolveOptions>;
  readonly path: readonly [whole: string, streaming: string];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streamBody?: Readonly<Record<string, unknown>>;
}[] = [
  {
    spec: "m",
    more: { baseUrl: "http://endpoint/v1", apiKey: "some-key" },
    path: ["/v1/chat/completions", "/v1/chat/completions"],
    headers: { authorization: "Bearer some-key", "content-type": "application/json" },
    body: { model: "m", messages: chat, max_tokens: 100 },
    streamBody: { stream: true, stream_options: { include_usage: true } },
  },
  {
    spec: "openrouter/meta/llama",
    path: ["/api/v1/chat/completions", "/api/v1/chat/completions"],
    headers: { authorization: "Bearer or-key-12345678" },
    body: {
      model: "meta/llama",
      messages: [{ role: "system", content: [{ type: "text", text: "rules" }] }, ...chat.slice(1)],
      max_tokens: 100,
      usage: { include: true },
    },
    streamBody: { stream: true, stream_options: { include_usage: true } },
  },
  {
    spec: "openrouter/anthropic/claude-x",
    path: ["/api/v1/chat/completions", "/api/v1/chat/completions"],
    headers: { authorization: "Bearer or-key-12345678" },
    body: {
      model: "anthropic/claude-x",
      messages: [
        { role: "system", content: [{ type: "text", text: "rules", ...mark }] },
        chat[1],
        chat[2],
        { role: "user", content: [{ type: "text", text: "1", ...mark }] },
      ],
      max_tokens: 100,
      usage: { include: true },
    },
    streamBody: { stream: true, stream_options: { include_usage: true } },
  },
  {
    spec: "anthropic/claude-x",
    path: ["/v1/messages", "/v1/messages"],
    headers: { "x-api-key": "an-key-12345678", "anthropic-version": "2023-06-01" },
    body: {
      model: "claude-x",
      max_tokens: 100,
      system: [{ type: "text", text: "rules", ...mark }],
      messages: [
        { role: "user", content: [{ type: "text", text: "task" }] },
        { role: "assistant", content: [{ type: "text", text: "```js\n1\n```" }] },
        { role: "user", content: [{ type: "text", text: "1", ...mark }] },
      ],
    },
    streamBody: { stream: true },
  },
  ...([
    ["google/gemini-x", "/v1beta/models/gemini-x", "ge-key-12345678"],
    ["vertex/gemini-x", "/v1/publishers/google/models/gemini-x", "ve-key-12345678"],
  ] as const).map(([spec, path, key]) => ({
    spec,
    path: [`${path}:generateContent`, `${path}:streamGenerateContent?alt=sse`] as const,
    headers: { "x-goog-api-key": key },
    body: {
      generationConfig: { maxOutputTokens: 100 },
      systemInstruction: { parts: [{ text: "rules" }] },
      contents: [
        { role: "user", parts: [{ text: "task" }] },
        { role: "model", parts: [{ text: "```js\n1\n```" }] },
        { role: "user", parts: [{ text: "1" }] },
      ],
    },
  })),
];

for (const { spec, more, path, headers, body, streamBody } of documented) {
  for (const stream of [false, true]) {
    Deno.test(`provider ${spec}: request and reply as documented${stream ? ", streaming" : ""}`, async () => {
      const { reply, received, deltas } = await ask(spec, stream, "fine", more);
      assert.equal(received.method, "POST");
      assert.equal(received.path, path[stream ? 1 : 0]);
      for (const [name, value] of Object.entries(headers)) {
        assert.equal(received.headers[name], value, name);
      }
      assert.deepEqual(received.json, { ...body, ...(stream ? streamBody : {}) });
      assert.equal(reply.text, "fine");
      assert.equal(reply.finish, "stop");
      assert.deepEqual(deltas, stream ? ["fine"] : []);
      assert.equal(reply.usage.promptTokens, 11);
      assert.equal(
        reply.usage.completionTokens,
        7 - (stream && path[1].includes(":stream") ? 6 : 0),
      );
      assert.equal(reply.usage.calls, 1);
      assert.equal(reply.usage.unknownCalls, 0);
    });
  }
}

Deno.test("provider: the same conversation gives the same bytes, and a longer one repeats them", async () => {
  for (const { spec, more } of documented.filter(({ spec }) => !/claude/.test(spec))) {
    const first = await ask(spec, false, "fine", more);
    const again = await ask(spec, false, "fine", more);
    assert.equal(first.received.text, again.received.text);
    const longer = await ask(spec, false, "fine", more, {
      ...request,
      messages: [...request.messages, { role: "assistant", content: "2" }, {
        role: "user",
        content: "3",
      }],
    });
    const list = first.received.json?.["messages"] ?? first.received.json?.["contents"];
    const prefix = JSON.stringify(list).slice(0, -1);
    assert.ok(longer.received.text.includes(prefix), spec);
  }
});

Deno.test("provider: a lone question carries no cache mark", async () => {
  const lone: ModelRequest = { ...request, messages: [{ role: "user", content: "q" }] };
  for (const spec of ["anthropic/claude-x", "openrouter/anthropic/claude-x"]) {
    const { received } = await ask(spec, false, "fine", {}, lone);
    assert.ok(!received.text.includes("cache_control"), received.text);
  }
});

Deno.test("llmKwargs: settings by their names, everything else into the body as it is", async () => {
  const kwargs = {
    temperature: 0.2,
    top_p: 0.9,
    seed: 7,
    stop: "END",
    max_tokens: 50,
    reasoning: { effort: "low" },
    provider: { order: ["x"] },
    extra_body: { transforms: [] },
  };
  const wanted = {
    temperature: 0.2,
    top_p: 0.9,
    seed: 7,
    stop: ["END"],
    max_tokens: 50,
    reasoning: { effort: "low" },
    provider: { order: ["x"] },
    transforms: [],
  };
  const endpoint = { baseUrl: "http://endpoint/v1" };
  for (const [spec, more] of [["m", endpoint], ["openrouter/a/b", {}]] as const) {
    const { received } = await ask(spec, false, "fine", { ...more, kwargs });
    for (const [name, value] of Object.entries(wanted)) {
      assert.deepEqual(received.json?.[name], value, `${spec} ${name}`);
    }
  }
});

Deno.test("llmKwargs: an object is merged into one that the provider sends", async () => {
  const { received } = await ask("google/gemini-x", false, "fine", {
    kwargs: { temperature: 1, generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  });
  assert.deepEqual(received.json?.["generationConfig"], {
    maxOutputTokens: 100,
    temperature: 1,
    thinkingConfig: { thinkingBudget: 0 },
  });
});

Deno.test("an endpoint that wants max_completion_tokens gets it, in later calls at once", async () => {
  const reason = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
  await using server = startFakeModelServer([
    { status: 400, body: { error: { message: reason } } },
    "fine",
    "fine",
  ]);
  const model = await resolveModel("m", {
    env: () => undefined,
    clock: systemClock,
    baseUrl: server.baseUrl,
  });
  await model.generate(request);
  await model.generate(request);
  assert.deepEqual(
    server.requests.map(({ json }) => [json?.["max_tokens"], json?.["max_completion_tokens"]]),
    [[100, undefined], [undefined, 100], [undefined, 100]],
  );
});

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

Deno.test("no provider prints anything, also when it has a warning", async () => {
  const printed: unknown[] = [];
  const names = ["log", "warn", "error", "info", "debug"] as const;
  const { console: output } = globalThis;
  const saved = names.map((name) => output[name]);
  for (const name of names) output[name] = (...args: unknown[]) => void printed.push(args);
  try {
    for (const { spec, more } of documented) {
      await ask(spec, false, "fine", { ...more, kwargs: { top_k: 3, temperature: 5 } });
    }
  } finally {
    names.forEach((name, at) => output[name] = saved[at]!);
  }
  assert.deepEqual(printed, []);
});

Deno.test("usage of the fake replies is what these tests count on", () => {
  assert.deepEqual(fakeUsage, { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
});
