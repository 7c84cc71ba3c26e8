import assert from "node:assert/strict";
import fc from "fast-check";
import { ModelError } from "../../../lib/model/model_error.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import type { Usage } from "../../../lib/model/usage.ts";
import { fakeClock } from "../../support/fake_clock.ts";

const json = fc.jsonValue({ maxDepth: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: json });
const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  maybe(fc.record(model, { requiredKeys: [] }));
const list = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  maybe(fc.array(item, { maxLength: 3 }));
const text = maybe(fc.string());

/** Bodies that resemble those of each kind of API, with any field wrong or missing. */
const bodies: Record<string, fc.Arbitrary<unknown>> = {
  "openrouter/a/b": record({
    id: text,
    error: fc.oneof(fc.constant(null), json),
    usage: record({ prompt_tokens: json, completion_tokens: json, cost: json }),
    choices: list(record({
      message: record({ content: text, reasoning: text, refusal: text, reasoning_details: json }),
      delta: record({ content: text, reasoning_content: text, tool_calls: json }),
      finish_reason: maybe(fc.constantFrom("stop", "length", null)),
    })),
  }),
  "anthropic/c": record({
    type: maybe(fc.constantFrom(
      "message",
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    )),
    index: maybe(fc.constant(0)),
    content_block: record({ type: maybe(fc.constantFrom("text", "thinking")), text }),
    content: list(
      record({ type: maybe(fc.constantFrom("text", "thinking")), text, thinking: text }),
    ),
    message: record({ id: text, usage: json, content: json }),
    delta: record({
      type: maybe(fc.constantFrom("text_delta", "thinking_delta", "signature_delta")),
      text,
      thinking: text,
      stop_reason: text,
    }),
    stop_reason: text,
    usage: record({ input_tokens: json, output_tokens: json }),
  }),
  "google/g": record({
    candidates: list(record({
      content: record({ parts: list(record({ text, thought: fc.boolean() })) }),
      finishReason: maybe(fc.constantFrom("STOP", "MAX_TOKENS")),
    })),
    promptFeedback: json,
    usageMetadata: record({ promptTokenCount: json, candidatesTokenCount: json }),
  }),
};
bodies["m"] = bodies["openrouter/a/b"]!;

function checkUsage(usage: Usage): void {
  for (const [name, count] of Object.entries(usage)) {
    assert.ok(count === undefined || Number.isFinite(count) && count >= 0, `${name}: ${count}`);
  }
}

for (const [spec, body] of Object.entries(bodies)) {
  for (const stream of [false, true]) {
    Deno.test(`wire: ${spec} answers a reply or a ModelError to any body${stream ? ", streamed" : ""}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), async (events) => {
          const answer = stream
            ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
            : JSON.stringify(events[0]);
          const model = await resolveModel(spec, {
            env: (name) => name.endsWith("API_KEY") ? "a-key-of-some-length" : undefined,
            ...(spec === "m" ? { baseUrl: "http://host/v1" } : {}),
            clock: fakeClock(),
            maxRetries: 0,
            fetch: () =>
              Promise.resolve(
                new Response(answer, {
                  headers: { "content-type": stream ? "text/event-stream" : "application/json" },
                }),
              ),
          });
          try {
            const reply = await model.generate({
              messages: [{ role: "user", content: "q" }],
              caller: { agent: "0", depth: 0, call: 1 },
              ...(stream ? { onText: () => {} } : {}),
            });
            assert.equal(typeof reply.text, "string");
            checkUsage(reply.usage);
          } catch (error) {
            assert.ok(error instanceof ModelError, `${error}`);
            assert.match(error.message, /^Cannot [^\n]+$/);
            // What is quoted of the body may hold any word.
            const own = error.message.replace(/"(?:[^"\\]|\\.)*"/g, '""');
            assert.ok(!/Type validation|zod|Invalid JSON response/i.test(own), error.message);
            checkUsage(error.usage);
          }
        }),
        { numRuns: 150 },
      );
    });
  }
}
