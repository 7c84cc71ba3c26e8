/** Sub-agents end to end: depth, order, values, limits, what they see and what they are refused. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { RunOptions, RunResult } from "../../mod.ts";
import { run } from "../support/run.ts";
import type { RunEvent } from "../../lib/events.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../support/scripted_model.ts";

const js = (code: string) => "```js\n" + code + "\n```";

/** Runs a script and gives back the result with what was asked. */
async function play(
  script: Script,
  options: Partial<RunOptions> = {},
): Promise<RunResult & { model: ScriptedModel; events: RunEvent[] }> {
  const model = scriptedModel(script);
  const events: RunEvent[] = [];
  const result = await run({
    prompt: "QUESTION OF THE ROOT",
    context: "the root's own context",
    primaryAgent: model,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { ...result, model, events };
}

const promptOf = (model: ScriptedModel, agent: string) =>
  model.requests.find(({ caller }) => caller.agent === agent)!.messages
    .map(({ content }) => content).join("\n");

Deno.test("values of every kind go down and come back as they are", async () => {
  const { result } = await play({
    "0": [js(`const r = await llm_query(
      { m: new Map([[1, new Set(['x'])]]), d: new Date(0), n: 12n, u: undefined, list: [1, , 3] },
      { instruction: 'check' });
      FINAL([r instanceof Map, r.get('d') instanceof Date, r.get('n') + 1n, r.get('kinds')])`)],
    "0.0": [
      js(`FINAL(new Map([['d', context.d], ['n', context.n],
        ['kinds', [context.m.get(1).has('x'), 'u' in context, 1 in context.list]]]))`),
    ],
  });
  deepStrictEqual(result, [true, true, 13n, [true, true, false]]);
});

Deno.test("a batch keeps its order and puts failures in their places", async () => {
  const { result } = await play({
    "0": [
      js(
        `const r = await batch_llm_query(['a', 'b', 'c'].map(context => ({context, instruction: 'up'})));
      FINAL(r.map(x => x instanceof Error ? 'Error: ' + x.message : x))`,
      ),
    ],
    "0.0": [js("FINAL(context.toUpperCase())")],
    "0.1": [new Error("this one fails")],
    "0.2": [js("FINAL(context.toUpperCase())")],
  });
  deepStrictEqual(result, ["A", "Error: this one fails", "C"]);
});

Deno.test("three levels with schema, tool and a failing sibling", async () => {
  const { result, model, events } = await play({
    "0": [js(`const r = await batch_llm_query([
        { context: 'left', instruction: 'go', tools: ['lookup'],
          schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
        { context: 'right', instruction: 'fail' }]);
      FINAL({ left: r[0], right: r[1].message })`)],
    "0.0": [
      js("const deep = await llm_query(context + '!', {instruction: 'deeper'}); deep"),
      js("FINAL({ n: 'not a number' })"),
      js("FINAL({ n: deep.length + (await tools.lookup({ word: 'x' })).hits })"),
    ],
    "0.0.0": [js("FINAL(await llm_query(context, {instruction: 'deepest'}))")],
    "0.0.0.0": [js("FINAL([context, typeof llm_query, typeof llm_complete].join())")],
    "0.1": [js("throw new Error('inside')"), js("FINAL(undefined.x)"), new Error("gave up")],
  }, {
    tools: {
      lookup: Object.assign(
        (args: { word: string }) => ({ hits: args.word === "x" ? 40 : 0 }),
        {
          description: "counts a word",
          inputSchema: {
            type: "object",
            properties: { word: { type: "string" } },
            required: ["word"],
          },
        },
      ),
    },
  });
  deepStrictEqual(result, {
    left: { n: "left!,undefined,function".length + 40 },
    right: "gave up",
  });
  const rejected = model.requests.find(({ caller }) =>
    caller.agent === "0.0" && caller.call === 3
  )!;
  match(rejected.messages.at(-1)!.content, /value\.n: must be integer/);
  match(promptOf(model, "0.0"), /tools\.lookup\(args: \{ word: string \}\).*counts a word/);
  doesNotMatch(promptOf(model, "0.1"), /lookup/);
  doesNotMatch(promptOf(model, "0.0.0.0"), /llm_query/);
  deepStrictEqual(
    events.filter(({ type }) => type === "agent_start").map(({ agent }) => agent.depth).toSorted(),
    [0, 1, 1, 2, 3],
  );
});

Deno.test("depth is kept on the host, whatever the agent does to variables (D85)", async () => {
  const { result } = await play({
    "0": [
      js(`RLM_DEPTH = 0; maxDepth = 99; globalThis.depth = 0;
      FINAL(typeof llm_query)`),
    ],
  }, { maxDepth: 0 });
  strictEqual(result, "undefined");
});

Deno.test("a sub-agent gets no instruction, no tools and nothing of the root unless given", async () => {
  const { model } = await play({
    "0": [
      js("const mine = 'root variable'; FINAL(await llm_query('a piece', {instruction: 'read'}))"),
    ],
    "0.0": [js("FINAL(typeof mine)")],
  }, { instruction: "SPEAK LATIN", tools: { secretTool: () => 1 } });
  const child = promptOf(model, "0.0");
  for (
    const hidden of ["SPEAK LATIN", "secretTool", "QUESTION OF", "own context", "root variable"]
  ) {
    ok(!child.includes(hidden), `the child was told ${hidden}`);
  }
  match(promptOf(model, "0"), /SPEAK LATIN/);
});

Deno.test("functions of the REPL can be handed on by name", async () => {
  const { result, model } = await play({
    "0": [
      js(`function double(x) { return x * 2 }
      FINAL(await llm_query([1, 2], { instruction: 'use it', tools: [double] }))`),
    ],
    "0.0": [js("FINAL(context.map(double))")],
  });
  deepStrictEqual(result, [2, 4]);
  match(promptOf(model, "0.0"), /double: function double\(x\)/);
});

Deno.test("of fifty parallel calls against a limit of ten exactly ten are sent (F109)", async () => {
  let sent = 0;
  const complete = () => {
    sent++;
    return "yes";
  };
  const { result } = await play({
    "0": [
      js(`const r = await Promise.allSettled(Array.from({length: 50}, () => llm_complete('x')));
      FINAL([r.filter(x => x.status === 'fulfilled').length, r.find(x => x.status === 'rejected').reason.code])`),
      js("FINAL('last turn')"),
    ],
    ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`0.c${i + 1}`, [complete]])),
  }, { maxGlobalCalls: 12 });
  // One for the turn itself, one held back for the root's last turn.
  deepStrictEqual(result, [10, "limit"]);
  strictEqual(sent, 10);
});

