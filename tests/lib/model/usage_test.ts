import assert from "node:assert/strict";
import { readRawUsage, readSdkUsage } from "../../../lib/model/read_usage.ts";
import { addUsage, noUsage, type Usage } from "../../../lib/model/usage.ts";

const one = (parts: Partial<Usage>): Usage => ({ ...noUsage, calls: 1, ...parts });

Deno.test("usage: what is unknown stays unknown, what is known adds up (E88)", () => {
  const sum = addUsage(
    one({ promptTokens: 3, cost: 0.01 }),
    one({ promptTokens: 4, unknownCalls: 1 }),
  );
  assert.deepEqual(sum, { ...noUsage, promptTokens: 7, cost: 0.01, calls: 2, unknownCalls: 1 });
  assert.deepEqual(addUsage(noUsage, noUsage), noUsage);
});

Deno.test("usage: root calls and sub-calls add up to the money that was spent", () => {
  const costs = [0.01, 0.05, 0.05, 0.01];
  const total = costs.map((cost) => one({ cost })).reduce(addUsage, noUsage);
  assert.ok(Math.abs((total.cost ?? NaN) - 0.12) < 1e-12);
  assert.equal(total.calls, 4);
});

const raw: readonly (readonly [string, unknown, Partial<Usage>])[] = [
  ["OpenAI", { prompt_tokens: 5, completion_tokens: 6 }, {
    promptTokens: 5,
    completionTokens: 6,
    totalTokens: 11,
  }],
  ["the Responses API", {
    input_tokens: 5,
    output_tokens: 6,
    input_tokens_details: { cached_tokens: 2 },
  }, { promptTokens: 5, completionTokens: 6, cachedTokens: 2, totalTokens: 11 }],
  ["DeepSeek", { prompt_tokens: 5, completion_tokens: 6, prompt_cache_hit_tokens: 4 }, {
    promptTokens: 5,
    completionTokens: 6,
    cachedTokens: 4,
    totalTokens: 11,
  }],
  ["Anthropic", { input_tokens: 1, output_tokens: 6, cache_read_input_tokens: 9 }, {
    promptTokens: 10,
    completionTokens: 6,
    cachedTokens: 9,
    totalTokens: 16,
  }],
  ["Gemini", { promptTokenCount: 5, candidatesTokenCount: 6, thoughtsTokenCount: 7 }, {
    promptTokens: 5,
    completionTokens: 13,
    reasoningTokens: 7,
    totalTokens: 18,
  }],
  ["a cost alone", { cost: 0.5 }, { cost: 0.5, unknownCalls: 1 }],
  ["a reply of no tokens", { prompt_tokens: 5, completion_tokens: 0 }, {
    promptTokens: 5,
    completionTokens: 0,
    totalTokens: 5,
  }],
  ["a number", 7, { unknownCalls: 1 }],
  ["a list", [1, 2], { unknownCalls: 1 }],
  ["infinity", { prompt_tokens: Infinity, completion_tokens: "1e999", cost: "NaN" }, {
    unknownCalls: 1,
  }],
];
for (const [name, usage, wanted] of raw) {
  Deno.test(`usage of ${name} is read (E90)`, () => {
    assert.deepEqual(readRawUsage(usage), one(wanted));
  });
}

Deno.test("usage of an AI SDK model: zeros that stand for 'not told' are unknown", () => {
  const zeros = { inputTokens: { total: 0 }, outputTokens: { total: 0, reasoning: 0 } };
  assert.deepEqual(readSdkUsage(zeros, undefined), one({ unknownCalls: 1 }));
});

Deno.test("usage of an AI SDK model: OpenRouter's cost is found", () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 2 } };
  const { cost } = readSdkUsage(usage, { openrouter: { usage: { cost: 0.3 } } });
  assert.equal(cost, 0.3);
});
