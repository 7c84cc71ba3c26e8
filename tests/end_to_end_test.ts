/**
 * The main job over the real wire: the program as a process, a model server on loopback, a session
 * that the next process resumes.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { cli, cliCommand, withTempDir } from "./support/cli.ts";
import { startFakeModelServer } from "./support/fake_model_server.ts";

const KEY = "sk-test-this-key-must-appear-nowhere";

const js = (code: string) => "```js\n" + code + "\n```";

/** Every file below a directory as text, by path. */
async function filesBelow(dir: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Deno.readDir(dir)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory) {
      for (const [name, text] of await filesBelow(path)) files.set(name, text);
    } else files.set(path, await Deno.readTextFile(path));
  }
  return files;
}

const BUILD = [
  js(`// words by their length, longest first
const byLength = new Map();
for (const w of context.split(/\\W+/).filter(Boolean)) {
  byLength.set(w.length, [...(byLength.get(w.length) ?? []), w]);
}
class Doc { constructor(t) { this.t = t } words() { return this.t.split(" ").length } }
const doc = new Doc("the quick brown fox");
// counts words of a given length
function howMany(n) { return (byLength.get(n) ?? []).length }
const handle = Promise.resolve(1);
byLength.size`),
  js(`commit("byLength", "all words of the text by length");
FINAL(howMany(5))`),
];

Deno.test("the second process answers from what the first one built", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    const book = join(dir, "book.txt");
    await Deno.writeTextFile(book, "the quick brown fox jumps over the lazy dog\n".repeat(3));
    await using server = startFakeModelServer([
      ...BUILD,
      js("FINAL([howMany(3), byLength.get(5)[0], doc.words(), doc instanceof Doc])"),
      js("FINAL(byLength.size)"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl + "/", RLM_MODEL_API_KEY: KEY };
    const common = ["--primary-agent", "fake/model", "--session-dir", session];

    const first = await cli([...common, "--input-file", book, "How many words of five letters?"], {
      env,
    });
    strictEqual(first.stderr.includes("error"), false, first.stderr);
    strictEqual(first.stdout, "9\n");
    strictEqual(first.code, 0);

    const state = JSON.parse(await Deno.readTextFile(join(session, "state.json")));
    strictEqual(state.variables.byLength.comment, "words by their length, longest first");
    strictEqual(state.variables.byLength.note, "all words of the text by length");
    strictEqual(state.functions.howMany.comment, "counts words of a given length");
    match(state.dropped.handle.reason, /promise/i);
    strictEqual(state.variables.context, undefined);
    deepStrictEqual(
      state.queries.map((q: { query: string; final: unknown; status: string }) => [
        q.query,
        q.final,
        q.status,
      ]),
      [["How many words of five letters?", 9, "answered"]],
    );

    const second = await cli([...common, "And of three letters?"], { env });
    strictEqual(second.stdout, JSON.stringify([12, "quick", 4, true], null, 2) + "\n");
    const prompt = JSON.stringify(server.requests[2]!.json);
    for (
      const told of ["byLength", "Map(3)", "all words of the text by length", "howMany", "doc"]
    ) {
      ok(prompt.includes(told), `the resumed agent is not told of ${told}`);
    }
    ok(prompt.includes("new Map()"), "code of earlier steps is shown");
    ok(prompt.includes("How many words of five letters?"));

    const third = await cli([...common, "--no-session-code", "And sizes?"], { env });
    strictEqual(third.stdout, "3\n");
    const bare = JSON.stringify(server.requests[3]!.json);
    ok(!bare.includes("new Map()"), "no code with --no-session-code");
    ok(bare.includes("★ byLength") && bare.includes("all words of the text by length"));
    ok(bare.includes("no other material came with this query"), "there is the state");

    for (const request of server.requests) {
      strictEqual(request.method, "POST");
      strictEqual(request.path, "/v1/chat/completions");
      strictEqual(request.headers["authorization"], `Bearer ${KEY}`);
    }
    const said = [first, second, third].map(({ stdout, stderr }) => stdout + stderr).join();
    const files = await filesBelow(session);
    for (const [name, text] of [...files, ["the output", said] as const]) {
      ok(!text.includes(KEY), `the key stands in ${name}`);
    }
    strictEqual([...files.keys()].filter((name) => name.endsWith(".jsonl")).length, 3);
    for (const { log } of JSON.parse(files.get(join(session, "state.json"))!).queries) {
      ok(files.has(join(session, log)), `${log} is linked and missing`);
    }
  });
});

