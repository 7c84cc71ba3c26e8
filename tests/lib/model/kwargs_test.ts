import assert from "node:assert/strict";
import { RlmError } from "../../../lib/errors.ts";
import { mergeBody, readKwargs } from "../../../lib/model/kwargs.ts";

Deno.test("llmKwargs: snake case and camel case are the same setting", () => {
  const snake = readKwargs({ top_p: 0.5, stop_sequences: ["a"], max_output_tokens: 9 });
  const camel = readKwargs({ topP: 0.5, stopSequences: ["a"], maxOutputTokens: 9 });
  assert.deepEqual(snake, camel);
  assert.deepEqual(snake.sdk, { topP: 0.5, stopSequences: ["a"] });
  assert.equal(snake.maxOutputTokens, 9);
});

Deno.test("llmKwargs: what the SDK does not know goes into the body, prototype names too", () => {
  const { body, sdk } = readKwargs(JSON.parse('{"constructor": 1, "reasoning_effort": "low"}'));
  assert.deepEqual(Object.entries(body), [["constructor", 1], ["reasoning_effort", "low"]]);
  assert.deepEqual(sdk, {});
});

for (
  const [kwargs, message] of [
    [{ temperature: "hot" }, /llmKwargs\.temperature: current value is "hot", not a number/],
    [{ top_p: NaN }, /llmKwargs\.top_p/],
    [{ max_tokens: 0 }, /llmKwargs\.max_tokens: current value is 0, not a whole number from 1/],
    [{ max_tokens: 1.5 }, /llmKwargs\.max_tokens/],
    [{ stop: [1] }, /llmKwargs\.stop/],
    [{ extra_body: "x" }, /llmKwargs\.extra_body/],
    [{ messages: [] }, /llmKwargs\.messages: the engine sets it itself/],
    [{ extra_body: { stream: true } }, /llmKwargs\.stream: the engine sets it itself/],
    [{ model: "x" }, /llmKwargs\.model/],
  ] as const
) {
  Deno.test(`llmKwargs: ${JSON.stringify(kwargs)} is refused by name`, () => {
    assert.throws(
      () => readKwargs(kwargs),
      (error) =>
        error instanceof RlmError && error.code === "config" && message.test(error.message),
    );
  });
}

Deno.test("llmKwargs: bodies are merged one level deep, lists replaced", () => {
  assert.deepEqual(
    mergeBody({ a: { x: 1 }, b: [1], c: 1 }, { a: { y: 2 }, b: [2], d: 3 }),
    { a: { x: 1, y: 2 }, b: [2], c: 1, d: 3 },
  );
});
