/** Limits and budgets from the command line: exit codes, status, ledger, and what the header says. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { cli, withTempDir } from "./support/cli.ts";
import { type FakeAnswer, startFakeModelServer } from "./support/fake_model_server.ts";
import { openAiStream } from "./support/fake_replies.ts";
import { js } from "./support/play.ts";

/** A reply that costs so many US dollars; its prompt tokens are those of the request. */
const costing = (cost: number, text: string): FakeAnswer => (request) => {
  const prompt_tokens = Math.ceil(request.text.length / 4);
  return openAiStream([text], { prompt_tokens, completion_tokens: 7, cost });
};

const cents = (usage: { cost: number }): number => Math.round(usage.cost * 100);

Deno.test("1¢ twice and two sub-calls of 5¢ against 10¢: 12¢, stopped, and 12¢ in the ledger after a resume (F108, F113)", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    await using server = startFakeModelServer([
      costing(0.01, js("const a = await llm_complete('x'); const b = await llm_query('y')")),
      costing(0.05, "five"),
      costing(0.05, js("FINAL('five more')")),
      costing(0.01, js("a + b")),
      costing(0.01, js("FINAL([a, b])")),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/m", "--session-dir", session, "--json"];
    const first = await cli([...args, "--max-money-spent", "0.1", "one"], { env });
    strictEqual(first.code, 3, first.stderr);
    const result = JSON.parse(first.stdout);
    deepStrictEqual([result.status, result.result, cents(result.usage), result.usage.calls], [
      "limit",
      null,
      12,
      4,
    ]);
    strictEqual(result.error.limit, "maxMoneySpent");
    match(JSON.stringify(server.requests[3]!.json), /Last turn: maxMoneySpent/);

    const second = await cli([...args, "two"], { env });
    deepStrictEqual(JSON.parse(second.stdout).result, ["five", "five more"]);
    const state = JSON.parse(await Deno.readTextFile(join(session, "state.json")));
    deepStrictEqual(
      state.queries.map((q: { status: string; usage: { cost: number } }) => [
        q.status,
        cents(q.usage),
      ]),
      [["limit", 12], ["answered", 1]],
    );
    const shown = await cli(["session", session, "show", "--json"], { env });
    ok(shown.stdout.includes('"limit"'), shown.stdout);
  });
});

Deno.test("0 is zero: nothing is sent, exit 3 (F111)", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer();
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    for (const flag of ["--max-money-spent", "--max-calls", "--max-prompt-tokens"]) {
      const { code, stdout } = await cli(
        ["--primary-agent", "fake/m", "--log-dir", dir, "--json", `${flag}=0`, "q"],
        { env },
      );
      strictEqual(code, 3, flag);
      deepStrictEqual([JSON.parse(stdout).status, JSON.parse(stdout).steps], ["limit", 0]);
    }
    strictEqual(server.requests.length, 0);
  });
});

Deno.test("junk in a limit is wrong usage, exit 2, nothing sent and nothing made (F111)", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer();
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    for (const junk of ["abc", "-1", "1.5", "1e99", " ", "NaN", "0x10", "10 000"]) {
      const { code, stderr } = await cli(
        ["--primary-agent", "fake/m", "--session-dir", join(dir, "s"), `--max-calls=${junk}`, "q"],
        { env },
      );
      strictEqual(code, 2, `${junk}: ${stderr}`);
      match(stderr, /^error: .*max-calls/);
    }
    strictEqual(server.requests.length, 0);
    deepStrictEqual([...Deno.readDirSync(dir)], []);
  });
});

Deno.test("of flag, file and environment the flag wins, then the file; the log's header says what holds (F115)", async () => {
  await withTempDir(async (dir) => {
    const file = join(dir, "rlm.yaml");
    await Deno.writeTextFile(file, "max_calls_per_subagent: 2\nmax_depth: 1\nprefix: chosen\n");
    await using server = startFakeModelServer([js("1"), js("2"), js("3"), js("4")]);
    const env = {
      RLM_MODEL_BASE_URL: server.baseUrl,
      RLM_MAX_CALLS_PER_SUBAGENT: "3",
      RLM_MAX_DEPTH: "0",
      RLM_MAX_GLOBAL_CALLS: "9",
    };
    const common = ["--primary-agent", "fake/m", "--json", "--log-dir", dir];
    const flag = await cli([...common, "--config", file, "--max-calls", "1", "q"], { env });
    strictEqual(flag.code, 3);
    const { steps, logFile } = JSON.parse(flag.stdout);
    strictEqual(steps, 1);
    match(logFile, /\/chosen_[^/]+\.jsonl$/);
    const header = JSON.parse((await Deno.readTextFile(logFile)).split("\n")[0]!);
    const { maxCallsPerSubagent, maxDepth, maxGlobalCalls, maxMoneySpent } = header.config;
    deepStrictEqual([maxCallsPerSubagent, maxDepth, maxGlobalCalls, maxMoneySpent], [1, 1, 9, 1]);

    const fromEnvironment = await cli([...common, "q"], { env });
    strictEqual(JSON.parse(fromEnvironment.stdout).steps, 3);
    strictEqual(server.requests.length, 4);
  });
});

