import assert from "node:assert/strict";
import { fromFileUrl, join } from "@std/path";
import { startFakeModelServer } from "../../support/fake_model_server.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const main = fromFileUrl(import.meta.resolve("../../../main.ts"));

/** `main.ts` as a process of its own, with nothing of this one's environment that matters. */
const command = (args: readonly string[], options: Deno.CommandOptions = {}): Deno.Command =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", main, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...options,
    env: { NO_COLOR: "1", RLM_MODEL_API_KEY: "", RLM_PRIMARY_AGENT: "", ...options.env },
  });

async function outcome(
  process: Deno.Command | Deno.ChildProcess,
): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await process.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** Waits for requests; fails when the process that should send them ends before. */
async function arrival(requests: Promise<void>, ended: ReturnType<typeof outcome>): Promise<void> {
  const early = await Promise.race([requests, ended]);
  if (early) assert.fail(`ended early with ${early.code}: ${early.err}`);
}

Deno.test("help and version go to standard output and end with 0", async () => {
  const help = await outcome(command(["--help"]));
  assert.deepEqual([help.code, help.err], [0, ""]);
  assert.match(help.out, /^fast-rlm: .*\n/);
  const version = await outcome(command(["--version"]));
  assert.match(version.out, /^fast-rlm \d+\.\d+\.\d+\n$/);
});

Deno.test("wrong usage is one line on standard error and ends with 2", async () => {
  const { code, out, err } = await outcome(command(["--jsno", "q"]));
  assert.deepEqual([code, out], [2, ""]);
  assert.equal(err, "error: Cannot use --jsno: there is no such option; did you mean --json?\n");
});

/** The project's own modules that a call reads. */
async function modulesOf(...args: string[]): Promise<string> {
  const { stderr } = await command([], {
    args: ["run", "-A", "--log-level=debug", main, ...args],
  }).output();
  const lines = new TextDecoder().decode(stderr).split("\n");
  return lines.filter((line) => line.includes("specifier:")).join("\n");
}

Deno.test("help and wrong usage load nothing of the engine", async () => {
  const engine =
    /\/lib\/run\.ts$|\/lib\/model\/(?!usage\.ts)|\/log\/|\/repl\/(?!grouped\.ts)|npm:/m;
  // What a run reads shows that the look is good for something.
  const run = await modulesOf("--primary-agent", "replay:no-such-file", "-q", "q");
  assert.match(run, engine);
  for (const args of [["--help"], ["--version"], ["--jsno"], ["q"]]) {
    const modules = await modulesOf(...args);
    assert.match(modules, /lib\/cli\/program\.ts/);
    assert.doesNotMatch(modules, engine, args.join(" "));
  }
});

Deno.test({
  name: "a reader that has gone ends the program quietly with 0",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const shell = new Deno.Command("bash", {
      args: [
        "-c",
        'set -o pipefail; "$0" run -A --quiet "$1" help run | head -c 1; echo " ${PIPESTATUS[0]}"',
        Deno.execPath(),
        main,
      ],
      stdin: "null",
    });
    const { out, err } = await outcome(shell);
    assert.deepEqual([out, err], ["f 0\n", ""]);
  },
});

Deno.test({
  name: "standard output that cannot be written is an error, not a success",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const shell = new Deno.Command("bash", {
      args: ["-c", '"$0" run -A --quiet "$1" --help >/dev/full', Deno.execPath(), main],
      stdin: "null",
    });
    const { code, err } = await outcome(shell);
    assert.equal(code, 1);
    assert.match(err, /^error: Cannot write to standard output: .*\n$/);
  },
});

Deno.test("with a prompt, an open standard input is not waited for", async () => {
  await using server = startFakeModelServer(["```js\nFINAL(context.length)\n```"]);
  await withTempDir(async (dir) => {
    const process = command(["--primary-agent", "m", "--log-dir", dir, "-q", "four"], {
      stdin: "piped",
      env: { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: "sk-test-key" },
    }).spawn();
    // Never closed while the program works.
    const { code, out, err } = await outcome(process);
    assert.deepEqual([code, out, err], [0, "4\n", ""]);
    await process.stdin.close().catch(() => {});
  });
});

