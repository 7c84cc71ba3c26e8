import assert from "node:assert/strict";
import { systemClock } from "../../../lib/clock.ts";
import { RlmError } from "../../../lib/errors.ts";
import { readBaseUrl } from "../../../lib/model/base_url.ts";
import type { ModelRequest } from "../../../lib/model/model.ts";
import { resolveModel, type ResolveOptions } from "../../../lib/model/resolve.ts";
import { startFakeModelServer } from "../../support/fake_model_server.ts";

const request: ModelRequest = {
  messages: [{ role: "user", content: "hi" }],
  caller: { agent: "0", depth: 0, call: 1 },
};

const options = (env: Record<string, string>, more: Partial<ResolveOptions> = {}) => ({
  env: (name: string) => env[name],
  clock: systemClock,
  ...more,
});

const refused = (code: string, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof RlmError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.match(error.message, /^Cannot [^\n]*[^.\n]$/);
  return true;
};

/** Where a call of `spec` goes, by which key, and under which model name. */
async function destination(
  spec: string,
  env: Record<string, string>,
  more: Partial<ResolveOptions> = {},
): Promise<string> {
  await using server = startFakeModelServer(["ok"]);
  let host = "";
  const model = await resolveModel(
    spec,
    options(env, {
      fetch: (input, init) => {
        host = new URL(String(input)).host;
        return server.fetch(input, init);
      },
      ...more,
    }),
  );
  assert.equal(model.id, spec);
  assert.equal((await model.generate(request)).text, "ok");
  const [received] = server.requests;
  assert.ok(received);
  const key = received.headers["authorization"]?.replace("Bearer ", "") ??
    received.headers["x-api-key"] ?? received.headers["x-goog-api-key"] ?? "no key";
  return [host + received.path, key, received.json?.["model"] ?? ""].join(" ").trim();
}

const router = "openrouter.ai/api/v1/chat/completions";
const local = { RLM_MODEL_BASE_URL: "http://local:1/v1" };

const routes: readonly (readonly [string, Record<string, string>, string])[] = [
  ["openrouter/a/b", { OPENROUTER_API_KEY: "or" }, `${router} or a/b`],
  ["openrouter/a/b", { OPENROUTER_API_KEY: "or", RLM_MODEL_API_KEY: "rlm" }, `${router} rlm a/b`],
  ["openrouter/a/b", { OPENAI_API_KEY: "sk-or-1" }, `${router} sk-or-1 a/b`],
  ["meta/llama", { OPENROUTER_API_KEY: "or" }, `${router} or meta/llama`],
  ["anthropic/claude-x", { OPENROUTER_API_KEY: "or" }, `${router} or anthropic/claude-x`],
  [
    "anthropic/claude-x",
    { OPENROUTER_API_KEY: "or", ANTHROPIC_API_KEY: "an" },
    "api.anthropic.com/v1/messages an claude-x",
  ],
  [
    "openrouter/anthropic/claude-x",
    { OPENROUTER_API_KEY: "or", ANTHROPIC_API_KEY: "an" },
    `${router} or anthropic/claude-x`,
  ],
  ["google/gemini-x", { OPENROUTER_API_KEY: "or" }, `${router} or google/gemini-x`],
  [
    "google/gemini-x",
    { GEMINI_API_KEY: "ge" },
    "generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent ge",
  ],
  ["openai/gpt-x", { OPENAI_API_KEY: "oa" }, "api.openai.com/v1/chat/completions oa gpt-x"],
  ["openai/gpt-x", { OPENAI_API_KEY: "oa", OPENROUTER_API_KEY: "or" }, `${router} or openai/gpt-x`],
  [
    "vertex/gemini-x",
    { GOOGLE_VERTEX_API_KEY: "ve" },
    "aiplatform.googleapis.com/v1/publishers/google/models/gemini-x:generateContent ve",
  ],
  [
    "gpt",
    { ...local, RLM_MODEL_API_KEY: "rlm", OPENAI_API_KEY: "oa" },
    "local:1/v1/chat/completions rlm gpt",
  ],
  [
    "gpt",
    { ...local, OPENAI_API_KEY: "oa", OPENROUTER_API_KEY: "or" },
    "local:1/v1/chat/completions oa gpt",
  ],
  ["gpt", { ...local, OPENROUTER_API_KEY: "or" }, "local:1/v1/chat/completions or gpt"],
  ["gpt", local, "local:1/v1/chat/completions no key gpt"],
  [
    "anthropic/x",
    { ...local, ANTHROPIC_API_KEY: "an" },
    "local:1/v1/chat/completions no key anthropic/x",
  ],
  ["openai-compatible/gpt", local, "local:1/v1/chat/completions no key gpt"],
  ["openrouter/a/b", { ...local, RLM_MODEL_API_KEY: "rlm" }, "local:1/v1/chat/completions rlm a/b"],
  [
    "a/b",
    { RLM_MODEL_BASE_URL: "https://openrouter.ai/api/v1/", OPENROUTER_API_KEY: "or" },
    `${router} or a/b`,
  ],
];

