/** What the agent left is what the next agent finds: whole sessions, each query a run of its own. */
import assert from "node:assert/strict";
import { join } from "@std/path";
import { Session } from "../../mod.ts";
import type { Manifest } from "../../lib/session_format.ts";
import { chatReply } from "../support/fake_replies.ts";
import { cli, withTempDir } from "../support/cli.ts";
import { startFakeModelServer } from "../support/fake_model_server.ts";
import { js } from "../support/play.ts";
import { scriptedModel } from "../support/scripted_model.ts";

interface Told {
  /** FINAL of each query. */
  readonly finals: unknown[];
  /** `state.json` after each query. */
  readonly states: Manifest[];
  /** First prompt of each query. */
  readonly prompts: string[];
  /** All that the agents were shown after their first reply of a query. */
  readonly outputs: string[];
  readonly dir: string;
}

/** Plays queries, each a list of steps, in one session directory. */
async function played(
  queries: readonly (readonly string[])[],
  check: (told: Told) => void | Promise<void>,
  variableCapMb = 5,
): Promise<void> {
  await withTempDir(async (dir) => {
    const told: Told = { finals: [], states: [], prompts: [], outputs: [], dir };
    for (const steps of queries) {
      const primaryAgent = scriptedModel({ "0": steps.map(js), "*": [js("FINAL(0)")] });
      await using session = new Session({
        sessionDir: dir,
        config: { primaryAgent, variableCapMb },
      });
      const { result, status } = await session.query("question");
      assert.equal(status, "answered");
      const calls = primaryAgent.requests.filter(({ caller }) => caller.agent === "0");
      assert.equal(calls.length, steps.length);
      told.finals.push(result);
      told.states.push(JSON.parse(await Deno.readTextFile(join(dir, "state.json"))));
      const text = ({ messages }: { messages: readonly { content: unknown }[] }) =>
        messages.map(({ content }) => content).join("\n");
      told.prompts.push(text(calls[0]!));
      told.outputs.push(text(calls.at(-1)!));
    }
    await check(told);
  });
}

const payloadsOf = ({ variables, functions }: Manifest): Record<string, string> =>
  Object.fromEntries(
    [...Object.entries(variables), ...Object.entries(functions)]
      .map(([name, { value }]) => [name, `${value.payload} ${value.slot}`]),
  );

