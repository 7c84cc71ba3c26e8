import assert from "node:assert/strict";
import { ModelError } from "../../../lib/model/model_error.ts";
import { readKwargs } from "../../../lib/model/kwargs.ts";
import type { ModelRequest } from "../../../lib/model/model.ts";
import { type AiSdkLanguageModel, resolveModel } from "../../../lib/model/resolve.ts";
import { sdkModel, type StopAtCode } from "../../../lib/model/sdk_model.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { type FakeAnswer, startFakeModelServer } from "../../support/fake_model_server.ts";
import { geminiStream, openAiStream } from "../../support/fake_replies.ts";

const request: ModelRequest = {
  messages: [{ role: "system", content: "s" }, { role: "user", content: "the whole prompt text" }],
  caller: { agent: "0", depth: 0, call: 1 },
};

const sdkUsage = {
  v2: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 1, reasoningTokens: 2 },
  v4: {
    inputTokens: { total: 3, noCache: 2, cacheRead: 1, cacheWrite: undefined },
    outputTokens: { total: 4, text: 2, reasoning: 2 },
  },
};

/** A model of the AI SDK as a caller of `mod.ts` hands it in; throws what is an Error. */
function sdkObject(version: "v2" | "v3" | "v4", ...answers: unknown[]): AiSdkLanguageModel & {
  readonly asked: Record<string, unknown>[];
} {
  const asked: Record<string, unknown>[] = [];
  const next = (options: Record<string, unknown>): unknown => {
    asked.push(options);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    specificationVersion: version,
    provider: "mine",
    modelId: "m",
    supportedUrls: {},
    asked,
    doGenerate: (options: Record<string, unknown>) => Promise.resolve().then(() => next(options)),
    doStream: (options: Record<string, unknown>) => Promise.resolve().then(() => next(options)),
  } as unknown as ReturnType<typeof sdkObject>;
}

const resolve = (model: AiSdkLanguageModel, kwargs: Record<string, unknown> = {}) =>
  resolveModel(model, {
    env: () => undefined,
    clock: fakeClock({ autoAdvanceUpTo: 60_000 }),
    kwargs,
  });

const content = [
  { type: "reasoning", text: "hm" },
  { type: "text", text: "fi" },
  { type: "source", url: "x" },
  { type: "text", text: "ne" },
];

for (const version of ["v2", "v3", "v4"] as const) {
  const finishReason = version === "v2" ? "stop" : { unified: "stop", raw: "stop" };
  const usage = version === "v2" ? sdkUsage.v2 : sdkUsage.v4;

  Deno.test(`AI SDK model ${version}: a whole reply`, async () => {
    const object = sdkObject(version, { content, finishReason, usage, warnings: [] });
    const model = await resolve(object, { temperature: 0.5, providerOptions: { mine: { a: 1 } } });
    assert.equal(model.id, "mine/m");
    const reply = await model.generate(request);
    assert.deepEqual(reply, {
      text: "fine",
      reasoning: "hm",
      finish: "stop",
      usage: {
        promptTokens: 3,
        completionTokens: 4,
        cachedTokens: 1,
        reasoningTokens: 2,
        totalTokens: 7,
        cost: undefined,
        calls: 1,
        unknownCalls: 0,
      },
    });
    assert.equal(object.asked[0]?.["temperature"], 0.5);
    assert.deepEqual(object.asked[0]?.["providerOptions"], { mine: { a: 1 } });
  });

  Deno.test(`AI SDK model ${version}: a stream`, async () => {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "reasoning-delta", id: "1", delta: "hm" },
      { type: "text-delta", id: "2", delta: "fi" },
      { type: "text-delta", id: "2", delta: "ne" },
      { type: "finish", finishReason, usage },
    ];
    const model = await resolve(sdkObject(version, { stream: ReadableStream.from(parts) }));
    const deltas: string[] = [];
    const reply = await model.generate({ ...request, onText: (delta) => deltas.push(delta) });
    assert.equal(reply.text, "fine");
    assert.equal(reply.reasoning, "hm");
    assert.equal(reply.usage.promptTokens, 3);
    assert.deepEqual(deltas, ["fi", "ne"]);
  });
}

Deno.test("AI SDK model: usage of zeros or NaN is unknown", async () => {
  for (const inputTokens of [0, NaN, undefined]) {
    const model = await resolve(sdkObject("v2", {
      content,
      finishReason: "stop",
      usage: { inputTokens, outputTokens: inputTokens },
    }));
    const { usage } = await model.generate(request);
    assert.equal(usage.promptTokens, undefined);
    assert.equal(usage.completionTokens, undefined);
    assert.equal(usage.unknownCalls, 1);
  }
});

const sdkError = (fields: Record<string, unknown>, message = "said"): Error =>
  Object.assign(new Error(message), {
    url: "https://h/v1/x?key=secret",
    requestBodyValues: { messages: request.messages },
    ...fields,
  });