Deno.test("standard input is the context of --input-file -, its characters split anywhere", async () => {
  const text = "語😀".repeat(3_000);
  await using server = startFakeModelServer([
    "```js\nFINAL([context.length, context === '語😀'.repeat(3000)])\n```",
  ]);
  await withTempDir(async (dir) => {
    const process = command(
      ["--primary-agent", "m", "--log-dir", dir, "-q", "--json", "--input-file", "-", "same?"],
      {
        stdin: "piped",
        env: { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: "sk-test-key" },
      },
    ).spawn();
    const bytes = new TextEncoder().encode(text);
    const writer = process.stdin.getWriter();
    for (let i = 0; i < bytes.length; i += 1001) await writer.write(bytes.subarray(i, i + 1001));
    await writer.close();
    const { code, out } = await outcome(process);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out).result, [text.length, true]);
  });
});

Deno.test({
  name: "Ctrl-C while the model is waited for ends with 130 and one error line",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const never = Promise.withResolvers<void>();
    await using server = startFakeModelServer([
      "```js\nconst kept = 1;\n```",
      { gate: never.promise },
    ]);
    await withTempDir(async (dir) => {
      const process = command(["--primary-agent", "m", "--session-dir", dir, "-q", "q"], {
        env: { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: "sk-test-key" },
      }).spawn();
      const ended = outcome(process);
      await arrival(server.untilRequests(2), ended);
      process.kill("SIGINT");
      const { code, out, err } = await ended;
      never.resolve();
      assert.deepEqual([code, out], [130, ""]);
      assert.match(err, /^interrupted: finishing the sweep/);
      const state = JSON.parse(await Deno.readTextFile(join(dir, "state.json")));
      assert.equal(state.queries[0].status, "interrupted");
      assert("kept" in state.variables, "the finished step is saved");
    });
  },
});

Deno.test("a log from no path and on no terminal is text, statistics or an error with a code", async () => {
  const missing = await outcome(command(["log", "--tui", "no/such.jsonl"]));
  assert.deepEqual([missing.code, missing.out], [2, ""]);
  assert.match(missing.err, /^error: Cannot open no\/such\.jsonl: .*\n$/);
});

Deno.test("the hidden sandbox command ends when its input does", async () => {
  const { code, out } = await outcome(command(["__sandbox"]));
  assert.notEqual(code, 0, "no secret was given");
  assert.equal(out, "");
});

Deno.test("the hidden self-test evaluates a step in a sandbox", async () => {
  const { code, out, err } = await outcome(command(["__self-test"]));
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^self-test ok: sandbox ready in \d+ ms, step in \d+ ms\n$/);
});

Deno.test("fast-rlm-log is fast-rlm log", async () => {
  const entry = fromFileUrl(import.meta.resolve("../../../lib/cli/fast_rlm_log.ts"));
  const { code, out } = await outcome(
    command([], { args: ["run", "-A", "--quiet", entry, "--help"] }),
  );
  assert.equal(code, 0);
  assert.match(out, /^fast-rlm log PATH/);
});

Deno.test("what libraries print goes to standard error, so that --json stays pure (E101)", async () => {
  await withTempDir(async (dir) => {
    const tools = join(dir, "tools.mjs");
    await Deno.writeTextFile(
      tools,
      "console.log('banner'); console.info('banner'); console.table([1]);\n" +
        "export const add = (a) => a;\n",
    );
    const { code, out, err } = await outcome(
      command(["--primary-agent", "replay:no-such-file", "--json", "--tools", tools, "q"]),
    );
    assert.notEqual(code, 0);
    assert.equal(JSON.parse(out).status, "failed");
    assert.match(err, /banner\nbanner\n/);
  });
});

Deno.test("a busy session ends with 4 at once, its holder named", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = startFakeModelServer([{ gate: gate.promise }]);
  await withTempDir(async (dir) => {
    const query = () =>
      command(
        ["--primary-agent", "m", "--session-dir", dir, "-q", "--json", "q"],
        { env: { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: "sk-test-key" } },
      );
    const holder = query().spawn();
    const ended = outcome(holder);
    await arrival(server.untilRequests(1), ended);
    const { code, out, err } = await outcome(query());
    assert.equal(code, 4);
    const { error } = JSON.parse(out);
    assert.equal(error.code, "session_busy");
    assert.equal(error.holder.pid, holder.pid);
    assert.match(err, new RegExp(`^error: .*${holder.pid}`));
    holder.kill("SIGTERM");
    assert.equal((await ended).code, 130);
    gate.resolve();
  });
});