for (const [spec, env, wanted] of routes) {
  Deno.test(`resolve: ${spec} with ${Object.keys(env).join(", ")}`, async () => {
    assert.equal(await destination(spec, env), wanted);
  });
}

Deno.test("resolve: baseUrl and apiKey given by the caller beat the environment", async () => {
  const env = { ...local, RLM_MODEL_API_KEY: "rlm" };
  const went = await destination("m", env, { baseUrl: "http://other/x/", apiKey: "mine" });
  assert.equal(went, "other/x/chat/completions mine m");
});

for (
  const [text, url] of [
    ["http://h/v1/", "http://h/v1"],
    ["http://h/v1", "http://h/v1"],
    ["http://h", "http://h/v1"],
    ["http://h/", "http://h/v1"],
    ["http://h//", "http://h/v1"],
    ["http://h/v1/chat/completions", "http://h/v1"],
    ["http://h/v1/chat/completions/", "http://h/v1"],
    ["http://h/chat/completions", "http://h/v1"],
    [" https://h:8443/api/openai/v1// ", "https://h:8443/api/openai/v1"],
  ] as const
) {
  Deno.test(`base URL: ${JSON.stringify(text)} is ${url} (E103)`, () => {
    assert.equal(readBaseUrl(text, "RLM_MODEL_BASE_URL").url, url);
  });
}

Deno.test("base URL: its query goes along", async () => {
  const env = { RLM_MODEL_BASE_URL: "https://h/openai/chat/completions?api-version=1" };
  assert.equal(await destination("m", env), "h/openai/chat/completions?api-version=1 no key m");
});

for (const text of ["localhost:8000", "ftp://h/v1", "not a url", "http://"]) {
  Deno.test(`base URL: ${text} is refused by the name of its variable`, async () => {
    await assert.rejects(
      resolveModel("m", options({ RLM_MODEL_BASE_URL: text })),
      refused("config", /RLM_MODEL_BASE_URL: current value is/),
    );
  });
}

Deno.test("resolve: a missing key is named with the variable to set", async () => {
  const missing = refused("config", /a\/b.*set OPENROUTER_API_KEY or RLM_MODEL_API_KEY$/);
  await assert.rejects(resolveModel("openrouter/a/b", options({})), missing);
  await assert.rejects(
    resolveModel("openrouter/a/b", options({ OPENAI_API_KEY: "sk-openai-only" })),
    missing,
  );
  await assert.rejects(
    resolveModel("anthropic/x", options({})),
    refused("config", /set ANTHROPIC_API_KEY, or OPENROUTER_API_KEY/),
  );
  await assert.rejects(
    resolveModel("google/x", options({})),
    refused("config", /set GEMINI_API_KEY, or OPENROUTER_API_KEY/),
  );
  await assert.rejects(
    resolveModel("vertex/x", options({ GOOGLE_VERTEX_PROJECT: "p" })),
    refused("config", /GOOGLE_VERTEX_LOCATION/),
  );
});

