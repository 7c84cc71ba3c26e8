/** The model's wire on bad days, seen from the command line: real processes, a server on loopback. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { run } from "./support/run.ts";
import { cli, withTempDir } from "./support/cli.ts";
import { type FakeAnswer, startFakeModelServer } from "./support/fake_model_server.ts";
import { openAiReply, openAiStream } from "./support/fake_replies.ts";
import { filesBelow } from "./support/files_below.ts";
import { js } from "./support/play.ts";

const KEY = "sk-test-this-key-must-appear-nowhere";
const MARK = "confidential minutes of the board meeting in May";

const failing = (status: number, message: string, headers = {}): FakeAnswer => (request) => ({
  status,
  headers,
  // As providers do it: the error quotes the request, key and prompt included.
  body: {
    error: {
      message: `${message}; key ${request.headers["authorization"]}; request ${request.text}`,
    },
  },
});

const cases: [number, string, string, number, RegExp][] = [
  [500, "overloaded", "model_server", 4, /500/],
  [401, "bad key", "model_auth", 1, /401.*RLM_MODEL_API_KEY/],
  [402, "insufficient credits", "model_credit", 1, /402/],
  [403, "not allowed", "model_auth", 1, /403/],
  [404, "no such model", "model_not_found", 1, /127\.0\.0\.1.*chat\/completions.*404/],
  [
    400,
    "This model's maximum context length is 8192 tokens",
    "model_context_too_long",
    1,
    /context/i,
  ],
];

for (const [status, message, code, calls, line] of cases) {
  Deno.test(`${status} ends the run with 1: ${calls} requests, one line, no key, no prompt, the session kept (E104, E107)`, async () => {
    await withTempDir(async (dir) => {
      const session = join(dir, "s");
      await using server = startFakeModelServer([
        js("const kept = 1; kept"),
        ...Array<FakeAnswer>(calls).fill(failing(status, message, { "retry-after-ms": "1" })),
        js("FINAL(kept)"),
      ]);
      const env = { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: KEY };
      const args = ["--primary-agent", "fake/model", "--session-dir", session];
      const failed = await cli([...args, "--json", `Read the ${MARK}.`], { env });
      strictEqual(failed.code, 1, failed.stderr);
      strictEqual(server.requests.length, 1 + calls);
      const result = JSON.parse(failed.stdout);
      deepStrictEqual([result.status, result.steps, result.error.code], ["failed", 1, code]);
      strictEqual(result.usage.calls >= 2, true);
      const errors = failed.stderr.split("\n").filter((text) => /error: /.test(text));
      strictEqual(errors.length, 1, failed.stderr);
      match(errors[0]!, line);
      doesNotMatch(failed.stderr, /^\s+at /m);
      const files = await filesBelow(session);
      for (const [name, text] of [...files, ["stderr", failed.stderr], ["stdout", failed.stdout]]) {
        ok(!text!.includes(KEY), `the key stands in ${name}`);
        // The ledger and the head of the transcript hold the query: once each, and nothing else does.
        const copies = text!.split(MARK).length - 1;
        const wanted = /state(\.prev)?\.json$|\.jsonl$|checkpoints/.test(name!) ? 1 : 0;
        ok(copies <= wanted, `${copies} copies of the prompt in ${name}`);
      }
      const next = await cli([...args, "go on"], { env });
      strictEqual(next.stdout, "1\n", next.stderr);
    });
  });
}

Deno.test("a stack is shown under --debug only, still without key and prompt", async () => {
  await using server = startFakeModelServer([failing(401, "bad key")]);
  await withTempDir(async (dir) => {
    const env = { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: KEY };
    const { code, stderr } = await cli(
      ["--primary-agent", "fake/m", "--debug", "--log-dir", dir, `the ${MARK}`],
      { env },
    );
    strictEqual(code, 1);
    match(stderr, /^\s+at /m);
    ok(!stderr.includes(KEY) && !stderr.includes(MARK), stderr);
  });
});

Deno.test("a 429 with retry-after is waited for, told, and the answer comes; both tries count", async () => {
  await using server = startFakeModelServer([
    { status: 429, headers: { "retry-after": "0" }, body: { error: { message: "slow down" } } },
    {
      body: { error: { code: 502, message: "Provider returned error" } },
      headers: { "retry-after": "0" },
    },
    js("FINAL('after all')"),
  ]);
  await withTempDir(async (dir) => {
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const done = await cli(["--primary-agent", "fake/m", "--json", "--log-dir", dir, "q"], { env });
    const result = JSON.parse(done.stdout);
    strictEqual(result.result, "after all");
    match(done.stderr, /429/);
    const log = await Deno.readTextFile(result.logFile);
    const retries = log.trim().split("\n").map((text) => JSON.parse(text))
      .filter(({ event_type }) => event_type === "model_retry");
    deepStrictEqual(retries.map(({ attempt }) => attempt), [1, 2]);
    strictEqual(server.requests.length, 3);
  });
});

Deno.test("retries of llm_complete are told too", async () => {
  const retries: unknown[] = [];
  await using server = startFakeModelServer([
    js("FINAL(await llm_complete('small'))"),
    { status: 503, headers: { "retry-after": "0" }, body: "busy" },
    "fine",
  ]);
  const { result } = await run({
    prompt: "q",
    primaryAgent: "fake/m",
    onEvent: (event) => event.type === "model_retry" && retries.push(event.step),
  }, { environment: (name) => name === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined });
  strictEqual(result, "fine");
  deepStrictEqual(retries, [1]);
});

Deno.test("text is told while the reply still streams", async () => {
  const rest = Promise.withResolvers<string>();
  await using server = startFakeModelServer([
    openAiStream(["```js\n", "FINAL(", rest.promise]),
  ]);
  let seen = "";
  const { result } = await run({
    prompt: "q",
    primaryAgent: "fake/m",
    onEvent: (event) => {
      if (event.type !== "model_text") return;
      seen += event.delta;
      // The server holds the rest back until this much was told.
      if (seen === "```js\nFINAL(") rest.resolve("5)\n```");
    },
  }, { environment: (name) => name === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined });
  strictEqual(result, 5);
  match(seen, /FINAL\(5\)/);
});

Deno.test("half a reply is never run: the connection drops, the call is made again (E96)", async () => {
  await using server = startFakeModelServer([
    { ...openAiReply(js("FINAL('half')")), cutAfter: 150, headers: { "retry-after": "0" } },
    js("FINAL('whole')"),
  ]);
  const { result, usage } = await run({ prompt: "q", primaryAgent: "fake/m" }, {
    environment: (name) => name === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined,
    clock: instant,
  });
  strictEqual(result, "whole");
  ok(usage.calls >= 1);
});

Deno.test("without usage a run works and says that it is unknown (E88, E89)", async () => {
  const warnings: string[] = [];
  await using server = startFakeModelServer([
    openAiStream([js("FINAL(await llm_complete('x'))")], null),
    openAiStream(["sub answer"], null),
  ]);
  const { result, usage } = await run({
    prompt: "q",
    primaryAgent: "fake/m",
    onEvent: (event) => event.type === "warning" && warnings.push(event.message),
  }, { environment: (name) => name === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined });
  strictEqual(result, "sub answer");
  deepStrictEqual([usage.promptTokens, usage.cost, usage.calls], [undefined, undefined, 2]);
  match(warnings.join("\n"), /maxPromptTokens cannot be enforced/);
});

Deno.test("over the wire each request repeats the one before byte for byte: root, resumed root, child", async () => {
  await withTempDir(async (dir) => {
    const session = join(dir, "s");
    await using server = startFakeModelServer([
      js("const a = 1; print('😀 \\u2028')"),
      js("a + undefinedName"),
      js("FINAL(await llm_query('piece', { instruction: 'look' }))"),
      js("context"),
      "no code",
      js("FINAL(context)"),
      js("a"),
      js("FINAL(a)"),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl };
    const args = ["--primary-agent", "fake/m", "--session-dir", session];
    strictEqual((await cli([...args, "one"], { env })).stdout, "piece\n");
    strictEqual((await cli([...args, "two"], { env })).stdout, "1\n");
    const messages = server.requests.map(({ text }) => {
      const at = text.indexOf('"messages":[');
      const end = text.indexOf("}]", at);
      ok(at > 0 && end > at);
      return text.slice(at, end + 1);
    });
    for (const group of [[0, 1, 2], [3, 4, 5], [6, 7]]) {
      for (let i = 1; i < group.length; i++) {
        const [before, after] = [messages[group[i - 1]!]!, messages[group[i]!]!];
        ok(after.length > before.length && after.startsWith(before), `request ${group[i]! + 1}`);
      }
    }
  });
});

/** A clock whose waits are over at once. */
const instant = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    ms < 60_000 ? Promise.resolve() : new Promise<void>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};
