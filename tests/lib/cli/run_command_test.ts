import assert from "node:assert/strict";
import { join } from "node:path";
import { parseCommand } from "../../../lib/cli/args.ts";
import type { RunOptions, RunResult } from "../../../lib/run.ts";
import { runCommand } from "../../../lib/cli/run_command.ts";
import { LimitError, RlmError, SessionBusyError } from "../../../lib/errors.ts";
import { noUsage } from "../../../lib/model/usage.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { type FakeIo, fakeIo, type FakeWorld } from "./fake_io.ts";

const answered = (result: unknown): RunResult => ({
  result,
  status: "answered",
  usage: { ...noUsage, promptTokens: 12, calls: 2 },
  steps: 2,
  logFile: "logs/run.jsonl",
  sessionDir: undefined,
});

interface Outcome {
  readonly code: number;
  readonly io: FakeIo;
  readonly asked: RunOptions[];
  readonly progress: { started: number; stopped: number };
}

/** Runs the command with an engine that does what `engine` does. */
async function run(
  argv: readonly string[],
  engine: (options: RunOptions, io: FakeIo) => RunResult | Promise<RunResult>,
  world: FakeWorld = {},
): Promise<Outcome> {
  const command = await parseCommand(argv);
  assert(command.kind === "run");
  const io = fakeIo(world);
  const asked: RunOptions[] = [];
  const progress = { started: 0, stopped: 0 };
  const code = await runCommand(command, io, {
    engine: () =>
      Promise.resolve(async (options) => {
        asked.push(options);
        return await engine(options, io);
      }),
    progress: () => {
      progress.started++;
      return Promise.resolve({ sink: () => {}, stop: () => void progress.stopped++ });
    },
  });
  assert.equal(io.listening(), 0, "no signal listener is left");
  return { code, io, asked, progress };
}

const model = ["--primary-agent", "m"];

Deno.test("the answer alone goes to standard output: a text as it is", async () => {
  const { code, io, progress } = await run([...model, "q"], () => answered("héllo\u001b[1m\n"));
  assert.equal(code, 0);
  assert.equal(io.out(), "héllo\u001b[1m\n\n");
  assert.equal(io.err(), "");
  assert(progress.stopped > 0, "progress ends before the answer");
});

Deno.test("an answer that is no text is JSON", async () => {
  for (
    const [value, text] of [
      [{ a: [1, 2] }, '{\n  "a": [\n    1,\n    2\n  ]\n}\n'],
      [42, "42\n"],
      [0, "0\n"],
      [false, "false\n"],
      [null, "null\n"],
      [undefined, "null\n"],
      [new Map([["a", 1n]]), '{\n  "a": "1"\n}\n'],
    ] as const
  ) {
    assert.equal((await run([...model, "q"], () => answered(value))).io.out(), text);
  }
  assert.equal((await run([...model, "q"], () => answered(""))).io.out(), "\n");
});

