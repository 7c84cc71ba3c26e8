import assert from "node:assert/strict";
import { systemClock } from "../../lib/clock.ts";
import { RlmError } from "../../lib/errors.ts";
import { McpServers } from "../../lib/mcp.ts";
import { readServers } from "../../lib/mcp/server_config.ts";
import { StdioTransport } from "../../lib/mcp/stdio_transport.ts";
import { createToolbox } from "../../lib/tool_catalog.ts";
import type { Toolbox } from "../../lib/toolbox.ts";
import { ToolSet } from "../../lib/tools.ts";

const fixture = (name: string): string =>
  new URL(`../fixtures/mcp/${name}`, import.meta.url).pathname;
const running = { signal: new AbortController().signal, agent: "0" };
const processEnv = (name: string): string | undefined => Deno.env.get(name);

const deno = (file: string, ...args: string[]): { command: string; args: string[] } => ({
  command: Deno.execPath(),
  args: ["run", "-A", "--quiet", fixture(file), ...args],
});

async function withServers(
  servers: Record<string, unknown>,
  use: (toolbox: Toolbox, servers: McpServers) => Promise<void>,
): Promise<void> {
  await using mcp = new McpServers(servers, { clock: systemClock, env: processEnv });
  await use(createToolbox(await ToolSet.create({}), mcp), mcp);
}

const isError = (code: string, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof RlmError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.ok(!error.message.includes("\n"));
  return true;
};

