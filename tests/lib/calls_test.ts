/** What agent code may call, over a whole run: concurrency, tools, schemas, errors it can catch. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { tool } from "ai";
import { z } from "zod";
import { RlmError } from "../../mod.ts";
import { js, play, promptOf } from "../support/play.ts";
import { scriptedModel } from "../support/scripted_model.ts";

/** Lets its callers on in groups of `size`: who waits for a mate that cannot come, waits for ever. */
function meeting(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    if (waiting.length === size) {
      for (const go of waiting) go();
      waiting = [];
    }
    return promise;
  };
}

Deno.test("sub-agents work side by side, never more than maxConcurrency, and answer in order", async () => {
  const meet = meeting(3);
  let working = 0;
  let most = 0;
  const child = async () => {
    most = Math.max(most, ++working);
    await meet();
    working--;
    return js("FINAL(context)");
  };
  const { result, events } = await play({
    "0": [
      js(`FINAL(await batch_llm_query(Array.from({ length: 9 },
        (_, i) => ({ context: 'piece ' + i, instruction: 'read' }))))`),
    ],
    ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`0.${i}`, [child]])),
  }, { maxConcurrency: 3 });
  deepStrictEqual(result, Array.from({ length: 9 }, (_, i) => `piece ${i}`));
  strictEqual(most, 3);
  let open = 0;
  let mostOpen = 0;
  for (const { type, agent } of events) {
    if (agent.depth !== 1) continue;
    if (type === "agent_start") mostOpen = Math.max(mostOpen, ++open);
    if (type === "agent_end") open--;
  }
  strictEqual(mostOpen, 3);
});

Deno.test("with one place a tree of depth 3 still gets through", async () => {
  const { result } = await play({
    "0": [js("FINAL(await batch_llm_query([{context: 'a'}, {context: 'b'}]))")],
    "0.0": [js("FINAL(1 + await llm_query(context))")],
    "0.0.0": [js("FINAL(1 + await llm_query(context))")],
    "0.0.0.0": [js("FINAL(1)")],
    "0.1": [js("FINAL(1 + await llm_query(context))")],
    "0.1.0": [js("FINAL(1)")],
  }, { maxConcurrency: 1 });
  deepStrictEqual(result, [3, 2]);
});

Deno.test("a batch takes promises of llm_query beside items", async () => {
  const { result } = await play({
    "0": [
      js(`FINAL(await batch_llm_query([llm_query('a', {instruction: 'i'}), 'b', 7,
        { context: 'c', schema: { type: 'integer' } }]).then(list => list.map(x =>
          x instanceof Error ? x.name : x)))`),
    ],
    "0.0": [js("FINAL(context + 1)")],
    "0.1": [js("FINAL(context + 2)")],
    "0.2": [js("FINAL('x')"), js("FINAL(3)")],
  });
  deepStrictEqual(result, ["a1", "b2", "TypeError", 3]);
});

Deno.test("an object as context is described flat: keys, types, sizes, previews", async () => {
  const context = {
    title: "Annual report",
    rows: Array.from({ length: 250 }, (_, id) => ({ id, name: `row ${id}` })),
    byYear: new Map([[2024, [1, 2]], [2025, []]]),
    made: new Date(0),
    secretless: null,
  };
  const { model, result } = await play({
    "0": [
      js("FINAL(await llm_query({ list: context.rows.slice(0, 3) }, { instruction: 'read' }))"),
    ],
    "0.0": [js("FINAL(context.list.length)")],
  }, { context });
  strictEqual(result, 3);
  const root = promptOf(model, "0");
  for (
    const told of [/title.*string.*Annual report/, /rows.*250/, /byYear.*Map\(2\)/, /made.*Date/]
  ) {
    match(root, told);
  }
  ok(root.length < 5_000, "the context was pasted");
  match(promptOf(model, "0.0"), /list.*3/);
});

Deno.test("a failing sub-call throws: FINAL behind it is not reached, catch sees message and code (A21)", async () => {
  const { result, model } = await play({
    "0": [
      js("const r = await llm_query('x'); FINAL(r)"),
      js(
        "try { await llm_complete('y') } catch (e) { FINAL([e instanceof Error, e.code, e.message]) }",
      ),
    ],
    "0.0": [new RlmError("model_server", "scripted answered 500: overloaded")],
    "0.c1": [new RlmError("model_server", "scripted answered 500: overloaded")],
  });
  deepStrictEqual(result, [true, "model_server", "scripted answered 500: overloaded"]);
  match(promptOf(model, "0", 2), /Error:[^]*answered 500: overloaded/);
});

