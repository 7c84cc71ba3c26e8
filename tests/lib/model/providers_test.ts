import assert from "node:assert/strict";
import { systemClock } from "../../../lib/clock.ts";
import type { ModelRequest } from "../../../lib/model/model.ts";
import { resolveModel, type ResolveOptions } from "../../../lib/model/resolve.ts";
import { startFakeModelServer } from "../../support/fake_model_server.ts";
import { fakeUsage } from "../../support/fake_replies.ts";
import { ask, request } from "./ask_provider.ts";

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

Deno.test("no provider prints anything, also when it has a warning (E101)", async () => {
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
