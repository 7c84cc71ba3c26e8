import assert from "node:assert/strict";
import { dirname, fromFileUrl, join, relative, toFileUrl } from "@std/path";
import { walk } from "@std/fs";
import { compile, compileArgs, EMBEDDED, type RunProgram } from "../../../lib/cli/compile.ts";
import { SANDBOX_COMMAND } from "../../../repl/spawn.ts";
import { decodeBody, encodeBody } from "../../../repl/body.ts";
import { Sandbox } from "../../../repl/host.ts";
import { withTempDir } from "../../support/cli.ts";

const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..", "..");

Deno.test("what is loaded by a computed name is in the list of what is embedded", async () => {
  const named: string[] = [];
  for (const room of ["lib", "repl", "log", "main.ts"]) {
    for await (const { path, isFile } of walk(join(root, room))) {
      if (!isFile || !/\.tsx?$/.test(path)) continue;
      const source = await Deno.readTextFile(path);
      const names = source.matchAll(
        /import\.meta\.resolve\("(\..+?)"\)|new URL\("(\..+?\.ts)", import\.meta/g,
      );
      for (const [, resolved, url] of names) {
        const file = fromFileUrl(new URL(resolved ?? url ?? "", toFileUrl(path)));
        named.push(relative(root, file));
      }
    }
  }
  // Fetches what an engine from a URL needs; an executable has it.
  const needed = named.filter((path) => path !== "repl/prefetch.ts");
  assert(needed.length >= 3, `found ${needed}`);
  assert.deepEqual(needed.filter((path) => !EMBEDDED.includes(path)), []);
  for (const path of EMBEDDED) await Deno.stat(join(root, path));
});

Deno.test("the program compiles with all that it loads embedded", async () => {
  await withTempDir(async (dir) => {
    // Any executable serves as the base: the result cannot run, and holds what it would hold.
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: compileArgs(join(dir, "fast-rlm")).filter((arg) => arg !== "--quiet"),
      cwd: root,
      env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const told = new TextDecoder().decode(stderr);
    assert.equal(code, 0, told);
    const listed = new Set(
      [...told.matchAll(/[├└]─[─┬] (\S+?)(?:\/\*)? \(/g)].map(([, name]) =>
        name?.split("/").at(-1)
      ),
    );
    // A folder that is embedded whole is listed by its name.
    const missing = EMBEDDED.filter((path) =>
      !path.split("/").some((part, at) => at > 0 && listed.has(part))
    );
    assert.deepEqual(missing, []);
    for (const used of ["devalue", "ink", "yaml", "mcp"]) {
      assert.match(told, new RegExp(`[/ ]${used}[/ (]`), `${used} is embedded`);
    }
    assert.doesNotMatch(told, /fast-check|playwright|gpt-tokenizer/, "what tests use is not");
  });
});

Deno.test("an executable that was made is asked to test itself", async () => {
  const calls: [string, readonly string[]][] = [];
  const run: RunProgram = (path, args) => {
    calls.push([path, args]);
    return Promise.resolve({ code: 0, text: calls.length === 1 ? "" : "self-test ok\n" });
  };
  assert.deepEqual(await compile("dist/x", run), { code: 0, line: "dist/x: self-test ok" });
  assert.deepEqual(calls, [
    [Deno.execPath(), compileArgs("dist/x")],
    ["dist/x", ["__self-test"]],
  ]);
});

Deno.test("why there is no executable is told in one line, with the way out", async () => {
  const failing = (text: string): RunProgram => () => Promise.resolve({ code: 1, text });
  const offline = await compile(
    "x",
    failing(
      "Download https://dl.deno.land/release/v2/denort.zip\nerror: Writing\n\nCaused by:\n" +
        "    0: Setting up base binary.\n    1: Name or service not known\n\n" +
        "Stack backtrace:\n   0: <unknown>\n",
    ),
  );
  assert.deepEqual(offline, {
    code: 1,
    line: "error: Cannot compile: Deno's runtime for executables cannot be had: " +
      "Name or service not known; with DENORT_BIN a file of it can be named",
  });
  const broken = await compile("x", failing("error: Module not found\n  at main.ts\n"));
  assert.equal(broken.line, "error: Cannot compile: error: Module not found");
  const useless = await compile("x", (path) =>
    Promise.resolve(
      path === "x"
        ? { code: 1, text: "error: Cannot evaluate a step in a sandbox: no\n" }
        : { code: 0, text: "" },
    ));
  assert.equal(useless.code, 1);
  assert.match(useless.line, /^error: x was made and does not work: error: Cannot evaluate/);
});

/** Watches from inside the process, through a file that was opened while that was permitted. */
const WATCH = `
const file = Deno.openSync(Deno.env.get("WATCH_FILE"), { write: true });
const names = ["net", "env", "write", "run", "ffi", "sys", "read", "import"];
const tell = (text) => file.writeSync(new TextEncoder().encode(text + "\\n"));
addEventListener("error", (event) => tell("error: " + event.message));
addEventListener("unhandledrejection", (event) => tell("rejection: " + event.reason));
Deno.unrefTimer(setInterval(() => {
  const granted = names.filter((name) => Deno.permissions.querySync({ name }).state === "granted");
  tell(JSON.stringify(granted));
}, 1));
`;

Deno.test("the program in its hidden mode is a sandbox that drops all it was permitted", async () => {
  await withTempDir(async (dir) => {
    const preload = join(dir, "watch.ts");
    const seen = join(dir, "seen.json");
    await Deno.writeTextFile(preload, WATCH);
    await Deno.writeTextFile(seen, "");
    const env: Record<string, string> = { WATCH_FILE: seen };
    for (const name of ["HOME", "DENO_DIR", "XDG_CACHE_HOME"]) {
      const value = Deno.env.get(name);
      if (value !== undefined) env[name] = value;
    }
    await using sandbox = new Sandbox({
      memoryLimitMb: 512,
      command: {
        path: Deno.execPath(),
        // As a compiled binary starts: with everything allowed.
        args: [
          "run",
          "-A",
          "--quiet",
          `--preload=${preload}`,
          join(root, "main.ts"),
          SANDBOX_COMMAND,
        ],
        env,
      },
    });
    const asWatched = async (error: Error): Promise<never> => {
      throw new Error(`${error.message}: ${await Deno.readTextFile(seen)}`);
    };
    await sandbox.init(
      { recursive: false, env: {}, maxOutput: 1_000 },
      encodeBody("abc"),
      () => Promise.reject(new Error("no calls")),
    ).catch(asWatched);
    const report = await sandbox.evaluate({
      step: 1,
      code: "FINAL([context.length, typeof Deno, typeof fetch, typeof process])",
      declared: [],
      timeoutMs: 10_000,
    }).catch(asWatched);
    assert(report.finalValue, report.error?.message);
    assert.deepEqual(decodeBody(report.finalValue), [3, "undefined", "undefined", "undefined"]);
    // Steps go through the main thread of the process: between them the watch is heard.
    let granted: string | undefined;
    for (let step = 2; granted !== "[]" && step < 1_000; step++) {
      await sandbox.evaluate({ step, code: "1", declared: [], timeoutMs: 10_000 })
        .catch(asWatched);
      granted = (await Deno.readTextFile(seen)).split("\n").at(-2);
    }
    assert.equal(granted, "[]");
  });
});
