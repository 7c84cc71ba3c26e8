import assert from "node:assert/strict";
import { RlmError } from "../../../lib/errors.ts";
import type { Model, ModelReply, ModelRequest } from "../../../lib/model/model.ts";
import { digestOf, recorder, recordingModel, type RunRef } from "../../../lib/model/recording.ts";
import { replayModel } from "../../../lib/model/replay.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import { noUsage } from "../../../lib/model/usage.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { type Script, scriptedModel } from "../../support/scripted_model.ts";

const ask = (agent: string, call: number, content = `${agent} ${call}`): ModelRequest => ({
  messages: [{ role: "user", content }],
  caller: { agent, depth: agent.split(".").length - 1, call },
});

/** Records the calls of a run and gives the recording's text. */
async function record(script: Script, requests: ModelRequest[], run?: RunRef): Promise<string> {
  const lines: string[] = [];
  const model = recordingModel(scriptedModel(script), (line) => void lines.push(line), run);
  for (const request of requests) await model.generate(request).catch(() => {});
  return lines.map((line) => `${line}\n`).join("");
}

const texts = async (model: Model, requests: ModelRequest[]): Promise<string[]> => {
  const all: string[] = [];
  for (const request of requests) all.push((await model.generate(request)).text);
  return all;
};

const coded = (code: string, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof RlmError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

Deno.test("recording: what was recorded is replayed, whole", async () => {
  const reply: ModelReply = {
    text: "```js\nFINAL('a\u2028\ud800')\n```",
    reasoning: "hm",
    finish: "length",
    usage: { ...noUsage, promptTokens: 3, cost: 0.5, calls: 2, unknownCalls: 1 },
  };
  const text = await record([reply], [ask("0", 1)]);
  const played = await replayModel(text, "r.jsonl").generate(ask("0", 1));
  assert.deepEqual({ ...noUsage, ...played.usage }, reply.usage);
  assert.deepEqual({ ...played, usage: reply.usage }, reply);
});

Deno.test("recording: unknown usage and absent reasoning come back as unknown", async () => {
  const text = await record([{ text: "a", usage: { ...noUsage, calls: 1, unknownCalls: 1 } }], [
    ask("0", 1),
  ]);
  const { usage, reasoning } = await replayModel(text, "r").generate(ask("0", 1));
  assert.equal(usage.promptTokens, undefined);
  assert.equal(usage.cost, undefined);
  assert.equal(usage.calls, 1);
  assert.equal(reasoning, undefined);
});

Deno.test("recording: holds caller, digest and sizes, but not the prompt", async () => {
  const request = ask("0.2", 3, "the secret prompt");
  const text = await record(["a"], [request], { query: "the query", runKey: "1" });
  const [header, call] = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(header.recording, "fast-rlm");
  assert.equal(header.version, 1);
  assert.equal(header.runKey, "1");
  assert.match(header.query, /^[0-9a-f]{64}$/);
  assert.equal(call.agent, "0.2");
  assert.equal(call.call, 3);
  assert.equal(call.messages, 1);
  assert.equal(call.chars, "the secret prompt".length);
  assert.equal(call.digest, await digestOf(request.messages));
  assert.ok(!text.includes("secret") && !text.includes("the query"));
});

Deno.test("recording: the digest is of roles and contents alone", async () => {
  const a = await digestOf([{ role: "user", content: "x" }]);
  assert.equal(a, await digestOf([{ content: "x", role: "user" }]));
  assert.notEqual(a, await digestOf([{ role: "system", content: "x" }]));
  assert.notEqual(
    await digestOf([{ role: "user", content: "a" }, { role: "user", content: "b" }]),
    await digestOf([{ role: "user", content: "ab" }]),
  );
});

Deno.test("replay: parallel agents get their own replies in whatever order they ask", async () => {
  const script = { "0": ["root1", "root2"], "0.0": ["a1", "a2"], "0.1": ["b1"] };
  const order = [ask("0", 1), ask("0.1", 1), ask("0.0", 1), ask("0.0", 2), ask("0", 2)];
  const model = replayModel(await record(script, order), "r");
  const played = await Promise.all(
    [ask("0", 2), ask("0.0", 2), ask("0.0", 1), ask("0.1", 1), ask("0", 1)]
      .map((request) => model.generate(request)),
  );
  assert.deepEqual(played.map(({ text }) => text), ["root2", "a2", "a1", "b1", "root1"]);
});

Deno.test("replay: refuses when the recording runs out, naming agent and call", async () => {
  const model = replayModel(await record(["a"], [ask("0", 1)]), "demo.jsonl");
  await model.generate(ask("0", 1));
  await assert.rejects(
    model.generate(ask("0", 2)),
    coded("replay_exhausted", /Cannot replay demo\.jsonl: it holds no reply for agent 0 call 2;/),
  );
  await assert.rejects(
    model.generate(ask("0.4", 1)),
    coded("replay_exhausted", /agent 0\.4 call 1/),
  );
});

Deno.test("replay: a divergence is told once, by its first call, and the play goes on", async () => {
  const requests = [ask("0", 1), ask("0", 2), ask("0", 3)];
  const told: string[] = [];
  const model = replayModel(await record(["a", "b", "c"], requests), "r", {
    onDivergence: (message) => void told.push(message),
  });
  const other = [ask("0", 1), ask("0", 2, "other"), ask("0", 3, "other")];
  assert.deepEqual(await texts(model, other), ["a", "b", "c"]);
  assert.deepEqual(told, ["The run diverged from the recording r at agent 0 call 2"]);
});

Deno.test("replay: each run of a recording is found by its query, then by its key", async () => {
  const first = await record(["one"], [ask("0", 1, "q1")], { query: "q1", runKey: "1" });
  const second = await record(["two"], [ask("0", 1, "q2")], { query: "q2", runKey: "2" });
  const again = await record(["three"], [ask("0", 1, "q1")], { query: "q1", runKey: "3" });
  const text = first + second + again;
  const play = async (run: RunRef): Promise<string> => {
    const model = replayModel(text, "r", run);
    return (await model.generate(ask("0", 1, run.query ?? "q2"))).text;
  };
  assert.equal(await play({ query: "q1" }), "one");
  assert.equal(await play({ query: "q2" }), "two");
  assert.equal(await play({ query: "q1", runKey: "3" }), "three");
  assert.equal(await play({ query: "q1", runKey: "9" }), "one");
  assert.equal(await play({ query: "changed", runKey: "2" }), "two");
  assert.equal(await play({}), "two", "without a query by the first root call");
  assert.equal(await play({ runKey: "3" }), "three");
  await assert.rejects(
    replayModel(text, "r", { query: "other" }).generate(ask("0", 1)),
    coded("replay_diverged", /none of its 3 runs is of this query/),
  );
});

Deno.test("replay: the only run of a recording serves any query", async () => {
  const text = await record(["one"], [ask("0", 1)], { query: "q1" });
  assert.equal((await replayModel(text, "r", { query: "q2" }).generate(ask("0", 1))).text, "one");
});

Deno.test("recording: models of one run share one section", async () => {
  const lines: string[] = [];
  const wrap = recorder((line) => void lines.push(line), { query: "q" });
  const root = wrap(scriptedModel(["r"], { id: "big" }));
  const sub = wrap(scriptedModel(["s"], { id: "small" }));
  await Promise.all([root.generate(ask("0", 1)), sub.generate(ask("0.0", 1))]);
  assert.equal(lines.filter((line) => line.includes('"recording"')).length, 1);
  assert.ok(lines[0]?.includes('"recording"'));
  const model = replayModel(lines.join("\n"), "r", { query: "q" });
  assert.deepEqual(await texts(model, [ask("0.0", 1), ask("0", 1)]), ["s", "r"]);
});

Deno.test("recording: lines are written one after another although calls are parallel", async () => {
  let writing = 0;
  const lines: string[] = [];
  const write = async (line: string): Promise<void> => {
    assert.equal(++writing, 1);
    await Promise.resolve();
    lines.push(line);
    writing--;
  };
  const model = recordingModel(scriptedModel(["a", "b", "c"]), write);
  await Promise.all([1, 2, 3].map((call) => model.generate(ask("0", call))));
  assert.equal(lines.length, 4);
});

Deno.test("recording: a failed call fails alike in the replay, an aborted one is not recorded", async () => {
  const aborter = new AbortController();
  const lines: string[] = [];
  const model = recordingModel(
    scriptedModel([new RlmError("model_credit", "Cannot use m: no credit left"), () => {
      aborter.abort(new RlmError("interrupted", "stop"));
      return "late";
    }]),
    (line) => void lines.push(line),
  );
  await assert.rejects(model.generate(ask("0", 1)), coded("model_credit", /no credit/));
  await assert.rejects(model.generate({ ...ask("0", 2), signal: aborter.signal }));
  assert.equal(lines.length, 2);
  await assert.rejects(
    replayModel(lines.join("\n"), "r").generate(ask("0", 1)),
    coded("model_credit", /^Cannot use m: no credit left$/),
  );
});

Deno.test("recording: a line that cannot be written fails the call", async () => {
  const model = recordingModel(scriptedModel(["a"]), () => {
    throw new Error("disk full");
  });
  await assert.rejects(model.generate(ask("0", 1)), /disk full/);
});

const damaged: readonly (readonly [string, string, RegExp])[] = [
  ["an empty file", "", /line 1 is no header/],
  ["no JSON", "hello\n", /line 1 is not JSON/],
  ["foreign JSON", '{"a":1}\n', /line 1 is no header/],
  [
    "a newer version",
    '{"recording":"fast-rlm","version":2}\n',
    /format version 2, this engine reads 1/,
  ],
  ["a torn line", '{"recording":"fast-rlm","version":1}\n{"agent":"0","ca', /line 2 is not JSON/],
  [
    "a call without a reply",
    '{"recording":"fast-rlm","version":1}\n{"agent":"0","call":1}\n',
    /line 2 is no recorded call/,
  ],
  ["null", "null\n", /line 1 is no header/],
];
for (const [name, text, message] of damaged) {
  Deno.test(`replay: ${name} is refused by its line`, () => {
    assert.throws(() => replayModel(text, "r.jsonl"), coded("input", message));
  });
}

Deno.test("replay: by name, from a file, and an abort is honoured", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const file = `${dir}/run.jsonl`;
    await Deno.writeTextFile(file, await record(["a"], [ask("0", 1)], { query: "q" }));
    const deltas: string[] = [];
    const model = await resolveModel(`replay:${file}`, {
      env: () => undefined,
      clock: fakeClock(),
      query: "q",
    });
    assert.equal(model.id, `replay:${file}`);
    const { text } = await model.generate({
      ...ask("0", 1),
      onText: (delta) => deltas.push(delta),
    });
    assert.equal(text, "a");
    assert.deepEqual(deltas, ["a"]);
    const why = new Error("stop");
    await assert.rejects(
      model.generate({ ...ask("0", 1), signal: AbortSignal.abort(why) }),
      (error) => error === why,
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