Deno.test("passing nearly all of a large context down is refused with advice, whole: true passes", async () => {
  const context = "a line of the book that is not short at all\n".repeat(3_000);
  const { result, model } = await play({
    "0": [
      js(
        `let said; try { await llm_query(context, {instruction: 'read'}) } catch (e) { said = e.message }
      const r = await llm_query(context, {instruction: 'read', whole: true});
      FINAL([said, r])`,
      ),
    ],
    "0.0": [js("FINAL('too early')")],
    "0.1": [js("FINAL(context.length)")],
  }, { context });
  const [said, length] = result as [string, number];
  match(said, /nearly all of the context.*whole: true/);
  strictEqual(length, context.length);
  strictEqual(model.requests.some(({ caller }) => caller.agent === "0.0"), false);
});

Deno.test("agent code may choose between the named models only", async () => {
  const { result } = await play({
    "0": [
      js(
        `let said; try { await llm_query('x', {instruction: 'i', model: 'openai/most-expensive'}) } catch (e) { said = e.message }
      FINAL([said, await llm_query('x', {instruction: 'i', model: 'primary'})])`,
      ),
    ],
    "0.1": [js("FINAL('ok')")],
  });
  match((result as string[])[0]!, /choose "primary" \(scripted\) or "sub"/);
  strictEqual((result as string[])[1], "ok");
});

Deno.test("llm_complete gives text, and with a schema a checked value", async () => {
  const { result } = await play({
    "0": [
      js(`const schema = { type: 'array', items: { type: 'number' } };
      FINAL([await llm_complete('say hi'), await llm_complete('numbers', { schema })])`),
    ],
    "0.c1": ["hi"],
    "0.c2": ['```json\n[1, "2"]\n```', "[1, 2]"],
  });
  deepStrictEqual(result, ["hi", [1, 2]]);
});

Deno.test("a prompt that cannot fit the sub-model is refused with both sizes (E105)", async () => {
  const sub = scriptedModel({ "0.c2": ["fine"] }, { id: "small", contextWindow: 1_000 });
  const { result } = await play({
    "0": [
      js(
        `const r = await Promise.allSettled([llm_complete('word '.repeat(1e6)), llm_complete('short')]);
      FINAL([r[0].reason.message, r[1].value])`,
      ),
    ],
  }, { subAgent: sub });
  const [said, other] = result as string[];
  match(said!, /5,000,000 characters.*small takes 1,000/);
  strictEqual(other, "fine");
});

Deno.test("a run at its limit gives one last turn and ends without an answer (F112, F113)", async () => {
  const { status, result, error, model } = await play([js("1"), js("2"), js("3")], {
    maxCallsPerSubagent: 3,
  });
  strictEqual(status, "limit");
  strictEqual(result, undefined);
  strictEqual(error?.code, "limit");
  match(model.requests[2]!.messages.at(-1)!.content, /last/i);
});

Deno.test("maxSeconds ends a step that waits, gives one last turn, and then the run", async () => {
  const { status, result, model } = await play([
    js("var kept = 7; await new Promise(r => setTimeout(r, 60000))"),
    js("FINAL(kept)"),
  ], { maxSeconds: 2 });
  strictEqual(status, "answered");
  strictEqual(result, 7);
  const told = model.requests[1]!.messages.at(-1)!.content;
  match(told, /interrupted after the \d\.\d s that the run had left \(maxSeconds\)/);
  match(told, /last/i);
});

Deno.test("a limit of zero sends nothing and starts nothing (F111)", async () => {
  const { status, error, model, steps } = await play([], { maxGlobalCalls: 0 });
  strictEqual(status, "limit");
  strictEqual(error?.code, "limit");
  strictEqual(steps, 0);
  strictEqual(model.requests.length, 0);
});

Deno.test("env reaches tools, and the REPL only by name, never a prompt", async () => {
  const { result, model } = await play({
    "0": [js("FINAL([env.PUBLIC, env.SECRET, await tools.whoami()])")],
  }, {
    env: { PUBLIC: "open-value", SECRET: "hidden-value" },
    exposeEnv: ["PUBLIC"],
    tools: {
      whoami: (_: unknown, { env }: { env: Record<string, string> }) => env["SECRET"]!.length,
    },
  });
  deepStrictEqual(result, ["open-value", undefined, 12]);
  const prompt = promptOf(model, "0");
  ok(prompt.includes("PUBLIC"));
  ok(!prompt.includes("open-value") && !prompt.includes("hidden-value"));
});