/** Code of query 1, and what queries 2 and 3 find; nothing may be lost on the way. */
const worlds: readonly (readonly [what: string, build: string, look: string, found: unknown])[] = [
  [
    "closures: counters, memo caches, loop variables, private state of modules, currying",
    `const makeCounter = () => { let c = 0; return { inc: () => ++c, get: () => c } };
     const a = makeCounter(), b = makeCounter();
     const { inc, get } = makeCounter();
     inc();
     const memo = (() => { const cache = new Map(); return (n) => { cache.set(n, n * n); return cache.size } })();
     memo(3);
     const turns = []; for (let i = 0; i < 3; i++) turns.push(() => i++);
     const bank = (() => { let money = 10; return { add(n) { money += n }, get money() { return money } } })();
     bank.add(5);
     const add = (x) => (y) => (z) => x + y + z; const three = add(1)(2);
     var c = 1000;`,
    `[a.inc(), a.inc(), b.get(), inc(), get(), memo(4), turns[1](), turns[1](), turns[2](), (bank.add(1), bank.money), three(3), c]`,
    [1, 2, 0, 2, 2, 2, 1, 2, 2, 16, 6, 1000],
  ],
  [
    "classes (case 55): inheritance, private fields, statics; instances (cases 27, 41) with cycles",
    `class Base { constructor(n) { this.n = n } twice() { return this.n * 2 } }
     class Derived extends Base { static made = 0; constructor(n) { super(n); Derived.made++ } twice() { return super.twice() + 1 } get half() { return this.n / 2 } }
     class Vault { #secret = 7; open() { return this.#secret } static of() { return new Vault() } }
     const d = new Derived(4);
     d.self = d;
     const byName = new Map([["d", d], ["e", new Derived(6)]]);
     class Node { kids = [] }; const p = new Node(); p.kids.push(p);
     const CFG = { k: 1 }; class S { static k = CFG.k }; S.k = 9;`,
    `[d.twice(), d.half, d.self === d, byName.get("d") === d, byName.get("e") instanceof Base, Derived.made, new Vault().open(), p.kids[0] === p, S.k, new Derived(1).twice(), (Derived.made = 2)]`,
    [9, 2, true, true, true, 2, 7, true, 9, 3, 2],
  ],
  [
    "objects that variables and closures share (case 45)",
    `const s = { n: 0 }; const a = s, list = [s, s];
     const bump = (() => { const held = s; return () => ++held.n })();
     const keyed = new Map([[s, "s"]]);`,
    `[(s.n = 0, bump()), a.n, list[0] === list[1], list[0] === s, keyed.get(a), (a.n = 5, s.n), (s.n = 0)]`,
    [1, 1, true, true, "s", 5, 0],
  ],
  [
    "functions of every kind (cases 50, 52), with properties, and accessors",
    `const api = { parse(t) { return t.split(",") }, get n() { return 1 }, async *g() { yield 1 }, ["a b"]() { return 3 } };
     const parse = api.parse;
     const later = async (x) => x; async function* stream() { yield 1; yield 2 } function* gen() { yield 7 }
     function tagged() { return tagged.calls } tagged.calls = 4; tagged.deep = { list: [1] };
     const view = Object.defineProperty({}, "hidden", { get() { return 11 }, enumerable: false, configurable: true });`,
    `await (async () => { const all = []; for await (const x of stream()) all.push(x);
       return [parse("a,b").length, api.parse === parse, api.n, api["a b"](), await later(5), all.length, [...gen()][0], tagged(), tagged.deep.list[0], view.hidden, Object.keys(view).length,
         stream.constructor.name, (await api.g().next()).value] })()`,
    [2, true, 1, 3, 5, 2, 7, 4, 1, 11, 0, "AsyncGeneratorFunction", 1],
  ],
  [
    "values of every kind (cases 28, 32, 34, 35)",
    `const frozen = Object.freeze({ deep: [1] }); const bare = Object.create(null); bare.x = 1;
     const sym = Symbol("s"); const bySymbol = { [sym]: 1, [Symbol.for("r")]: 2 };
     const sparse = [1, , 3]; sparse.length = 10; sparse.extra = "e";
     const buffer = new ArrayBuffer(8); const bytes = new Uint8Array(buffer, 2, 4); const words = new Uint16Array(buffer);
     const when = new Date(0); const re = /a/g; re.test("aa");
     const failure = new TypeError("no", { cause: new Error("", { cause: { code: 5 } }) });
     const text = "\\u0000\\u0011\\u2028\\ud800é"; const big = 12345678901234567890n; const zero = -0; const nan = NaN;
     const proto = JSON.parse('{"__proto__":{"admin":true},"n":1}');
     const url = new URL("https://a.b/c?d=e"); var constructor = 1; var hasOwnProperty = 2;
     const matched = "2024".match(/(?<y>\\d+)/); class Rows extends Array { sum() { return this.reduce((x, y) => x + y, 0) } } const rows = Rows.of(1, 2);
     const day = Temporal.PlainDate.from("2026-01-02"); const missing = undefined;`,
    `[Object.isFrozen(frozen), Object.getPrototypeOf(bare) === null, bySymbol[sym], bySymbol[Symbol.for("r")], 1 in sparse, sparse.length, sparse.extra,
      (bytes[0] = 9, words[1] & 255), bytes.buffer === buffer, +when, re.lastIndex, failure instanceof TypeError, failure.cause.message, failure.cause.cause.code,
      text === "\\u0000\\u0011\\u2028\\ud800é", String(big), Object.is(zero, -0), nan !== nan, Object.hasOwn(proto, "__proto__"), ({}).admin === undefined, url.search, constructor + hasOwnProperty,
      matched.groups.y, matched.index, rows.sum(), rows instanceof Rows, day.day, "missing" in globalThis]`,
    [
      ...[true, true, 1, 2, false, 10, "e", 9, true, 0, 1, true, "", 5],
      ...[
        true,
        "12345678901234567890",
        true,
        true,
        true,
        true,
        "?d=e",
        3,
        "2024",
        0,
        3,
        true,
        2,
        true,
      ],
    ],
  ],
  [
    "a list of 20,000 links (case 42)",
    `let list = null; for (let i = 0; i < 20_000; i++) list = { next: list, i };`,
    `(() => { let n = 0; for (let at = list; at; at = at.next) n++; return [n, list.i] })()`,
    [20_000, 19_999],
  ],
];

