import assert from "node:assert/strict";
import type { EventBody, RunEvent } from "../../lib/events.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { EntryEncoder } from "../../log/encode.ts";
import { parseEntry } from "../../log/entry.ts";
import { sampleEvents, sampleUsage } from "../support/sample_transcript.ts";

const agent = { runId: "r1", path: "0", depth: 0, model: "test/m" };
const at = (body: EventBody): RunEvent => ({ ...body, time: Date.UTC(2026, 0, 1), agent });
const start = (prompt: string): RunEvent =>
  at({ type: "run_start", engine: "0.1.0", prompt, config: { primaryAgent: "test/m" } });

Deno.test("the first entry carries the format, the others do not", () => {
  const encoder = new EntryEncoder();
  assert.equal(encoder.encode(start("question"))?.format, 1);
  assert.equal(encoder.encode(at({ type: "warning", message: "w" }))?.format, undefined);
});

Deno.test("events for progress only are not logged", () => {
  const encoder = new EntryEncoder();
  assert.equal(encoder.line(at({ type: "model_text", step: 1, delta: "x" })), undefined);
  assert.equal(encoder.line(at({ type: "model_start", step: 1, promptChars: 1 })), undefined);
  assert.equal(encoder.line(at({ type: "waiting", step: 1, children: 2 })), undefined);
});

Deno.test("every logged event is one line that reads back as the same entry", () => {
  const encoder = new EntryEncoder();
  const again = new EntryEncoder();
  for (const event of sampleEvents({ steps: 5, gaps: true })) {
    const line = encoder.line(event);
    const entry = again.encode(event);
    if (line === undefined) continue;
    assert.equal(line.indexOf("\n"), line.length - 1);
    assert.deepEqual(parseEntry(JSON.parse(line)), JSON.parse(JSON.stringify(entry)));
  }
});

Deno.test("the sum of usage over all lines is the run's usage, each call once", () => {
  const events = sampleEvents({ steps: 6, subAgents: 3 });
  const encoder = new EntryEncoder();
  let tokens = 0;
  for (const event of events) tokens += encoder.encode(event)?.usage?.total_tokens ?? 0;
  const end = events.find((event) => event.type === "run_end");
  assert.equal(tokens, end?.usage.totalTokens);
});

Deno.test("an unknown figure is absent and never 0", () => {
  const entry = new EntryEncoder().encode(at({
    type: "completion",
    step: 1,
    usage: { ...noUsage, calls: 1, unknownCalls: 1 },
  }));
  assert.deepEqual(entry?.usage, { calls: 1, unknown_calls: 1 });
  const zero = new EntryEncoder().encode(at({
    type: "completion",
    step: 1,
    usage: { ...sampleUsage(1), cachedTokens: 0, cost: 0 },
  }));
  assert.equal(zero?.usage?.cached_tokens, 0);
  assert.equal(zero?.usage?.cost, 0);
});

