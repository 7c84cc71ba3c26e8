/** An interrupt at any moment: the state is saved, the exit is 130, and no process is left. */
import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import type { RunOptions } from "../mod.ts";
import { run } from "./support/run.ts";
import { cli, cliCommand, withTempDir } from "./support/cli.ts";
import {
  type FakeAnswer,
  type FakeModelServer,
  startFakeModelServer,
} from "./support/fake_model_server.ts";
import { js } from "./support/play.ts";
import { descendants, readUntil, untilGone } from "./support/processes.ts";

/** Milliseconds from the signal to the end; 20 to 120 are usual on a loaded machine. */
const LONGEST_MS = 1_000;

interface Moment {
  readonly name: string;
  /** What the server answers after the first step; `gate` is opened when the test is over. */
  answers(gate: Promise<void>): FakeAnswer[];
  /** Resolves when the moment has come. */
  come(server: FakeModelServer, told: (pattern: RegExp) => Promise<void>): Promise<void>;
}

/** A tool that tells the server that it was called, and waits for its answer. */
const TOOLS = `export async function mark(args, { abortSignal }) {
  const { signal } = args.deaf ? {} : { signal: abortSignal };
  return await (await fetch(Deno.env.get("MARK_URL"), { method: "POST", body: "{}", ...(signal ? { signal } : {}) })).text();
}
`;

const moments: readonly Moment[] = [
  {
    name: "a call",
    answers: (gate) => [{ gate, body: {} }],
    come: (server) => server.untilRequests(2),
  },
  {
    name: "a reply that streams",
    answers: (gate) => [{ chunks: ['data: {"choices":[]}\n\n', gate.then(() => "")] }],
    come: (server) => server.untilRequests(2),
  },
  {
    name: "the wait before a retry (E97)",
    answers: () => [{ status: 429, headers: { "retry-after": "50" }, body: "slow down" }],
    come: (_, told) => told(/429/),
  },
  {
    name: "a child's call (E98)",
    answers: (gate) => [
      js("FINAL(await llm_query('piece', {instruction: 'read'}))"),
      { gate, body: {} },
    ],
    come: (server) => server.untilRequests(3),
  },
  {
    name: "a batch of children's calls",
    answers: (gate) => [
      js("FINAL(await batch_llm_query(['a', 'b', 'c']))"),
      { gate, body: {} },
      { gate, body: {} },
      { gate, body: {} },
    ],
    come: (server) => server.untilRequests(5),
  },
  {
    name: "an llm_complete",
    answers: (gate) => [js("FINAL(await llm_complete('x').catch(e => 'caught'))"), {
      gate,
      body: {},
    }],
    come: (server) => server.untilRequests(3),
  },
  {
    name: "a tool's call",
    answers: (gate) => [js("FINAL(await tools.mark())"), { gate, body: {} }],
    come: (server) => server.untilRequests(3),
  },
  {
    name: "a call of a tool that ignores its signal",
    answers: (gate) => [js("FINAL(await tools.mark({ deaf: true }))"), { gate, body: {} }],
    come: (server) => server.untilRequests(3),
  },
  {
    name: "code that never ends",
    answers: () => [js("const lost = await tools.mark(); while (true) {}"), { body: "marked" }],
    come: (server) => server.untilRequests(3),
  },
];

for (const { name, answers, come } of moments) {
  Deno.test(`Ctrl-C during ${name}: exit 130, steps saved, no process left, the next query goes on`, async () => {
    await withTempDir(async (dir) => {
      const session = join(dir, "s");
      const tools = join(dir, "tools.mjs");
      await Deno.writeTextFile(tools, TOOLS);
      const gate = Promise.withResolvers<void>();
      await using server = startFakeModelServer([
        js("const kept = 41; kept"),
        ...answers(gate.promise),
      ]);
      const env = { RLM_MODEL_BASE_URL: server.baseUrl, MARK_URL: `${server.origin}/mark` };
      const args = ["--primary-agent", "fake/m", "--session-dir", session, "--tools", tools];
      const child = cliCommand([...args, "first"], { env }, { stdout: "null" }).spawn();
      const reader = child.stderr.getReader();
      await come(server, async (pattern) => void await readUntil(reader, pattern));
      const below = descendants(child.pid);
      if (Deno.build.os === "linux") ok(below.length >= 1, "no sandbox was seen");
      const before = performance.now();
      child.kill("SIGINT");
      const { code } = await child.status;
      const took = performance.now() - before;
      await reader.cancel();
      strictEqual(code, 130);
      ok(took < LONGEST_MS, `it took ${Math.round(took)} ms`);
      await untilGone(below);
      gate.resolve();

      const state = JSON.parse(await Deno.readTextFile(join(session, "state.json")));
      strictEqual(state.queries[0].status, "interrupted");
      strictEqual(state.variables.lost, undefined);
      server.push(js("FINAL(kept + 1)"));
      // What was asked for before the interrupt and never fetched is out of the way.
      const next = await cli([...args, "second"], { env });
      strictEqual(next.stdout, "42\n", next.stderr);
      match(JSON.stringify(server.requests.at(-1)!.json), /interrupted/);
    });
  });
}

for (const { name, answers, come } of moments) {
  if (name.includes("429") || name.includes("E97")) continue;
  Deno.test(`AbortSignal during ${name}: the run resolves as interrupted with its usage`, async () => {
    const gate = Promise.withResolvers<void>();
    await using server = startFakeModelServer([js("1"), ...answers(gate.promise)]);
    const stop = new AbortController();
    const options: RunOptions = {
      prompt: "q",
      primaryAgent: "fake/m",
      signal: stop.signal,
      tools: {
        mark: async (
          { deaf }: { deaf?: boolean },
          { abortSignal }: { abortSignal: AbortSignal },
        ) =>
          await (await fetch(`${server.origin}/mark`, {
            method: "POST",
            body: "{}",
            ...(deaf ? {} : { signal: abortSignal }),
          })).text(),
      },
    };
    const running = run(options, {
      environment: (key) => key === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined,
    });
    await come(server, () => Promise.resolve());
    const before = performance.now();
    stop.abort();
    const { status, result, steps, usage, error } = await running;
    ok(performance.now() - before < LONGEST_MS);
    strictEqual(status, "interrupted");
    strictEqual(result, undefined);
    strictEqual(error?.code, "interrupted");
    strictEqual(steps, 1);
    ok(usage.calls >= 1);
    gate.resolve();
  });
}

Deno.test("AbortSignal during the wait before a retry ends it at once (E97)", async () => {
  await using server = startFakeModelServer([
    { status: 429, headers: { "retry-after": "50" }, body: "slow down" },
  ]);
  const stop = new AbortController();
  const { status } = await run({
    prompt: "q",
    primaryAgent: "fake/m",
    signal: stop.signal,
    onEvent: (event) => event.type === "model_retry" && stop.abort(),
  }, { environment: (key) => key === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined });
  strictEqual(status, "interrupted");
  strictEqual(server.requests.length, 1);
});

Deno.test("a signal that is aborted already rejects with its reason and starts nothing", async () => {
  await using server = startFakeModelServer();
  await rejects(
    run({ prompt: "q", primaryAgent: "fake/m", signal: AbortSignal.abort() }, {
      environment: (key) => key === "RLM_MODEL_BASE_URL" ? server.baseUrl : undefined,
    }),
    { name: "AbortError" },
  );
  strictEqual(server.requests.length, 0);
});