for (const [what, build, look, found] of worlds) {
  Deno.test(`three queries find the same: ${what}`, async () => {
    const steps = [build + "\n0", "FINAL('built')"];
    await played(
      [steps, ["FINAL('nothing touched')"], [`FINAL(${look})`], [`FINAL(${look})`]],
      ({ finals, states }) => {
        const [built, untouched, looked] = states as [Manifest, Manifest, Manifest];
        assert.deepEqual({ ...built.dropped }, {});
        for (
          const entry of [...Object.values(built.variables), ...Object.values(built.functions)]
        ) {
          assert.deepEqual([entry.loss, entry.failed], [undefined, undefined]);
        }
        assert.deepEqual(payloadsOf(untouched), payloadsOf(built));
        assert.deepEqual({ ...untouched.payloads }, { ...built.payloads });
        assert.deepEqual(finals[2], found);
        assert.deepEqual({ ...looked.dropped }, {});
      },
    );
  });
}

Deno.test("the last of three queries counts on from the second", async () => {
  await played(
    [
      ["const mk = () => { let c = 0; return () => ++c }; const inc = mk(); FINAL(inc())"],
      ["const other = inc; FINAL([inc(), other()])"],
      ["FINAL([inc(), other(), other === inc])"],
    ],
    ({ finals }) => assert.deepEqual(finals, [1, [2, 3], [4, 5, true]]),
  );
});

Deno.test("comments belong to their variable, the newest wins, and steps elsewhere keep them", async () => {
  await played(
    [
      [
        "// the rows of the table\nconst rows = [1];\nconst total = 1; // their sum\n" +
        "// name and age\nconst { name, age } = { name: 'n', age: 2 };\nlet plain = 1; // first",
        "plain = 2; // second\nconst other = 1;",
        "FINAL(1)",
      ],
      ["other; FINAL(2)"],
      ["rows = [3]; // new rows\nFINAL(3)"],
    ],
    ({ states, prompts }) => {
      const comments = ({ variables }: Manifest) =>
        Object.fromEntries(Object.entries(variables).map(([name, { comment }]) => [name, comment]));
      const first = {
        age: "name and age",
        name: "name and age",
        other: undefined,
        plain: "second",
        rows: "the rows of the table",
        total: "their sum",
      };
      assert.deepEqual(comments(states[0]!), first);
      assert.deepEqual(comments(states[1]!), first);
      assert.deepEqual(comments(states[2]!), { ...first, rows: "new rows" });
      assert.match(prompts[1]!, /the rows of the table/);
    },
  );
});

Deno.test("notes replace each other, last over queries, and go with their variable", async () => {
  await played(
    [
      ["const a = 1, b = 2; commit('a', 'first'); commit('b', 'kept'); FINAL(1)"],
      ["commit('a', 'second'); delete globalThis.b; FINAL(2)"],
      ["FINAL([typeof b, a])"],
    ],
    ({ finals, states, prompts }) => {
      assert.deepEqual(finals[2], ["undefined", 1]);
      assert.equal(states[0]!.variables["a"]?.note, "first");
      assert.equal(states[2]!.variables["a"]?.note, "second");
      assert.deepEqual([states[2]!.variables["b"], states[2]!.dropped["b"]], [
        undefined,
        undefined,
      ]);
      assert.match(prompts[2]!, /second/);
    },
  );
});

