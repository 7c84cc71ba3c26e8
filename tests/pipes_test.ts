/** The program between other programs: pipes, scripts, terminals that are none. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join } from "@std/path";
import { cliCommand, type CliResult, withTempDir } from "./support/cli.ts";
import { type FakeModelServer, startFakeModelServer } from "./support/fake_model_server.ts";
import { openAiReply } from "./support/fake_replies.ts";

const main = join(dirname(dirname(fromFileUrl(import.meta.url))), "main.ts");
const js = (code: string) => "```js\n" + code + "\n```";

const env = (server: FakeModelServer) => ({
  RLM_PRIMARY_AGENT: "fake/model",
  RLM_MODEL_BASE_URL: server.baseUrl,
  RLM_MODEL_API_KEY: "sk-test-pipes",
});

async function ended(child: Deno.ChildProcess): Promise<CliResult> {
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs the program with these bytes as its standard input, each piece a write of its own. */
async function fed(
  args: readonly string[],
  server: FakeModelServer,
  pieces: Iterable<Uint8Array>,
): Promise<CliResult> {
  const child = cliCommand(args, { env: env(server) }, { stdin: "piped" }).spawn();
  const result = ended(child);
  const writer = child.stdin.getWriter();
  try {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  } catch {
    // It refused the input before all of it was there.
  }
  return await result;
}

function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

Deno.test("70 KB of characters of many bytes, byte by byte, are the context exactly", async () => {
  const text = "語😀é\u200d👩‍👩‍👧".repeat(2_400);
  const bytes = new TextEncoder().encode(text);
  ok(bytes.length > 70_000);
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer([
      js(`FINAL([context.length, context === ${JSON.stringify("語😀é\u200d👩‍👩‍👧")}.repeat(2400)])`),
    ]);
    const args = ["-q", "--log-dir", dir, "--input-file", "-", "Same?"];
    const { code, stdout, stderr } = await fed(args, server, byteByByte(bytes));
    strictEqual(code, 0, stderr);
    deepStrictEqual(JSON.parse(stdout), [text.length, true]);
  });
});

Deno.test("a byte order mark is no part of the context; UTF-16 is refused before a call", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer([js("FINAL([context.length, context[0]])")]);
    const args = ["-q", "--log-dir", dir, "--input-file", "-", "What?"];
    const marked = new TextEncoder().encode("\ufeff語 text");
    const first = await fed(args, server, [marked.subarray(0, 2), marked.subarray(2)]);
    strictEqual(first.code, 0, first.stderr);
    deepStrictEqual(JSON.parse(first.stdout), [6, "語"]);

    const utf16 = new Uint8Array([
      0xff,
      0xfe,
      ...[..."hello"].flatMap((c) => [c.charCodeAt(0), 0]),
    ]);
    const second = await fed(args, server, [utf16]);
    deepStrictEqual([second.code, second.stdout], [2, ""]);
    match(second.stderr, /^error: Cannot use standard input as context: it is UTF-16.*\n$/);
    strictEqual(server.requests.length, 1);
  });
});

Deno.test("a model that warns, prints and returns odd extras leaves --json pure", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer([
      openAiReply(js("console.log('{\"fake\": true}')\nFINAL({ n: 1 })"), {
        warnings: [{ type: "unsupported-setting", setting: "topK" }],
        system_fingerprint: "\u001b]52;c;aGk=\u0007",
      }),
    ]);
    const args = ["--json", "--verbose", "--log-dir", dir, "--llm-kwargs", '{"topK": 5}', "q"];
    const { code, stdout, stderr } = await ended(cliCommand(args, { env: env(server) }).spawn());
    strictEqual(code, 0, stderr);
    const parsed = JSON.parse(stdout);
    deepStrictEqual([parsed.result, parsed.status], [{ n: 1 }, "answered"]);
    strictEqual(stdout, JSON.stringify(parsed, null, 2) + "\n", "nothing before it, nothing after");
    ok(stderr.length > 0, "progress goes to standard error");
    // deno-lint-ignore no-control-regex -- that is what must not be there
    doesNotMatch(stderr, /\u001b/);
  });
});

