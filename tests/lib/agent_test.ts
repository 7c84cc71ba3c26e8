/** The loop of one agent: replies that cannot be run, folding, notices, and what the user gets. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { RlmError } from "../../mod.ts";
import type { RunEvent } from "../../lib/events.ts";
import type { ModelReply } from "../../lib/model/model.ts";
import { js, play, promptOf } from "../support/play.ts";
import { withTempDir } from "../support/cli.ts";
import { scriptedModel } from "../support/scripted_model.ts";

const refused = (text = "I cannot help with that."): Partial<ModelReply> => ({
  text,
  finish: "refused",
});

Deno.test("a model that refuses is told once more and again, then the run ends: three calls, not twenty", async () => {
  const model = scriptedModel([refused(), refused(), refused(), js("FINAL('too late')")]);
  const events: RunEvent[] = [];
  await rejects(
    play(model, { onEvent: (event) => events.push(event) }),
    (error: unknown) => {
      ok(error instanceof RlmError);
      strictEqual(error.code, "model_filtered");
      match(error.message, /scripted: 3 replies in a row .* the last was refused/);
      strictEqual(error.partial?.usage.calls, 3);
      return true;
    },
  );
  strictEqual(model.left, 1);
  const end = events.at(-1)!;
  strictEqual(end.type === "run_end" && end.status, "failed");
  deepStrictEqual(
    events.filter(({ type }) => type === "code_generated").map((event) =>
      event.type === "code_generated" && event.finish
    ),
    ["refused", "refused", "refused"],
  );
});

Deno.test("a filtered reply between good ones costs one step and no more", async () => {
  const { result, model } = await play([
    { text: "", finish: "filtered" },
    js("1"),
    { text: js("half"), finish: "filtered" },
    js("2"),
    { text: "", finish: "filtered" },
    js("FINAL('done')"),
  ]);
  strictEqual(result, "done");
  match(promptOf(model, "0", 2), /cut by a content filter/);
});

Deno.test("a model that only talks ends the run after five replies, saying what was wrong", async () => {
  const model = scriptedModel(Array.from({ length: 20 }, () => "I will look into it now."));
  await rejects(play(model), (error: unknown) => {
    ok(error instanceof RlmError);
    strictEqual(error.code, "model_unreadable");
    match(error.message, /5 replies in a row gave nothing to run; the last: the reply has no code/);
    ok(!error.message.includes("\n"));
    return true;
  });
  strictEqual(model.requests.length, 5);
});

Deno.test("in a sub-agent such an end is an error that the parent can catch", async () => {
  const { result } = await play({
    "0": [
      js(
        "let e; try { await llm_query('x') } catch (error) { e = error } FINAL([e.code, context])",
      ),
    ],
    "0.0": [refused(), refused(), refused()],
  });
  deepStrictEqual(result, ["model_filtered", "the root's own context"]);
});

Deno.test("a reply that was cut by the output limit is not run, and the model is told (E93)", async () => {
  const { result, model, events } = await play([
    { text: "```js\nFINAL('half of it')\n```", finish: "length" },
    js("FINAL('whole')"),
  ]);
  strictEqual(result, "whole");
  match(promptOf(model, "0", 2), /Nothing was run: the reply was cut by the output limit/);
  strictEqual(events.filter(({ type }) => type === "execution_result").length, 1);
});

Deno.test("reasoning is kept apart and never run, also where the text is empty (E93)", async () => {
  const { result, model, events } = await play([
    { text: "", reasoning: js("FINAL('from thoughts')"), finish: "length" },
    { text: "", reasoning: js("FINAL('from thoughts')") },
    { text: js("FINAL('from text')"), reasoning: "hm" },
  ]);
  strictEqual(result, "from text");
  match(promptOf(model, "0", 2), /cut by the output limit/);
  match(promptOf(model, "0", 3), /Nothing was run: the reply was empty/);
  ok(!promptOf(model, "0", 3).includes("from thoughts"), "reasoning was sent back");
  const told = events.flatMap((event) => event.type === "code_generated" ? [event.reasoning] : []);
  deepStrictEqual(told.map((text) => text?.length ?? 0).map(Boolean), [true, true, true]);
});

Deno.test("a long conversation is folded past a share of the model's window, and the agent is told", async () => {
  const model = scriptedModel([
    js("const rows = 'first output '.repeat(250); print(rows)"),
    js("print('second '.repeat(450))"),
    js("print('third '.repeat(500))"),
    js("print('fourth '.repeat(450))"),
    js("FINAL(rows.length)"),
  ], { contextWindow: 4_000 });
  const { result } = await play(model);
  strictEqual(result, 13 * 250);
  const last = model.requests.at(-1)!.messages;
  const folded = last.filter(({ content }) => content.startsWith("[folded: "));
  ok(folded.length >= 1, "nothing was folded");
  match(last.at(-1)!.content, /folded to one line each; your variables are all still there/);
  match(last.at(-1)!.content, /fourth fourth/);
  strictEqual(last[0]!.content, model.requests[0]!.messages[0]!.content);
  strictEqual(last[1]!.content, model.requests[0]!.messages[1]!.content);
});

Deno.test("a prompt that proves too long is folded and asked again; with nothing to fold it is an error", async () => {
  const tooLong = new RlmError("model_context_too_long", "maximum context length is 4096 tokens");
  const model = scriptedModel([
    js("const rows = 'first output '.repeat(250); print(rows)"),
    js("print('second '.repeat(450))"),
    js("print('third '.repeat(500))"),
    js("print('fourth '.repeat(400))"),
    tooLong,
    js("FINAL(rows.length)"),
  ]);
  const { result, steps, usage } = await play(model);
  strictEqual(result, 13 * 250);
  deepStrictEqual([steps, usage.calls], [5, 6]);
  const [refused, again] = model.requests.slice(-2).map(({ messages }) => messages);
  strictEqual(again!.length, refused!.length);
  match(again!.at(-1)!.content, /folded to one line each/);
  match(again!.at(-1)!.content, /fourth fourth/);
  ok(JSON.stringify(again).length < 0.8 * JSON.stringify(refused).length);

  const hopeless = scriptedModel([js("1"), tooLong]);
  await rejects(play(hopeless), { code: "model_context_too_long" });
  strictEqual(hopeless.left, 0);
});

Deno.test("at 80 % of a limit the agent is told once, at the limit it gets one last turn", async () => {
  const { model, status } = await play(Array.from({ length: 10 }, (_, i) => js(`${i}`)), {
    maxCallsPerSubagent: 10,
  });
  strictEqual(status, "limit");
  strictEqual(model.left, 0);
  const told = model.requests.map(({ messages }) => messages.at(-1)!.content);
  deepStrictEqual(told.map((text) => /Budget: 80 % of maxCallsPerSubagent/.test(text)), [
    ...Array(8).fill(false),
    true,
    false,
  ]);
  deepStrictEqual(told.map((text) => /Last turn/.test(text)), [...Array(9).fill(false), true]);
});

Deno.test("FINAL is checked against the schema; a limit leaves the last refused value as partial answer (F112)", async () => {
  const schema = {
    type: "object",
    properties: { rows: { type: "array", items: { type: "object", required: ["id"] } } },
    required: ["rows"],
  };
  const { status, result, model, error, events } = await play([
    js("FINAL('text')"),
    js("console.log('printed'); FINAL({ rows: [{ id: 1 }, {}] })"),
  ], { outputSchema: schema, maxCallsPerSubagent: 2 });
  strictEqual(status, "limit");
  deepStrictEqual(result, { rows: [{ id: 1 }, {}] });
  deepStrictEqual(error?.partial?.answer, result);
  match(promptOf(model, "0", 2), /does not match the schema:\n- value: must be object/);
  const [first = "", second = ""] = events.flatMap((event) =>
    event.type === "execution_result" ? [event.output] : []
  );
  match(first, /^FINAL's value does not match [^]*call FINAL again\.$/);
  match(second, /^FINAL's value does not match [^]*call FINAL again\.\nOutput:\n```\nprinted/);
});

Deno.test("a run that fails keeps its best answer in the error", async () => {
  await rejects(
    play([js("FINAL(7)"), new RlmError("model_network", "the line is down")], {
      outputSchema: { type: "string" },
    }),
    (error: unknown) => {
      ok(error instanceof RlmError);
      strictEqual(error.code, "model_network");
      strictEqual(error.partial?.answer, 7);
      strictEqual(error.partial?.steps, 1);
      strictEqual(error.partial?.usage.calls, 2);
      return true;
    },
  );
});

Deno.test("the prefix never changes from call to call, in the root and in a sub-agent (6)", async () => {
  const { model } = await play({
    "0": [js("1"), "just talk", js("await llm_query('a', {instruction: 'b'})"), js("FINAL(1)")],
    "0.0": [js("context"), js("throw new Error('x')"), js("FINAL(2)")],
  });
  for (const agent of ["0", "0.0"]) {
    const sent = model.requests.filter(({ caller }) => caller.agent === agent)
      .map(({ messages }) => JSON.stringify(messages));
    ok(sent.length >= 3);
    for (const [at, text] of sent.entries()) {
      if (at > 0) ok(text.startsWith(sent[at - 1]!.slice(0, -1)), `${agent}, call ${at + 1}`);
    }
  }
});

Deno.test("a step that only called FINAL says so", async () => {
  const { events } = await play([js("FINAL(7)")]);
  const outputs = events.flatMap((e) => e.type === "execution_result" ? [e.output] : []);
  deepStrictEqual(outputs, ["FINAL was called."]);
});

Deno.test("a transcript that cannot be written is told once, and the run goes on", async () => {
  await withTempDir(async (dir) => {
    const logDir = join(dir, "file");
    await Deno.writeTextFile(logDir, "");
    const { result, status, events, logFile } = await play([js("1"), js("FINAL(7)")], { logDir });
    deepStrictEqual([result, status, logFile], [7, "answered", undefined]);
    const isTold = (e: RunEvent) =>
      e.type === "warning" && e.message.startsWith("Cannot write the transcript ");
    strictEqual(events.filter(isTold).length, 1);

    const onEvent = (event: RunEvent) => {
      if (isTold(event)) throw new Error("thrown by the listener");
    };
    // It ends the run, not the process.
    await rejects(play([js("1"), js("FINAL(7)")], { logDir, onEvent }), /thrown by the listener/);
  });
});