Deno.test("commit of what cannot be saved is an error at once; commit of context keeps it", async () => {
  await played(
    [
      ["const p = new Promise(() => {}); commit('p', 'soon')", "commit('context'); FINAL(context)"],
      ["FINAL([context, saved_context])"],
    ],
    ({ finals, outputs, prompts, states }) => {
      assert.match(outputs[0]!, /commit\("p"\): cannot be saved: is a promise/);
      assert.deepEqual(finals[1], ["question", "question"]);
      assert.equal(states[0]!.dropped["p"]?.reason, "is a promise");
      assert.match(prompts[1]!, /saved_context/);
    },
  );
});

Deno.test("the cap counts UTF-8 bytes, and what is over it is dropped with its size", async () => {
  await played(
    [[
      "const fits = 'x'.repeat(900_000); const wide = 'é'.repeat(600_000); const nul = '\\0'.repeat(200_000);\n" +
      "const buffer = new ArrayBuffer(900_000); const view = new Uint8Array(buffer, 0, 2); FINAL(1)",
    ], ["FINAL([typeof fits, typeof wide, typeof nul, typeof view])"]],
    async ({ finals, states, dir, prompts }) => {
      assert.deepEqual(finals[1], ["string", "undefined", "undefined", "undefined"]);
      const session = new Session({ sessionDir: dir });
      const dropped = await session.dropped();
      assert.deepEqual(dropped.map(({ name, bytes }) => [name, bytes]), [
        ["buffer", 1_200_000],
        ["nul", 1_200_002],
        ["view", 1_200_000],
        ["wide", 1_200_002],
      ]);
      for (const { reason } of dropped) assert.match(reason, /over the cap of 1,000,000 bytes/);
      assert.equal(states[1]!.dropped["wide"]?.query, 1);
      assert.match(prompts[1]!, /wide/);
    },
    1,
  );
});

Deno.test("a value that cannot be restored is named and carried on until its name is assigned (case 48)", async () => {
  await withTempDir(async (dir) => {
    const file = join(dir, "state.json");
    const state = async (): Promise<Manifest> => JSON.parse(await Deno.readTextFile(file));
    const query = async (code: string) => {
      const primaryAgent = scriptedModel([js(code)]);
      await using session = new Session({ sessionDir: dir, config: { primaryAgent } });
      const { result } = await session.query("q");
      return {
        result,
        prompt: primaryAgent.requests[0]!.messages.map((m) => m.content).join("\n"),
      };
    };
    await query(
      "const bad = { deep: [1, 2] }; const good = [3]; class Boom { static at = 1 } FINAL(1)",
    );
    const damaged = JSON.parse(await Deno.readTextFile(file));
    const id = damaged.variables.bad.value.payload;
    const text = damaged.payloads[id].text;
    damaged.payloads[id].text = text.slice(0, -3);
    await Deno.writeTextFile(file, JSON.stringify(damaged));

    const second = await query("FINAL([typeof bad, good[0]])");
    assert.deepEqual(second.result, ["undefined", 3]);
    assert.match(second.prompt, /bad/);
    const carried = await state();
    assert.equal(carried.payloads[id]?.text, text.slice(0, -3));
    assert.ok(carried.variables["bad"]?.failed);

    await query("good.push(4); FINAL(0)");
    assert.equal((await state()).payloads[id]?.text, text.slice(0, -3));
    await query("var bad = 'new'; FINAL(0)");
    const assigned = await state();
    assert.deepEqual([assigned.payloads[id], assigned.variables["bad"]?.failed], [
      undefined,
      undefined,
    ]);
    assert.deepEqual((await query("FINAL([bad, good.length])")).result, ["new", 2]);
  });
});