Deno.test("a batch is a real array, whatever its length (A22)", async () => {
  const { result } = await play({
    "0": [
      js(`const none = await batch_llm_query([]);
      const two = (await batch_llm_query(['a', 'bb'])).map(s => s.length);
      FINAL([Array.isArray(none), none.length, two])`),
    ],
    "0.0": [js("FINAL(context)")],
    "0.1": [js("FINAL(context)")],
  });
  deepStrictEqual(result, [true, 0, [1, 2]]);
});

Deno.test("no credit, a refused key and a prompt that is too long: one call each, catchable, mates unaffected (E104, E105)", async () => {
  const { result, model } = await play({
    "0": [
      js(
        `const settled = await Promise.allSettled(['a', 'b', context, 'd'].map(p => llm_complete(p)));
      FINAL(settled.map(({ value, reason }) => value ?? [reason.code, reason.message]))`,
      ),
    ],
    "0.c1": [new RlmError("model_credit", "no credit")],
    "0.c2": [new RlmError("model_auth", "no such key")],
    "0.c3": [new RlmError("model_context_too_long", "maximum context length is 8192 tokens")],
    "0.c4": ["fine"],
  }, { context: "word ".repeat(200_000) });
  const [credit, auth, long, fine] = result as [string[], string[], string[], string];
  deepStrictEqual([credit[0], auth[0], fine], ["model_credit", "model_auth", "fine"]);
  match(long[1]!, /8192 tokens; the prompt has 1,000,000 characters, some [\d,]+ tokens: split it/);
  strictEqual(model.requests.length, 5);
});

Deno.test("an answer of llm_complete that was cut says so; one that is all thought is an error", async () => {
  const { result } = await play({
    "0": [
      js(`const r = await Promise.allSettled([llm_complete('a'), llm_complete('b')]);
      FINAL([r[0].value, r[1].reason.code])`),
    ],
    "0.c1": [{ text: "one, two, thr", finish: "length" }],
    "0.c2": [{ text: "", reasoning: "hm", finish: "length" }],
  });
  deepStrictEqual(result, ["one, two, thr\n[cut by the output limit of the model]", "model_empty"]);
});

Deno.test("a refused llm_complete is an error, not an answer", async () => {
  const { result } = await play({
    "0": [js("FINAL(await llm_complete('a').catch(e => [e.code, e.message]))")],
    "0.c1": [{ text: "I can't.", finish: "refused" }],
  });
  deepStrictEqual(result, ["model_filtered", "The model did not answer: refused"]);
});

Deno.test("AI SDK tools and functions: called by name, arguments checked, values real, errors catchable", async () => {
  const { result, model, events } = await play([
    js(`const found = await tools.search({ word: 'beta' });
    const bad = await tools.search({ word: 5 }).catch(e => e.message);
    const broken = await tools.broken().catch(e => [e instanceof Error, e.message]);
    const missing = await tools.serch({}).catch(e => e.message);
    FINAL([found, bad, broken, missing, (await tools.counts()).get('a')])`),
  ], {
    tools: {
      search: tool({
        description: "Finds lines",
        inputSchema: z.object({ word: z.string() }),
        execute: ({ word }) => Promise.resolve([`a ${word}`]),
      }),
      broken: () => {
        throw new Error("disk on fire\n  at host (/secret/path.ts:1)");
      },
      counts: () => new Map([["a", 1n]]),
    },
  });
  const [found, bad, broken, missing, count] = result as [
    unknown,
    string,
    unknown[],
    string,
    bigint,
  ];
  deepStrictEqual(found, ["a beta"]);
  match(bad, /tools\.search: args\.word: /);
  strictEqual(broken[0], true);
  match(broken[1] as string, /tools\.broken failed: disk on fire/);
  match(missing, /did you mean search\?/);
  strictEqual(count, 1n);
  match(promptOf(model, "0"), /tools\.search\(args: \{ word: string \}\) — Finds lines/);
  doesNotMatch(promptOf(model, "0"), /execute|disk on fire/);
  deepStrictEqual(
    events.flatMap((event) =>
      event.type === "tool_call" ? [[event.tool, event.error === undefined]] : []
    ),
    [["search", true], ["search", false], ["broken", false], ["serch", false], ["counts", true]],
  );
});