Deno.test("on a terminal an answer cannot act on it", async () => {
  const hostile = "line\nnext\u001b]52;c;x\u0007\u009b2J\u202e";
  const { io } = await run([...model, "q"], () => answered(hostile), { terminal: true });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(io.out(), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.match(io.out(), /^line\nnext/);
});

Deno.test("--json gives the whole result with every key, unknown ones as null", async () => {
  const { io, code } = await run([...model, "--json", "q"], () => answered("a\u009b"));
  assert.equal(code, 0);
  const result = JSON.parse(io.out());
  assert.deepEqual(Object.keys(result), [
    "result",
    "status",
    "usage",
    "steps",
    "logFile",
    "sessionDir",
  ]);
  assert.equal(result.result, "a\u009b");
  assert.doesNotMatch(io.out(), /\u009b/);
  assert.equal(result.usage.promptTokens, 12);
  assert.equal(result.usage.cost, null);
  assert.equal(result.sessionDir, null);
});

Deno.test("settings, prompt, wait and signal reach the engine, checked", async () => {
  const { asked } = await run(
    [...model, "--max-depth=0", "--wait=5", "--no-session-code", "--session-dir=s", "the task"],
    () => answered(1),
    { env: { RLM_MAX_SECONDS: "7", RLM_MAX_DEPTH: "9" } },
  );
  const { signal, onEvent, ...rest } = asked[0]!;
  assert.deepEqual(rest, {
    primaryAgent: "m",
    maxDepth: 0,
    maxSeconds: 7,
    addSessionCodeToContext: false,
    sessionDir: "s",
    prompt: "the task",
    wait: 5,
  });
  assert(signal instanceof AbortSignal && !signal.aborted);
  assert.equal(typeof onEvent, "function");
});

Deno.test("flags beat the config file, the file beats the environment (F115)", async () => {
  await withTempDir(async (dir) => {
    const file = join(dir, "rlm.yaml");
    await Deno.writeTextFile(file, "primary_agent: file\nmax_depth: 4\nmax_seconds: 20\n");
    const { asked } = await run(
      ["--config", file, "--max-depth=5", "q"],
      () => answered(1),
      { env: { RLM_MAX_SECONDS: "7", RLM_PRIMARY_AGENT: "env", RLM_TRUNCATE_LEN: "9" } },
    );
    const { primaryAgent, maxDepth, maxSeconds, truncateLen } = asked[0]!;
    assert.deepEqual([primaryAgent, maxDepth, maxSeconds, truncateLen], ["file", 5, 20, 9]);
  });
});

Deno.test("wrong configuration ends with 2 before anything is loaded or touched", async () => {
  for (
    const argv of [
      ["q"],
      [...model, "--max-depth=two", "q"],
      [...model, "--max-money-spent=-1", "q"],
      [...model, "--session-id=x", "q"],
      [...model, "--session-dir=s", "--session-id=../../x", "q"],
      [...model, "--config=no/such.yaml", "q"],
      [...model, "--llm-kwargs={", "q"],
      [...model, "--llm-kwargs=@no/such.json", "q"],
      [...model, "--output-schema=no/such.json", "q"],
      [...model, "--tools=no/such.ts", "q"],
      [...model, "--mcp=no/such.json", "q"],
    ]
  ) {
    const { code, io, asked, progress } = await run(argv, () => assert.fail("must not run"));
    assert.equal(code, 2, argv.join(" "));
    assert.match(io.err(), /^error: [^\n]+\n$/);
    assert.equal(io.out(), "");
    assert.deepEqual([asked.length, progress.started, io.stdinTouched()], [0, 0, false]);
  }
});

Deno.test("standard input is read for --input-file - and for nothing else", async () => {
  const never = new ReadableStream<Uint8Array>();
  const without = await run([...model, "q"], () => answered(1), { stdin: never });
  assert.equal(without.io.stdinTouched(), false);
  assert(!("input" in without.asked[0]!));
  const bytes = new TextEncoder().encode("語 input");
  const given = await run([...model, "--input-file=-", "q"], () => answered(1), { stdin: bytes });
  assert.deepEqual(given.asked[0]!.input, { kind: "text", bytes, name: "standard input" });
});

Deno.test("an input file becomes a value by its extension, a bad one ends with 2", async () => {
  await withTempDir(async (dir) => {
    const file = join(dir, "a.json");
    await Deno.writeTextFile(file, '{"a":1}');
    const good = await run([...model, "--input-file", file, "q"], () => answered(1));
    assert.deepEqual(good.asked[0]!.input, { kind: "value", value: { a: 1 }, name: file });
    await Deno.writeTextFile(file, '{"a":');
    const bad = await run([...model, "--input-file", file, "q"], () => assert.fail());
    assert.equal(bad.code, 2);
    const large = await run(
      [...model, "--max-context=0.000001", "--input-file", file, "q"],
      () => assert.fail(),
    );
    assert.match(large.io.err(), /raise --max-context/);
  });
});

Deno.test("files that flags name are read: schema, servers, parameters, tools", async () => {
  await withTempDir(async (dir) => {
    const write = async (name: string, text: string) => {
      await Deno.writeTextFile(join(dir, name), text);
      return join(dir, name);
    };
    const { asked } = await run(
      [
        ...model,
        `--output-schema=${await write("s.json", '{"type":"object"}')}`,
        `--mcp=${await write("m.json", '{"mcpServers":{"a":{"command":"x"}}}')}`,
        `--llm-kwargs=@${await write("k.yaml", "temperature: 0.5")}`,
        `--tools=${await write("t.mjs", "export const add = (a) => a;")}`,
        "q",
      ],
      () => answered(1),
    );
    const { outputSchema, mcpServers, llmKwargs, tools } = asked[0]!;
    assert.deepEqual(outputSchema, { type: "object" });
    assert.deepEqual(mcpServers, { a: { command: "x" } });
    assert.deepEqual(llmKwargs, { temperature: 0.5 });
    assert.deepEqual(Object.keys(tools ?? {}), ["add"]);
    const module = await write("s.mjs", "export default { type: 'string' }");
    const again = await run(
      [...model, `--output-schema=${module}`, '--llm-kwargs={"a":1}', "q"],
      () => answered(1),
    );
    assert.deepEqual(again.asked[0]!.outputSchema, { type: "string" });
    assert.deepEqual(again.asked[0]!.llmKwargs, { a: 1 });
  });
});

Deno.test("of two layers that name a file only the one that counts is read", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(
      join(dir, "rlm.yaml"),
      "primary_agent: m\noutput_schema: missing.json",
    );
    await Deno.writeTextFile(join(dir, "s.json"), "{}");
    const { code } = await run(
      [`--config=${join(dir, "rlm.yaml")}`, `--output-schema=${join(dir, "s.json")}`, "q"],
      () => answered(1),
    );
    assert.equal(code, 0);
  });
});