Deno.test("values that were altered, and what altered code did, are not in the REPL", async () => {
  await withTempDir(async (dir) => {
    const query = async (code: string) => {
      const primaryAgent = scriptedModel([js(code)]);
      await using session = new Session({ sessionDir: dir, config: { primaryAgent } });
      const { result } = await session.query("q");
      const [request] = primaryAgent.requests;
      return { result, prompt: request!.messages.map((m) => m.content).join("\n") };
    };
    await query(
      "const sum = { total: 12 }; const rows = [1]; " +
        "class Count { static { globalThis.mark = 'as saved' } } FINAL(1)",
    );
    const file = join(dir, "state.json");
    const state = JSON.parse(await Deno.readTextFile(file));
    for (const payload of Object.values<{ text: string }>(state.payloads)) {
      payload.text = payload.text.replace(",12,", ",99,").replace(
        "globalThis.mark",
        "globalThis.evil",
      );
    }
    await Deno.writeTextFile(file, JSON.stringify(state));
    const look = "FINAL([typeof sum, rows[0], typeof Count, typeof evil])";
    const { result, prompt } = await query(look);
    assert.deepEqual(result, ["undefined", 1, "undefined", "undefined"]);
    assert.match(prompt, /Not restored[^\n]*: (?=[^\n]*sum \()[^\n]*Count \(/);
    assert.match(prompt, /wrong hash/);
  });
});

Deno.test("definitions run again without calls, cost or side effect (case 56); timers and promises end (case 60)", async () => {
  await played(
    [
      [
        "let n = 0; class C { static { n++; llm_query('pay').catch(() => {}) } }; n",
        "const t = setInterval(() => n++, 10); const slow = new Promise(() => {}); FINAL(n)",
      ],
      ["FINAL([n, typeof C, typeof slow])"],
    ],
    ({ finals, states }) => {
      assert.deepEqual(finals[1], [1, "function", "undefined"]);
      assert.deepEqual(Object.keys(states[0]!.dropped), ["slow", "t"]);
      assert.equal(states[1]!.queries[1]?.usage.calls, 1);
    },
  );
});

Deno.test("three processes share one memory, by whatever path they name it (case 62)", async () => {
  await withTempDir(async (dir) => {
    const elsewhere = join(dir, "elsewhere");
    await Deno.mkdir(elsewhere);
    await Deno.symlink("../s", join(elsewhere, "link"));
    const replies = [
      "class Doc { constructor(t) { this.t = t } words() { return this.t.split(' ').length } }\n" +
      "const docs = new Map([['a', new Doc('one two')]]); const count = (() => { let c = 0; return () => ++c })(); FINAL(count())",
      "docs.set('b', new Doc('three')); FINAL([docs.get('a').words(), count()])",
      "FINAL([...docs.values()].map((d) => d.words()).concat(count()))",
    ].map(js);
    await using server = startFakeModelServer(
      replies.map((text) => (request) => chatReply(text, request)),
    );
    const ask = async (session: string, cwd: string) => {
      const { code, stdout } = await cli(
        ["--primary-agent", "fake", "--session-dir", session, "-q", "question"],
        { cwd, env: { RLM_MODEL_API_KEY: "sk-test", RLM_MODEL_BASE_URL: server.baseUrl } },
      );
      return [code, JSON.parse(stdout)];
    };
    assert.deepEqual(await ask("./s/", dir), [0, 1]);
    assert.deepEqual(await ask("link", elsewhere), [0, [2, 2]]);
    assert.deepEqual(await ask(join(dir, "s"), elsewhere), [0, [2, 1, 3]]);
  });
});

Deno.test("looking at a session shows no more than previews of what is large (case 68)", async () => {
  await played(
    [["const large = Array.from({ length: 60_000 }, (_, i) => 'needle ' + i); FINAL(large.length)"]],
    async ({ dir }) => {
      await using session = new Session({ sessionDir: dir });
      const [large] = await session.variables();
      assert.ok(large!.bytes > 1_000_000 && JSON.stringify(large).length < 1_000);
      for (const json of [[], ["--json"]]) {
        const { code, stdout } = await cli(["session", "show", dir, ...json]);
        assert.equal(code, 0);
        assert.match(stdout, /1 variable|"large"/);
        assert.ok(stdout.length < 10_000);
      }
    },
  );
});