Deno.test({
  name: "a reader that leaves after one byte of an answer ends the program quietly",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await using server = startFakeModelServer([js('FINAL("x".repeat(5_000_000))')]);
      const { code, stdout, stderr } = await ended(
        new Deno.Command("bash", {
          args: [
            "-c",
            '"$0" run -A --no-check "$1" -q --session-dir "$2" q | head -c 1; echo " ${PIPESTATUS[0]}"',
            ...[Deno.execPath(), main, dir],
          ],
          env: env(server),
          stdin: "null",
          stdout: "piped",
          stderr: "piped",
        }).spawn(),
      );
      deepStrictEqual([code, stdout, stderr], [0, "x 0\n", ""]);
      const { queries } = JSON.parse(await Deno.readTextFile(join(dir, "state.json")));
      strictEqual(queries[0].status, "answered", "the answer is in the ledger all the same");
    }),
});

Deno.test("the viewer without a terminal is text and a line that says so", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer([js("FINAL(1)")]);
    const asked = cliCommand(["-q", "--session-dir", dir, "q"], { env: env(server) }).spawn();
    strictEqual((await ended(asked)).code, 0);
    for (const stdin of ["null", "piped"] as const) {
      const child = cliCommand(["log", dir, "--tui"], {}, { stdin }).spawn();
      const { code, stdout, stderr } = await ended(child);
      strictEqual(code, 0, stderr);
      match(stdout, /1/);
      strictEqual(stderr, "no terminal to browse on, here are the statistics\n");
    }
  });
});

Deno.test("an id that is no portable name is a usage error before any file is touched", async (t) => {
  const ids = [
    "../../x",
    "/abs",
    ".",
    "..",
    "a:b",
    "con",
    "NUL.txt",
    "a/b",
    "a\\b",
    "x".repeat(300),
  ];
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer();
    const session = join(dir, "sessions");
    for (const id of ids) {
      await t.step(JSON.stringify(id.slice(0, 20)), async () => {
        const args = ["-q", "--session-dir", session, `--session-id=${id}`, "q"];
        const child = cliCommand(args, { env: env(server), cwd: dir }).spawn();
        const { code, stdout, stderr } = await ended(child);
        deepStrictEqual([code, stdout], [2, ""]);
        match(stderr, /^error: Cannot use (sessionId|--session-id): .*\n$/);
      });
    }
    deepStrictEqual([...Deno.readDirSync(dir)], []);
    strictEqual(server.requests.length, 0);
  });
});

/** Whether `script` of util-linux, which gives a program a terminal, is there. */
const hasScript = ((): boolean => {
  try {
    const { stdout } = new Deno.Command("script", { args: ["--version"] }).outputSync();
    return new TextDecoder().decode(stdout).includes("util-linux");
  } catch {
    return false;
  }
})();

Deno.test({
  name: "on a terminal there is colour, and none with NO_COLOR",
  ignore: !hasScript,
  fn: async () => {
    // deno-lint-ignore no-control-regex -- colours are what is looked for
    const colour = /\u001b\[[0-9;]*m/;
    for (const [value, coloured] of [["", true], ["1", false]] as const) {
      await withTempDir(async (dir) => {
        await using server = startFakeModelServer([js("FINAL(1)")]);
        const { stdout } = await new Deno.Command("script", {
          args: [
            ...["--quiet", "--return", "--command"],
            `"${Deno.execPath()}" run -A --no-check "${main}" --log-dir "${dir}" q`,
            "/dev/null",
          ],
          env: { ...env(server), NO_COLOR: value, TERM: "xterm-256color" },
          stdin: "null",
        }).output();
        const text = new TextDecoder().decode(stdout);
        match(text, /\n1\r\n/);
        strictEqual(colour.test(text), coloured, JSON.stringify(text));
      });
    }
  },
});