Deno.test("a run that stopped at a limit ends with 3 and keeps its partial answer", async () => {
  const limit = { ...answered(undefined), status: "limit" } as const;
  const none = await run([...model, "q"], () => limit);
  assert.equal(none.code, 3);
  assert.equal(none.io.out(), "");
  assert.match(none.io.err(), /^error: stopped by a limit after 2 steps with no answer\n$/);
  const error = new LimitError("maxSeconds", "Stopped: maxSeconds is 5");
  const partial = await run([...model, "q"], () => ({ ...limit, result: "part", error }));
  assert.deepEqual([partial.code, partial.io.out()], [3, "part\n"]);
  assert.equal(partial.io.err(), "error: Stopped: maxSeconds is 5\n");
  const json = JSON.parse(
    (await run([...model, "--json", "q"], () => ({ ...limit, error }))).io.out(),
  );
  assert.deepEqual(json.error, {
    code: "limit",
    message: "Stopped: maxSeconds is 5",
    limit: "maxSeconds",
  });
});

Deno.test("an answer whose state could not be saved is printed, and ends with 1", async () => {
  const error = new RlmError("disk", "Cannot save the session: the disk is full");
  const { code, io } = await run([...model, "q"], () => ({ ...answered("yes"), error }));
  assert.deepEqual([code, io.out()], [1, "yes\n"]);
  assert.equal(io.err(), "error: Cannot save the session: the disk is full\n");
});

Deno.test("an engine that throws ends with the code of its error, as JSON too", async () => {
  const cases = [
    [new SessionBusyError("Cannot use s: in use by process 7", { pid: 7 }), 4, "session_busy"],
    [new RlmError("session_unreadable", "Cannot read s/state.json"), 5, "session_unreadable"],
    [new RlmError("model_auth", "Cannot call the model: 401"), 1, "model_auth"],
    [new TypeError("a bug"), 1, "internal"],
  ] as const;
  for (const [error, exit, name] of cases) {
    const plain = await run([...model, "q"], () => Promise.reject(error));
    assert.deepEqual([plain.code, plain.io.out()], [exit, ""]);
    const { code, io } = await run([...model, "--json", "q"], () => Promise.reject(error));
    assert.equal(code, exit);
    const result = JSON.parse(io.out());
    assert.deepEqual([result.result, result.status, result.error.code], [null, "failed", name]);
    if (exit === 4) assert.equal(result.error.holder.pid, 7);
  }
});

Deno.test("what a run had when it failed is in the JSON", async () => {
  const error = new RlmError("model_network", "Cannot reach the model");
  error.partial = { steps: 3, answer: "so far", usage: { ...noUsage, calls: 4 } };
  const { io } = await run([...model, "--json", "q"], () => Promise.reject(error));
  const { result, steps, usage } = JSON.parse(io.out());
  assert.deepEqual([result, steps, usage.calls], ["so far", 3, 4]);
});

Deno.test("a key is in no output, whoever puts it into an error", async () => {
  const env = { RLM_MODEL_API_KEY: "sk-secret-key" };
  for (const flag of ["--json", "--debug"]) {
    const { io } = await run(
      [...model, flag, "q"],
      () => Promise.reject(new RlmError("model_server", "500 for Bearer sk-secret-key")),
      { env },
    );
    assert.doesNotMatch(io.out() + io.err(), /secret/);
  }
});

Deno.test("one interrupt aborts the run with a reason, which ends with 130", async () => {
  const { code, io } = await run([...model, "q"], (options, io) => {
    io.send("SIGINT");
    const reason: unknown = options.signal?.reason;
    assert(reason instanceof RlmError && reason.code === "interrupted");
    return { ...answered(undefined), status: "interrupted", error: reason };
  });
  assert.equal(code, 130);
  assert.deepEqual(io.exits, []);
  assert.match(io.err(), /^interrupted: finishing the sweep; press Ctrl-C again/);
});

Deno.test("an interrupt while standard input is read ends the wait with 130", async () => {
  const command = await parseCommand([...model, "--input-file=-", "q"]);
  assert(command.kind === "run");
  const reading = Promise.withResolvers<void>();
  const io = fakeIo({ stdin: new ReadableStream({ pull: () => reading.resolve() }) });
  const running = runCommand(command, io, {
    engine: () => Promise.resolve(() => assert.fail("must not run")),
    progress: () => Promise.resolve({ sink: () => {}, stop: () => {} }),
  });
  await reading.promise;
  io.send("SIGTERM");
  assert.equal(await running, 130);
});

Deno.test("a second interrupt leaves at once with 130 and restores the terminal", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const { io, progress } = await run([...model, "q"], (_options, io) => {
      io.send("SIGINT");
      io.send(signal);
      assert.deepEqual(io.exits, [130]);
      return answered(1);
    }, { terminal: true });
    assert(io.err().includes("\u001b[?25h"));
    assert(progress.stopped > 0);
  }
});

Deno.test("where standard output is full, that is told once", async () => {
  const io = { ...fakeIo(), stdout: () => Promise.reject(new RlmError("disk", "it is full")) };
  const command = await parseCommand(["--json", ...model, "q"]);
  assert(command.kind === "run");
  const code = await runCommand(command, io, {
    engine: () => Promise.resolve(() => Promise.resolve(answered(1))),
    progress: () => Promise.resolve({ sink: () => {}, stop: () => {} }),
  });
  assert.deepEqual([code, io.err()], [1, "error: it is full\n"]);
});