Deno.test("the prompt is in run_start and in no other line, also where it was cut short", () => {
  const prompt = "Which of the guests said that the build was slow?\nAnswer with a name.";
  const encoder = new EntryEncoder();
  const lines = [
    start(prompt),
    at({ type: "agent_start", task: prompt, context: "string(9)", probe: `Task:\n${prompt}\nGo` }),
    at({
      type: "execution_result",
      step: 1,
      code: "print(context)",
      output: `${prompt.slice(0, 40)}… and again ${prompt}`,
      hasError: false,
      usage: noUsage,
      timestamps: { modelStart: 1, modelEnd: 2 },
    }),
    at({ type: "warning", message: `Cannot send ${prompt}: 400` }),
    at({ type: "run_end", status: "failed", steps: 1, usage: noUsage, error: `bad: ${prompt}` }),
  ].map((event) => encoder.line(event) ?? "");
  const text = lines.join("");
  assert.equal(text.split("Which of the guests").length, 2);
  assert.equal(JSON.parse(lines[0] ?? "").prompt, prompt);
  assert.match(lines[2] ?? "", /\[prompt, 40 characters: see run_start\]… and again \[prompt, 69/);
  assert.equal("task" in JSON.parse(lines[1] ?? ""), false);
});

Deno.test("a short prompt does not eat words of other texts", () => {
  const encoder = new EntryEncoder();
  encoder.encode(start("sum"));
  const entry = encoder.encode(at({ type: "warning", message: "the sum is summed" }));
  assert.equal(entry?.message, "the sum is summed");
});

Deno.test("secrets are masked in every field, also inside config and results", () => {
  const key = "sk-or-v1-0123456789abcdef";
  const encoder = new EntryEncoder({ secrets: [key, ""] });
  const lines = [
    at({ type: "run_start", engine: "0", prompt: `use ${key}`, config: { deep: [{ key }] } }),
    at({ type: "warning", message: `header ${key} refused` }),
    at({ type: "final_result", step: 1, result: { key: `${key}!` } }),
    at({ type: "final_result", step: 1, result: key }),
    at({ type: "restart", step: 1, reason: key }),
  ].map((event) => encoder.line(event));
  assert.equal(lines.join("").includes(key), false);
  assert.equal(lines.join("").split("[secret]").length, 7);
});

Deno.test("a huge text is cut head and tail, with its true length", () => {
  const output = `${"a".repeat(90_000)}${"z".repeat(90_000)}`;
  const entry = new EntryEncoder().encode(at({
    type: "execution_result",
    step: 1,
    code: "c",
    output,
    hasError: false,
    usage: noUsage,
    timestamps: { modelStart: 1, modelEnd: 2 },
  }));
  assert.deepEqual(entry?.cut, { output: 180_000 });
  assert.match(entry?.output ?? "", /^a+\n\[… 114,464 characters not logged …\]\nz+$/);
  const result = new EntryEncoder().encode(
    at({ type: "final_result", step: 1, result: { rows: output } }),
  );
  assert.equal(result?.result_type, "json");
  assert.equal(result?.cut?.["result"], JSON.stringify({ rows: output }).length);
});

Deno.test("any result is logged: undefined, falsy, cyclic, bigint, Map", () => {
  const result = (value: unknown) =>
    JSON.parse(
      new EntryEncoder().line(at({ type: "final_result", step: 1, result: value })) ?? "",
    );
  assert.equal(result(undefined).result_type, "undefined");
  for (const value of [null, 0, "", false]) assert.equal(result(value).result, value);
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  for (const value of [ring, 10n ** 30n, new Map([["a", 1]]), [NaN], { at: undefined }, [, 1]]) {
    assert.equal(result(value).result_type, "text");
  }
  assert.equal(result(new Map([["a", 1]])).result, 'Map(1) { "a" => 1 }');
  assert.equal(result(10n ** 30n).result, "1000000000000000000000000000000n");
  assert.deepEqual(result({ rows: [1, null, "x"] }).result, { rows: [1, null, "x"] });
});

Deno.test("a line holds no raw character that splits lines elsewhere or acts on a terminal", () => {
  const message = "a\u2028b\u2029c\u0085d\x9b2J\u202ee\ud800f\x1b[2J";
  const line = new EntryEncoder().line(at({ type: "warning", message })) ?? "";
  assert.match(line, /^[\x20-\x7e]+\n$/);
  assert.equal(JSON.parse(line).message, message);
});

Deno.test("text around the code is logged once, code not again", () => {
  const reply = (text: string, code: string) =>
    new EntryEncoder().encode(at({
      type: "code_generated",
      step: 1,
      code,
      text,
      finish: "stop",
      usage: sampleUsage(1),
      timestamps: { modelStart: 1, modelEnd: 2 },
    }));
  assert.equal(
    reply("Let me see.\n```js\nprint(1)\n```\nDone.", "print(1)")?.text,
    "Let me see.\n\nDone.",
  );
  assert.equal(reply("```js\nprint(1)\n```", "print(1)")?.text, undefined);
  assert.equal(reply("I will not write code", "")?.text, "I will not write code");
});

Deno.test("parseEntry takes any dialect and drops fields of a wrong type", () => {
  assert.equal(parseEntry(null), undefined);
  assert.equal(parseEntry([]), undefined);
  assert.equal(parseEntry({ run_id: "a" }), undefined);
  assert.deepEqual(
    parseEntry({
      run_id: "a",
      event_type: "x",
      depth: "deep",
      time: 0,
      step: "one",
      code: 5,
      usage: [],
      hasError: 1,
      result: 0,
    }),
    { time: "1970-01-01T00:00:00.000Z", run_id: "a", depth: 0, event_type: "x", result: 0 },
  );
});
