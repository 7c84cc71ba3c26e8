/** MCP servers over both transports, used by a session, resumed in a second process, and ended. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { cli, cliCommand, withTempDir } from "./support/cli.ts";
import { startFakeModelServer } from "./support/fake_model_server.ts";
import { filesBelow } from "./support/files_below.ts";
import { startHttpMcpServer } from "./support/http_mcp_server.ts";
import { js } from "./support/play.ts";
import { descendants, isAlive, untilGone } from "./support/processes.ts";

const fixture = (name: string): string =>
  new URL(`./fixtures/mcp/${name}`, import.meta.url).pathname;

const deno = (file: string, ...args: string[]): { command: string; args: string[] } => ({
  command: Deno.execPath(),
  args: ["run", "-A", "--quiet", fixture(file), ...args],
});

Deno.test("a filesystem server and an HTTP server serve a session, and its second process", async () => {
  await withTempDir(async (given) => {
    const dir = await Deno.realPath(given);
    const session = join(dir, "s");
    const files = join(dir, "files");
    await Deno.mkdir(files);
    await Deno.writeTextFile(join(files, "a.txt"), "chapter 1\nchapter 2\n");
    await using web = await startHttpMcpServer();
    const servers = join(dir, "servers.json");
    await Deno.writeTextFile(
      servers,
      JSON.stringify({
        mcpServers: {
          files: deno("filesystem.ts", files),
          web: { url: web.url, headers: { Authorization: "Bearer ${WEB_KEY}" } },
          never: { command: "no-such-command-at-all" },
        },
      }),
    );
    await using server = startFakeModelServer([
      js(`const listed = await tools.list("files");
      const text = (await tools.files.read_text_file({ path: ${
        JSON.stringify(files)
      } + "/a.txt" })).content;
      listed.length`),
      js(`const sum = await tools.web.get_sum({ a: 2, b: 3 });
      const bad = await tools.files.read_text_file({ path: "/etc/passwd" }).catch(e => e.message);
      const part = await llm_query("x", { instruction: "read", tools: ["files.read_text_file"] });
      FINAL([listed.length > 5, text, sum, bad, part])`),
      js(
        `FINAL([(await tools.files.read_text_file({ path: ${
          JSON.stringify(files)
        } + "/a.txt" })).content.length,
        await tools.web.echo({ message: "x" }).catch(e => e.message),
        await tools.files.list_directory({ path: "." }).catch(e => e.message)])`,
      ),
      js(`FINAL([text.length, await tools.web.echo({ message: "again" }),
        (await tools.files.list_allowed_directories({})).content])`),
    ]);
    const env = { RLM_MODEL_BASE_URL: server.baseUrl, WEB_KEY: "web-key-123456789" };
    const args = [
      "--primary-agent",
      "fake/m",
      "--session-dir",
      session,
      "--mcp",
      servers,
      "--json",
    ];
    const first = await cli([...args, "one"], { env });
    strictEqual(first.code, 0, first.stderr);
    const [many, text, sum, bad, part] = JSON.parse(first.stdout).result;
    deepStrictEqual([many, text], [true, "chapter 1\nchapter 2\n"]);
    match(sum, /5/);
    match(bad, /MCP server files: call read_text_file failed: .*(denied|outside)/);
    strictEqual(part[0], text.length);
    match(part[1], /Cannot find/);
    match(part[2], /Cannot find the tool/);
    const prompt = JSON.stringify(server.requests[0]!.json);
    match(prompt, /MCP servers: files \(stdio\), web \(http\), never \(stdio\)/);
    ok(!prompt.includes("read_text_file"), "tools are listed before they are asked for");

    const second = await cli([...args, "two"], { env });
    const [length, echo, allowed] = JSON.parse(second.stdout).result;
    deepStrictEqual([length, echo], [text.length, "Echo: again"]);
    match(allowed, new RegExp(files));
    for (const [name, content] of await filesBelow(session)) {
      ok(!content.includes(env.WEB_KEY), `the key stands in ${name}`);
    }
  });
});

/** A run whose filesystem server works while the model is waited for. */
async function whileServing(
  dir: string,
  mcp: Record<string, unknown>,
  code: string,
  requests: number,
  use: (child: Deno.ChildProcess, below: number[]) => Promise<void>,
): Promise<void> {
  const servers = join(dir, "servers.json");
  await Deno.writeTextFile(servers, JSON.stringify(mcp));
  const gate = Promise.withResolvers<void>();
  await using server = startFakeModelServer([js(code), { gate: gate.promise, body: {} }]);
  const child = cliCommand(
    ["--primary-agent", "fake/m", "--session-dir", join(dir, "s"), "--mcp", servers, "q"],
    { env: { RLM_MODEL_BASE_URL: server.baseUrl } },
    { stdout: "null", stderr: "null" },
  ).spawn();
  await server.untilRequests(requests);
  const below = descendants(child.pid);
  await use(child, below);
  gate.resolve();
}

const onLinux = { ignore: Deno.build.os !== "linux" };

for (
  const [signal, exit] of [["SIGINT", 130], ["SIGTERM", 130], ["SIGKILL", 137]] as const
) {
  Deno.test({
    name: `after ${signal} no server is left`,
    ...onLinux,
    fn: async () => {
      await withTempDir(async (given) => {
        const dir = await Deno.realPath(given);
        const code = `await tools.files.list_directory({ path: ${JSON.stringify(dir)} })`;
        const mcp = { files: deno("filesystem.ts", dir) };
        await whileServing(dir, mcp, code, 2, async (child, below) => {
          ok(below.length >= 2, `sandbox and server, seen: ${below.length}`);
          child.kill(signal);
          strictEqual((await child.status).code, exit);
          if (signal !== "SIGKILL") deepStrictEqual(below.filter(isAlive), []);
          await untilGone(below);
        });
      });
    },
  });
}

Deno.test({
  name: "Ctrl-C ends a server that ignores the end of its input and SIGTERM, with all it started",
  ...onLinux,
  fn: async () => {
    await withTempDir(async (dir) => {
      const pids = join(dir, "pids");
      const mcp = { deaf: { ...deno("small_server.ts", "deaf"), env: { PIDS: pids } } };
      await whileServing(dir, mcp, "await tools.list('deaf')", 2, async (child, below) => {
        const started = (await Deno.readTextFile(pids)).split(" ").map(Number);
        child.kill("SIGINT");
        strictEqual((await child.status).code, 130);
        deepStrictEqual([...started, ...below].filter(isAlive), []);
      });
    });
  },
});