Deno.test("instruction, schema and parameters from files and flags reach the right model", async () => {
  await withTempDir(async (dir) => {
    const schema = join(dir, "schema.json");
    const kwargs = join(dir, "kwargs.json");
    await Deno.writeTextFile(schema, JSON.stringify({ type: "array", items: { type: "integer" } }));
    await Deno.writeTextFile(
      kwargs,
      JSON.stringify({
        temperature: 0.25,
        provider: { order: ["a"] },
        primary: { reasoning_effort: "high" },
        sub: { temperature: 0, reasoning_effort: "low" },
      }),
    );
    await using server = startFakeModelServer([
      js("FINAL(await llm_query('piece', { instruction: 'count' }))"),
      js("FINAL('three')"),
      js("FINAL([1, 2])"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const { stdout, stderr } = await cli([
      ...["--primary-agent", "fake/m", "--log-dir", dir, "--output-schema", schema],
      ...["--llm-kwargs", `@${kwargs}`, "--instruction", "ANSWER IN LATIN", "q"],
    ], { env });
    strictEqual(stdout, "[\n  1,\n  2\n]\n", stderr);
    const [root, child, again] = server.requests.map(({ json }) => json as Record<string, unknown>);
    const parameters = (body: Record<string, unknown> | undefined) => [
      body?.["temperature"],
      body?.["reasoning_effort"],
      body?.["provider"],
      body?.["primary"] ?? body?.["sub"],
    ];
    deepStrictEqual(parameters(root), [0.25, "high", { order: ["a"] }, undefined]);
    deepStrictEqual(parameters(child), [0, "low", { order: ["a"] }, undefined]);
    deepStrictEqual(parameters(again), parameters(root));
    match(JSON.stringify(root), /ANSWER IN LATIN/);
    ok(!JSON.stringify(child).includes("LATIN"), "the child saw the instruction");
    match(JSON.stringify(again), /value: must be array/);
  });
});

Deno.test("parameters of one model that are no object are refused", async () => {
  const { code, stderr } = await cli(
    ["--primary-agent", "fake/m", "--llm-kwargs", '{"sub": 5}', "q"],
    { env: { RLM_MODEL_BASE_URL: "http://127.0.0.1:1/v1" } },
  );
  strictEqual(code, 2);
  match(stderr, /^error: Cannot use llmKwargs\.sub: current value is 5, not an object/);
});

for (
  const [what, call] of [
    ["llm_complete", "llm_complete('x')"],
    ["llm_query", "llm_query('x', { instruction: 'read' })"],
  ] as const
) {
  Deno.test(`of 50 parallel calls of ${what} against a limit of 10 exactly 10 requests reach the server (F109)`, async () => {
    await withTempDir(async (dir) => {
      await using server = startFakeModelServer([
        js(`const r = await Promise.allSettled(Array.from({ length: 50 }, () => ${call}));
        const done = r.filter(({ status }) => status === "fulfilled").length;
        const codes = [...new Set(r.flatMap(({ reason }) => reason ? [reason.code] : []))];`),
        ...Array<FakeAnswer>(8).fill(js("FINAL(1)")),
        js("FINAL([done, r.length - done, codes])"),
      ]);
      const { stdout, stderr } = await cli([
        ...["--primary-agent", "fake/m", "--log-dir", dir, "--json", "--max-global-calls", "10"],
        "q",
      ], { env: { RLM_MODEL_BASE_URL: server.baseUrl } });
      const { result, usage } = JSON.parse(stdout);
      // One request is the turn itself, one the last turn that the root is owed.
      deepStrictEqual(result, [8, 42, ["limit"]], stderr);
      strictEqual(usage.calls, 10);
      strictEqual(server.requests.length, 10);
    });
  });
}