Deno.test("a process killed between steps loses no completed step", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    const gate = Promise.withResolvers<void>();
    await using server = startFakeModelServer([
      js("const a = [1, 2, 3]; a.length"),
      js("const b = a.map(x => x * 2); b"),
      { gate: gate.promise, body: {} },
      js("FINAL([a, b])"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: KEY };
    const args = ["--primary-agent", "fake/model", "--session-dir", session];
    const child = cliCommand([...args, "build"], { env }, { stdout: "null", stderr: "null" })
      .spawn();
    await server.untilRequests(3);
    // The third request may leave before the second step is on disk: wait for the file itself.
    while (!(await Deno.readTextFile(join(session, "state.json"))).includes("x * 2")) {
      await Promise.resolve();
    }
    child.kill("SIGKILL");
    await child.status;
    gate.resolve();
    const next = await cli([...args, "--json", "and now?"], { env });
    deepStrictEqual(JSON.parse(next.stdout).result, [[1, 2, 3], [2, 4, 6]]);
    const prompt = JSON.stringify(server.requests.at(-1)!.json);
    match(prompt, /interrupted/);
  });
});

Deno.test("a sub-agent sees nothing of the session and leaves nothing in it", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    await using server = startFakeModelServer([
      js('const secret = "root knows"; commit("secret", "do not tell")'),
      js('const r = await llm_query("piece of text", {instruction: "look around"}); FINAL(r)'),
      js('const childOnly = 1; commit("childOnly"); FINAL([typeof secret, context])'),
      js("FINAL(typeof childOnly)"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: KEY };
    const args = ["--primary-agent", "fake/model", "--session-dir", session, "--json"];
    const first = await cli([...args, "delegate"], { env });
    deepStrictEqual(JSON.parse(first.stdout).result, ["undefined", "piece of text"]);
    const child = JSON.stringify(server.requests[2]!.json);
    ok(!child.includes("do not tell") && !child.includes("delegate"), "the child saw the session");
    const state = await Deno.readTextFile(join(session, "state.json"));
    ok(!state.includes("childOnly"));
    const second = await cli([...args, "anything left?"], { env });
    strictEqual(JSON.parse(second.stdout).result, "undefined");
  });
});

Deno.test("saved code is never run again, only definitions are", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    await using server = startFakeModelServer([
      js("let n = 0; class C { static { n++; } }; n++; FINAL(n)"),
      js("FINAL([n, typeof C])"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/model", "--session-dir", session, "--json"];
    strictEqual(JSON.parse((await cli([...args, "one"], { env })).stdout).result, 2);
    deepStrictEqual(JSON.parse((await cli([...args, "two"], { env })).stdout).result, [
      2,
      "function",
    ]);
    strictEqual(server.requests.length, 2);
  });
});

Deno.test("context is saved only when it is committed", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    const input = join(dir, "in.txt");
    await Deno.writeTextFile(input, "the first context");
    await using server = startFakeModelServer([
      js('commit("context", "what the first query read"); FINAL(1)'),
      js("FINAL([saved_context, context])"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/model", "--session-dir", session, "--json"];
    await cli([...args, "--input-file", input, "one"], { env });
    await Deno.writeTextFile(input, "the second context");
    const second = await cli([...args, "--input-file", input, "two"], { env });
    deepStrictEqual(JSON.parse(second.stdout).result, ["the first context", "the second context"]);
  });
});

Deno.test("a limit without an answer is exit 3, and the state is there for the next query", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    await using server = startFakeModelServer([js("const a = 1; a"), js("a + 1"), js("FINAL(a)")]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/model", "--session-dir", session, "--json"];
    const first = await cli([...args, "--max-calls", "2", "never ends"], { env });
    strictEqual(first.code, 3);
    const result = JSON.parse(first.stdout);
    strictEqual(result.status, "limit");
    strictEqual(result.steps, 2);
    match(first.stderr, /max-calls/);
    const second = await cli([...args, "go on"], { env });
    strictEqual(JSON.parse(second.stdout).result, 1);
  });
});

Deno.test("a busy session is exit 4 at once, naming the holder", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    const gate = Promise.withResolvers<void>();
    await using server = startFakeModelServer([{ gate: gate.promise, body: {} }]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/model", "--session-dir", session];
    const holder = cliCommand([...args, "slow"], { env }, { stdout: "null", stderr: "null" })
      .spawn();
    await server.untilRequests(1);
    const second = await cli([...args, "quick"], { env });
    strictEqual(second.code, 4);
    match(second.stderr, new RegExp(String(holder.pid)));
    holder.kill("SIGKILL");
    await holder.status;
    gate.resolve();
  });
});

Deno.test("Ctrl-C saves what is complete, exits 130, and the next query is told", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    const gate = Promise.withResolvers<void>();
    await using server = startFakeModelServer([
      js("const kept = 41; kept"),
      { gate: gate.promise, body: {} },
      js("FINAL(kept + 1)"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/model", "--session-dir", session];
    const child = cliCommand([...args, "slow"], { env }).spawn();
    await server.untilRequests(2);
    child.kill("SIGINT");
    const { code, stdout } = await child.output();
    strictEqual(code, 130);
    strictEqual(new TextDecoder().decode(stdout), "");
    gate.resolve();
    const state = JSON.parse(await Deno.readTextFile(join(session, "state.json")));
    strictEqual(state.queries[0].status, "interrupted");
    const next = await cli([...args, "go on"], { env });
    strictEqual(next.stdout, "42\n");
    match(JSON.stringify(server.requests.at(-1)!.json), /interrupted/);
  });
});