Deno.test("resolve: names that name nothing are refused with the way out", async () => {
  for (
    const spec of ["", "  ", "gpt-4o", "/x", "a/", "openai-compatible/x", "replay:", "constructor"]
  ) {
    const env = { OPENROUTER_API_KEY: "or" };
    await assert.rejects(resolveModel(spec, options(env)), refused("config", /./), spec);
  }
});

Deno.test("resolve: a name's control characters do not reach the message", async () => {
  await assert.rejects(
    resolveModel("x\x1b[2J\u202e", options({})),
    // deno-lint-ignore no-control-regex
    refused("config", /^[^\u0000-\u001f\u202e]+$/),
  );
});

Deno.test("resolve: a missing recording is named", async () => {
  await assert.rejects(
    resolveModel("replay:/nowhere/run.jsonl", options({})),
    refused("input", /\/nowhere\/run\.jsonl: there is no such file/),
  );
});

Deno.test("resolve: a model of one's own is asked as it is, and may tell less than it could", async () => {
  const replies: unknown[] = [
    { text: "a" },
    { text: "b", finish: "length", usage: { promptTokens: 5, completionTokens: 2, cost: 0.1 } },
    { text: "c", reasoning: "hm", finish: "done", usage: { promptTokens: "many" } },
    { answer: "d" },
    "e",
  ];
  const asked: unknown[] = [];
  const given = {
    id: "mine",
    contextWindow: 9,
    generate: (request: unknown) => {
      asked.push(request);
      return Promise.resolve(replies.shift());
    },
  };
  const model = await resolveModel(given as never, options({}));
  assert.deepEqual([model.id, model.contextWindow], ["mine", 9]);
  const a = await model.generate(request);
  assert.equal(asked[0], request);
  assert.deepEqual([a.text, a.finish, a.usage.calls, a.usage.unknownCalls], ["a", "stop", 1, 1]);
  const b = await model.generate(request);
  assert.deepEqual([b.finish, b.usage.totalTokens, b.usage.unknownCalls], ["length", 7, 0]);
  const c = await model.generate(request);
  assert.deepEqual([c.reasoning, c.finish, c.usage.promptTokens], ["hm", "stop", undefined]);
  for (const _ of "de") {
    await assert.rejects(
      model.generate(request),
      refused("model_unreadable", /reply of mine: its text is undefined; generate resolves to/),
    );
  }
});

Deno.test("resolve: junk is refused", async () => {
  for (
    const junk of [undefined, null, 7, {}, {
      specificationVersion: "v1",
      doGenerate() {},
      doStream() {},
    }]
  ) {
    await assert.rejects(resolveModel(junk as never, options({})), refused("config", /neither/));
  }
});

Deno.test("resolve: a refused key on an endpoint without one says that none was sent", async () => {
  await using server = startFakeModelServer([{ status: 401, body: {} }]);
  const model = await resolveModel("m", options({ RLM_MODEL_BASE_URL: server.baseUrl }));
  await assert.rejects(
    model.generate(request),
    refused("model_auth", /no key was sent, set RLM_MODEL_API_KEY$/),
  );
});

Deno.test("resolve: an endpoint that nobody serves names the URL", async () => {
  const server = startFakeModelServer();
  await server.close();
  const model = await resolveModel(
    "m",
    options({ RLM_MODEL_BASE_URL: server.baseUrl }, { maxRetries: 0 }),
  );
  await assert.rejects(
    model.generate(request),
    refused(
      "model_network",
      /Cannot reach m: POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/,
    ),
  );
});

Deno.test("resolve: keys inside the address are in no error either", async () => {
  const server = startFakeModelServer();
  const { host } = new URL(server.origin);
  await server.close();
  const model = await resolveModel(
    "m",
    options(
      { RLM_MODEL_BASE_URL: `http://user:pass-word-1@${host}/v1?api-key=query-key-1` },
      { maxRetries: 0 },
    ),
  );
  await assert.rejects(model.generate(request), (error) => {
    const shown = Deno.inspect(error, { depth: 9 });
    assert.ok(!/pass-word-1|query-key-1/.test(shown), shown);
    return refused("model_network", /Cannot reach m/)(error);
  });
});