const errors: readonly (readonly [string, Error, string])[] = [
  ["a status", sdkError({ statusCode: 402 }), "model_credit"],
  [
    "an unreadable answer",
    sdkError({ statusCode: 200 }, "Invalid JSON response"),
    "model_unreadable",
  ],
  ["a network error", sdkError({ isRetryable: true }), "model_network"],
  ["a bug", new RangeError("boom"), "model_server"],
  ["a lack of credentials", new Error("Could not load the default credentials."), "model_auth"],
];
for (const [name, error, code] of errors) {
  Deno.test(`AI SDK model: ${name} becomes ${code}, without the prompt`, async () => {
    const model = await resolve(sdkObject("v4", error, error, error, error));
    await assert.rejects(model.generate(request), (thrown) => {
      assert.ok(thrown instanceof ModelError);
      assert.equal(thrown.code, code);
      const shown = Deno.inspect(thrown, { depth: 9 });
      assert.ok(!shown.includes("the whole prompt text") && !shown.includes("secret"), shown);
      return true;
    });
  });
}

Deno.test("AI SDK model: a status worth it is tried again, retry-after honoured", async () => {
  const clock = fakeClock({ autoAdvanceUpTo: 60_000 });
  const busy = sdkError({ statusCode: 429, responseHeaders: { "retry-after": "7" } });
  const model = await resolveModel(
    sdkObject("v4", busy, { content, finishReason: { unified: "stop" }, usage: sdkUsage.v4 }),
    { env: () => undefined, clock },
  );
  assert.equal((await model.generate(request)).text, "fine");
  assert.ok(clock.sleeps.includes(7000));
});

Deno.test("a provider's package that does not load is reported once, by the model's name", async () => {
  const model = sdkModel("vertex/g", {
    connect: Promise.reject(new TypeError("npm package is not cached")),
    keys: [],
    keyHint: "",
  }, { clock: fakeClock(), settings: readKwargs() });
  await assert.rejects(model.generate(request), (error) => {
    assert.ok(error instanceof ModelError);
    assert.equal(error.code, "config");
    assert.match(error.message, /calls vertex\/g: npm package is not cached$/);
    return true;
  });
});

const code = "say\n```js\nx = 1\n```\n";

/** Asks with `stopAtCode`; the second half of the reply never comes unless `whole`. */
async function stopped(
  spec: string,
  answer: FakeAnswer,
  stopAtCode?: StopAtCode,
): Promise<Awaited<ReturnType<Awaited<ReturnType<typeof resolveModel>>["generate"]>>> {
  await using server = startFakeModelServer([answer]);
  const model = await resolveModel(spec, {
    env: (name) => name.endsWith("_KEY") ? "a-key-of-some-length" : undefined,
    ...(spec === "m" ? { baseUrl: server.baseUrl } : {}),
    fetch: server.fetch,
    clock: fakeClock(),
    maxRetries: 0,
    ...(stopAtCode ? { stopAtCode } : {}),
  });
  return await model.generate({ ...request, stopAtCode: true });
}

const never = new Promise<string>(() => {});

Deno.test("stopAtCode: Gemini is stopped behind the first block, its usage so far known", async () => {
  const reply = await stopped("google/g", geminiStream([code, never, "rest"]));
  assert.equal(reply.text, code);
  assert.equal(reply.finish, "stop");
  assert.equal(reply.usage.promptTokens, 11);
  assert.equal(reply.usage.completionTokens, 1);
  assert.equal(reply.usage.unknownCalls, 0);
});

Deno.test("stopAtCode: what came with the closing fence is cut off", async () => {
  const reply = await stopped("google/g", geminiStream([`${code}Output: 1\n`, never]));
  assert.equal(reply.text, code);
});

Deno.test("stopAtCode: a server that sends usage with every chunk is stopped", async () => {
  const chunk = (content: string, completion_tokens: number): string =>
    `data: ${
      JSON.stringify({
        choices: [{ index: 0, delta: { content } }],
        usage: { prompt_tokens: 11, completion_tokens },
      })
    }\n\n`;
  const reply = await stopped("m", { chunks: [chunk("say\n", 2), chunk(code.slice(4), 9), never] });
  assert.equal(reply.text, code);
  assert.equal(reply.usage.completionTokens, 9);
});

Deno.test("stopAtCode: where usage comes last the reply is read to its end", async () => {
  const reply = await stopped("m", openAiStream([code, "and more"]));
  assert.equal(reply.text, `${code}and more`);
  assert.equal(reply.usage.completionTokens, 7);
});

Deno.test("stopAtCode: 'always' stops there too, and says that usage is unknown", async () => {
  const reply = await stopped("m", openAiStream([code, never]), "always");
  assert.equal(reply.text, code);
  assert.equal(reply.usage.completionTokens, undefined);
  assert.equal(reply.usage.unknownCalls, 1);
});

Deno.test("stopAtCode: 'never' does not even stream", async () => {
  const reply = await stopped("google/g", (received) => {
    assert.ok(received.path.endsWith(":generateContent"));
    return `${code}more`;
  }, "never");
  assert.equal(reply.text, `${code}more`);
});

Deno.test("stopAtCode: a block inside reasoning stops nothing", async () => {
  const thinking = `<think>\n${code}</think>\n`;
  const reply = await stopped("google/g", geminiStream([thinking, "text\n", code, never]));
  assert.equal(reply.text, `text\n${code}`);
  assert.ok(reply.reasoning?.includes("x = 1"));
});