Deno.test("the caller's AbortSignal reaches the tool that runs", async () => {
  const stop = new AbortController();
  let seen: AbortSignal | undefined;
  const { status } = await play([js("FINAL(await tools.slow())")], {
    signal: stop.signal,
    tools: {
      slow: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
        seen = abortSignal;
        stop.abort(new Error("enough"));
        return new Promise((_, reject) =>
          abortSignal.aborted ? reject(abortSignal.reason) : undefined
        );
      },
    },
  });
  strictEqual(status, "interrupted");
  strictEqual(seen?.aborted, true);
});

Deno.test("functions of the REPL go to a child in every form, and stand alone there", async () => {
  const { result } = await play({
    "0": [
      js(`const arrow = (x) => x * 2;
      async function later(x) { return arrow(x) }
      function* count(n) { for (let i = 0; i < n; i++) yield i }
      class Box { constructor(v) { this.v = v } }
      const r = await llm_query('x', { instruction: 'i', tools: [arrow, later, count, Box] });
      let native; try { await llm_query('x', { tools: [Math.max] }) } catch (e) { native = e.message }
      FINAL([r, native])`),
    ],
    "0.0": [
      js("FINAL([arrow(2), await later(3), [...count(3)], new Box(7).v, typeof llm_query])"),
    ],
  });
  const [values, native] = result as [unknown, string];
  deepStrictEqual(values, [4, 6, [0, 1, 2], 7, "function"]);
  match(native, /Cannot hand on max: its source is no function expression/);
});

Deno.test("tools go to a child by name only, and no further than that", async () => {
  const { result } = await play({
    "0": [
      js(`FINAL([await llm_query('x', { tools: ['one'] }),
        await llm_query('x', { tools: ['three'] }).catch(e => e.message)])`),
    ],
    "0.0": [
      js(`FINAL([await tools.one(), await tools.two().catch(e => e.message),
        await llm_query('y', { tools: ['two'] }).catch(e => e.message)])`),
    ],
  }, { tools: { one: () => 1, two: () => 2 } });
  const [[one, two, deeper], three] = result as [[number, string, string], string];
  strictEqual(one, 1);
  for (const said of [two, deeper, three]) match(said, /Cannot find the tool/);
});

Deno.test("outputSchema takes Zod, which may transform, and any Standard Schema", async () => {
  const zod = await play([
    js("FINAL({ when: 5 })"),
    js("FINAL({ when: '2024-05-01' })"),
  ], { outputSchema: z.object({ when: z.iso.date().transform((text) => new Date(text)) }) });
  deepStrictEqual(zod.result, { when: new Date("2024-05-01") });
  match(promptOf(zod.model, "0", 2), /- value\.when: .*string/);

  const even = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) =>
        Number(value) % 2 === 0 ? { value } : { issues: [{ message: "must be even", path: [] }] },
    },
  };
  const standard = await play([js("FINAL(3)"), js("FINAL(4)")], { outputSchema: even });
  strictEqual(standard.result, 4);
  match(promptOf(standard.model, "0", 2), /- value: must be even/);
});

Deno.test("a schema of an agent that cannot be used is an error it can catch", async () => {
  const { result } = await play([
    js("FINAL(await llm_query('x', { schema: { type: 'strong' } }).catch(e => e.message))"),
  ]);
  match(result as string, /schema/);
});

Deno.test("a model id that is a prototype's key is a model like any other (F109)", async () => {
  const sub = scriptedModel({ "*": Array(3).fill("yes") }, { id: "constructor" });
  const { result, usage } = await play([
    js(
      "FINAL(await Promise.all([1, 2, 3].map(() => llm_complete('x', { model: 'constructor' }))))",
    ),
  ], { subAgent: sub, maxMoneySpent: 1 });
  deepStrictEqual(result, ["yes", "yes", "yes"]);
  strictEqual(usage.calls, 4);
  strictEqual(usage.cost, undefined);
});