/** Whether a process of this id runs. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

Deno.test("the filesystem server from npm: found, called and ended", async () => {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.writeTextFile(`${dir}/a.txt`, "chapter 1\nchapter 2\n");
    await withServers({ files: deno("filesystem.ts", dir) }, async (toolbox, mcp) => {
      assert.equal(mcp.probe(), "MCP: files (stdio)");
      assert.match(toolbox.describe(), /^- MCP servers: files \(stdio\)\. Find their tools with/);
      const list = await toolbox.call("list", "files", running) as Record<string, string>[];
      const read = list.find((entry) => entry["name"] === "files.read_text_file")!;
      assert.match(read["signature"]!, /^files\.read_text_file\(args: \{ path: string; /);
      const schema = await toolbox.call("schema", "files.read_text_file", running);
      assert.equal((schema as { inputSchema: { type: string } }).inputSchema.type, "object");
      const text = await toolbox.call(
        "files.read_text_file",
        { path: `${dir}/a.txt` },
        running,
      ) as { content: string };
      assert.equal(text.content, "chapter 1\nchapter 2\n");
      await assert.rejects(
        toolbox.call("files.read_text_file", { path: "/etc/passwd" }, running),
        isError("tool", /^MCP server files: call read_text_file failed: .*(denied|outside)/),
      );
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("the reference server over stdio: text, structured content, bytes, resources, templates", async () => {
  await withServers({ every: deno("everything.ts", "stdio") }, async (toolbox) => {
    assert.equal(
      await toolbox.call("every.echo", { message: "Grüße 語 😀" }, running),
      "Echo: Grüße 語 😀",
    );
    const image = await toolbox.call("every.get-tiny-image", {}, running) as unknown[];
    const picture = image.find((part) => (part as { type?: string }).type === "image");
    assert.ok((picture as { bytes: Uint8Array }).bytes instanceof Uint8Array);
    // Agents write identifiers.
    assert.ok(await toolbox.call("every.get_tiny_image", {}, running));
    const structured = await toolbox.call(
      "every.get-structured-content",
      { location: "Chicago" },
      running,
    );
    assert.equal(typeof (structured as { temperature: number }).temperature, "number");
    const resources = await toolbox.call("resources", "every", running) as { uri: string }[];
    assert.ok(resources.length > 0);
    assert.equal((resources[0] as unknown as { server: string }).server, "every");
    assert.equal(typeof await toolbox.call("read", resources[0]!.uri, running), "string");
    const templates = await toolbox.call("templates", "every", running);
    const uris = (templates as { uriTemplate: string }[]).map((one) => one.uriTemplate);
    const template = uris.find((uri) => uri.includes("text"))!;
    const uri = template.replace(/\{[^}]+\}/, "1");
    assert.match(
      String(await toolbox.call("read", { server: "every", uri }, running)),
      /Resource 1/,
    );
    await assert.rejects(
      toolbox.call("every.ecko", {}, running),
      isError("tool", /^Cannot find the tool ecko of every: did you mean echo\?$/),
    );
    await assert.rejects(
      toolbox.call("every.echo", "text", running),
      isError("tool", /args must be an object, is "text"/),
    );
  });
});

Deno.test("the reference server over HTTP, with a header from the environment", async () => {
  const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = probe.addr as Deno.NetAddr;
  probe.close();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", fixture("everything.ts"), "streamableHttp"],
    env: { PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    const log = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes("listening");) {
      const { value, done } = await log.read();
      assert.ok(!done, text);
      text += value;
    }
    log.releaseLock();
    await using mcp = new McpServers({
      web: {
        url: `http://127.0.0.1:${port}/mcp`,
        headers: { Authorization: "Bearer ${WEB_KEY}" },
      },
    }, { clock: systemClock, env: (name) => name === "WEB_KEY" ? "k-123456789" : undefined });
    const toolbox = createToolbox(await ToolSet.create({}), mcp);
    assert.equal(mcp.probe(), "MCP: web (http)");
    const sums = await Promise.all(
      [1, 2, 3].map((a) => toolbox.call("web.get-sum", { a, b: 10 }, running)),
    );
    assert.deepEqual(sums.map((text) => /\d+\.?$/.exec(String(text))?.[0]), ["11.", "12.", "13."]);
    assert.ok((await toolbox.call("list", {}, running) as unknown[]).length > 5);
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await child.stderr.cancel().catch(() => {});
  }
});

Deno.test("nothing is started before it is used, and a server is started once for a burst", async () => {
  await withServers({ small: deno("small_server.ts", "noisy") }, async (toolbox) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => toolbox.call("small.get_env", {}, running)),
    ) as { pid: number }[];
    assert.equal(new Set(results.map(({ pid }) => pid)).size, 1);
  });
  await withServers({ none: { command: "no-such-command-here" } }, async (toolbox) => {
    assert.match(toolbox.describe(), /none \(stdio\)/);
    await assert.rejects(
      toolbox.call("none.x", {}, running),
      isError("tool", /^Cannot connect to the MCP server none: there is no command no-such/),
    );
  });
});

Deno.test("a server inherits no variable of the engine but the usual ones", async () => {
  const servers = { small: { ...deno("small_server.ts"), env: { API_KEY: "${OWN}" } } };
  const fetching = {
    NO_PROXY: "*",
    NODE_EXTRA_CA_CERTS: processEnv("NODE_EXTRA_CA_CERTS") ?? "",
    SSL_CERT_FILE: processEnv("SSL_CERT_FILE") ?? "",
    npm_config_registry: processEnv("npm_config_registry") ?? "https://registry.npmjs.org/",
  };
  const given: Record<string, string> = { OWN: "sk-own-key", ...fetching };
  Deno.env.set("RLM_TEST_SECRET", "x");
  try {
    await using mcp = new McpServers(servers, {
      clock: systemClock,
      env: (name) => given[name] ?? processEnv(name),
    });
    const toolbox = createToolbox(await ToolSet.create({}), mcp);
    const { names } = await toolbox.call("small.get_env", {}, running) as { names: string[] };
    assert.ok(names.includes("API_KEY") && names.includes("PATH"));
    for (const name of Object.keys(fetching)) {
      assert.ok(names.includes(name), `${name}: a server that is fetched needs it`);
    }
    assert.ok(!names.includes("RLM_TEST_SECRET"));
  } finally {
    Deno.env.delete("RLM_TEST_SECRET");
  }
});

Deno.test("errors of a server name it, on one line, without its keys", async () => {
  const env = { API_KEY: "sk-very-secret" };
  await withServers({
    small: { ...deno("small_server.ts"), env },
    broken: { ...deno("small_server.ts", "broken"), env },
  }, async (toolbox) => {
    await assert.rejects(
      toolbox.call("small.fail", {}, running),
      isError("tool", /^MCP server small: call fail failed: bad key \[API_KEY\] at line 1$/),
    );
    await assert.rejects(
      toolbox.call("broken.x", {}, running),
      isError("tool", /^Cannot connect to the MCP server broken: .*it wrote: .*\[API_KEY\]/),
    );
  });
});

Deno.test("a server that crashed is started again by the next call", async () => {
  await withServers({ small: deno("small_server.ts") }, async (toolbox) => {
    const before = await toolbox.call("small.get_env", {}, running) as { pid: number };
    await assert.rejects(toolbox.call("small.crash", {}, running), isError("tool", /call crash/));
    const after = await toolbox.call("small.get_env", {}, running) as { pid: number };
    assert.notEqual(after.pid, before.pid);
  });
});

Deno.test("an abort ends one call; the server and other calls go on", async () => {
  await withServers({ small: deno("small_server.ts") }, async (toolbox) => {
    await toolbox.call("list", {}, running);
    const abort = new AbortController();
    const call = toolbox.call("small.hang", {}, { signal: abort.signal, agent: "0" });
    abort.abort(new Error("stopped"));
    await assert.rejects(call, /stopped/);
    assert.ok(await toolbox.call("small.get_env", {}, running));
  });
});

Deno.test({
  name: "servers are ended with the run, also deaf ones with children, and while a call hangs",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const file = await Deno.makeTempFile();
    try {
      const mcp = new McpServers(
        { deaf: { ...deno("small_server.ts", "deaf"), env: { PIDS: file } } },
        // The grace that a server gets is not waited for.
        { clock: { now: () => 0, sleep: () => Promise.resolve() }, env: processEnv },
      );
      const toolbox = createToolbox(await ToolSet.create({}), mcp);
      await toolbox.call("list", {}, running);
      const pids = (await Deno.readTextFile(file)).split(" ").map(Number);
      assert.ok(pids.length === 2 && pids.every(isAlive));
      const hanging = toolbox.call("deaf.hang", {}, running);
      const ended = assert.rejects(hanging, isError("tool", /MCP server deaf/));
      await mcp.close();
      await ended;
      await mcp.close();
      // The kernel reaps the grandchild a moment after its group was killed.
      for (let i = 0; i < 1_000 && isAlive(pids[1]!); i++) await Deno.stat(file);
      assert.deepEqual(pids.map(isAlive), [false, false]);
      await assert.rejects(
        toolbox.call("deaf.hang", {}, running),
        isError("tool", /run has ended/),
      );
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test("a run that ends while a server starts leaves no process", async () => {
  const mcp = new McpServers({ small: deno("small_server.ts") }, {
    clock: systemClock,
    env: processEnv,
  });
  const toolbox = createToolbox(await ToolSet.create({}), mcp);
  const call = toolbox.call("small.get_env", {}, running);
  const failed = assert.rejects(call, isError("tool", /small/));
  await Promise.resolve();
  await mcp.close();
  await failed; // Deno's own check finds a process that is left
});

Deno.test("a transport that was closed starts no process", async () => {
  const [server] = readServers({ small: deno("small_server.ts") }, processEnv);
  assert.ok(server?.kind === "stdio");
  const transport = new StdioTransport(server, { clock: systemClock, inherit: processEnv });
  await transport.close();
  await assert.rejects(transport.start(), /run has ended/);
});

Deno.test("servers and single tools are granted by name", async () => {
  await using mcp = new McpServers({
    small: deno("small_server.ts"),
    other: deno("small_server.ts"),
  }, { clock: systemClock, env: processEnv });
  const toolbox = createToolbox(await ToolSet.create({ own: () => 1 }), mcp);
  const child = toolbox.grant(["small.get-env"]);
  assert.ok(!child.describe().includes("other"));
  assert.ok(await child.call("small.get_env", {}, running));
  const list = await child.call("list", {}, running) as { name: string }[];
  assert.deepEqual(list.map(({ name }) => name), ["small.get-env"]);
  for (const name of ["small.fail", "other.get-env", "own"]) {
    await assert.rejects(child.call(name, {}, running), isError("tool", /Cannot find the/));
  }
  await assert.rejects(child.call("read", "a:b", running), isError("tool", /no server lists it/));
  // Handing a server on gives no more of it than the agent has itself.
  const grandchild = child.grant(["small"]);
  await assert.rejects(grandchild.call("small.fail", {}, running), isError("tool", /small.fail/));
  assert.throws(() => child.grant(["small.fail"]), isError("tool", /small\.fail/));
  assert.throws(() => child.grant(["other"]), isError("tool", /other/));
  assert.ok(await toolbox.grant(["small.get_env"]).call("small.get-env", {}, running));
  assert.throws(() => toolbox.grant(["smal"]), isError("tool", /did you mean small\?/));
  const grown = toolbox.grant(["small", "own"]);
  assert.equal(await grown.call("own", {}, running), 1);
  assert.ok(await grown.grant(["small.fail"]).describe());
  const none = toolbox.grant([]);
  assert.equal(none.describe(), "");
  assert.deepEqual(await none.call("list", {}, running), []);
});

Deno.test("a user's tool comes before a discovery call of the same name", async () => {
  const toolbox = createToolbox(await ToolSet.create({ list: () => "mine" }));
  assert.equal(await toolbox.call("list", {}, running), "mine");
  await assert.rejects(toolbox.call("resources", "x", running), isError("tool", /has none/));
  const clash = new McpServers({ own: { command: "x" } }, { clock: systemClock, env: processEnv });
  const tools = await ToolSet.create({ own: () => 1 });
  assert.throws(() => createToolbox(tools, clash), isError("config", /own/));
});

Deno.test("server files: Claude Desktop's form, types, variables with defaults, disabled servers", () => {
  const env = (name: string): string | undefined => name === "HOME_DIR" ? "/data" : undefined;
  const servers = readServers({
    mcpServers: {
      files: { command: "npx", args: ["-y", "x", "${HOME_DIR}/in"], env: { A: "${B:-none}" } },
      web: { url: "https://a/mcp", type: "streamable-http", headers: { X: "$plain" } },
      old: { url: "http://a/sse", transport: "sse" },
      off: { command: "x", disabled: true },
    },
  }, env);
  assert.deepEqual(servers.map(({ name, kind }) => `${name} ${kind}`), [
    "files stdio",
    "web http",
    "old sse",
  ]);
  const [files, web] = servers as unknown as [
    { args: string[]; env: Record<string, string> },
    { headers: Record<string, string> },
  ];
  assert.deepEqual(files.args, ["-y", "x", "/data/in"]);
  assert.equal(files.env["A"], "none");
  assert.equal(web.headers["X"], "$plain");
});

Deno.test("errors in a server file name server and field, never a value of env or headers", () => {
  const cases: [string, unknown, RegExp][] = [
    ["a", {}, /server a: command must be a text that is not empty, is undefined/],
    ["a", { command: 5 }, /command must be/],
    ["a", { command: "x", args: "y" }, /args must be a list/],
    ["a", { command: "x", args: [1] }, /args\[0\] must be a text/],
    ["a", { command: "x", env: { K: 5 } }, /env\.K must be a text/],
    ["a", { command: "x", env: { K: "${NOT_SET}" } }, /env\.K needs .* NOT_SET, which is not set/],
    ["a", { url: "file:///x" }, /url must begin with http/],
    ["a", { url: "nonsense" }, /url must begin with http/],
    ["a", { url: "http://a", type: "carrier" }, /type must be "stdio", "http" or "sse"/],
    ["a", { url: "http://a", headers: { K: ["secret"] } }, /headers\.K must be a text/],
    ["a", "text", /it must be an object/],
    ["a.b", { command: "x" }, /server a\.b: its name/],
    ["", { command: "x" }, /its name/],
    ["then", { command: "x" }, /its name/],
  ];
  for (const [name, server, expected] of cases) {
    assert.throws(
      () => readServers({ [name]: server }, () => undefined),
      (error: unknown) =>
        isError("config", expected)(error) && !(error as Error).message.includes("secret"),
    );
  }
});
