import assert from "node:assert/strict";
import { jsonSchema, tool } from "ai";
import { z } from "zod";
import { RlmError } from "../../lib/errors.ts";
import { ToolSet } from "../../lib/tools.ts";
import { loadToolsFile } from "../../lib/tools_file.ts";

const running = { signal: new AbortController().signal, agent: "0" };

const search = tool({
  description: "Finds\nlines",
  inputSchema: z.object({ query: z.string(), limit: z.number().optional() }),
  execute: ({ query, limit = 2 }) => Promise.resolve(Array(limit).fill(query)),
});

const isError = (code: string, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof RlmError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.ok(!error.message.includes("\n"));
  return true;
};

Deno.test("AI SDK tools and plain functions are shown as signature and description", async () => {
  const lower = Object.assign(({ text, n = 5 }: { text: string; n?: number }) => text + n, {
    description: "Lower case",
  });
  const tools = await ToolSet.create({
    search,
    lower,
    plain: (q: unknown) => q,
    nothing: () => 1,
    typed: tool({
      inputSchema: jsonSchema({ type: "object", properties: { a: { type: "string" } } }),
      outputSchema: jsonSchema({ type: "array", items: { type: "number" } }),
      execute: () => [1],
    }),
  });
  assert.deepEqual(tools.describe().split("\n"), [
    "- tools.search(args: { query: string; limit?: number }) — Finds lines",
    "- tools.lower({ text, n = 5 }) — Lower case",
    "- tools.plain(q)",
    "- tools.nothing()",
    "- tools.typed(args: { a?: string }): number[]",
  ]);
  assert.equal((await ToolSet.create({})).describe(), "");
});

Deno.test("arguments are validated before the call and errors name args and path", async () => {
  const tools = await ToolSet.create({ search });
  assert.deepEqual(await tools.call("search", { query: "a" }, running), ["a", "a"]);
  await assert.rejects(
    tools.call("search", { query: 5 }, running),
    isError("tool", /^Cannot call tools\.search: args\.query: Invalid input/),
  );
  await assert.rejects(tools.call("search", "text", running), isError("tool", /args: /));
});

Deno.test("results keep Map, Set, Date, bigint, bytes, cycles and shared objects", async () => {
  const shared = { n: 1 };
  const value: Record<string, unknown> = {
    map: new Map<unknown, unknown>([["k", shared], [{ key: 1 }, 2]]),
    set: new Set([1n]),
    date: new Date(5),
    bytes: new Uint8Array([1, 2]),
    shared,
    hole: undefined,
    proto: JSON.parse('{"__proto__":{"admin":true}}'),
  };
  value["self"] = value;
  const tools = await ToolSet.create({ get: () => value });
  const result = await tools.call("get", {}, running) as typeof value;
  assert.deepEqual(result, value);
  assert.notEqual(result, value, "later changes on the host do not reach the agent");
  assert.equal(result["self"], result);
  assert.equal((result["map"] as Map<string, unknown>).get("k"), result["shared"]);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

Deno.test("instances become plain data: toJSON, else their own properties", async () => {
  class Row {
    id = 1;
    save = () => {};
    get later(): number {
      return 2;
    }
  }
  class Money {
    toJSON(): string {
      return "5 EUR";
    }
  }
  const { Buffer } = await import("node:buffer");
  const tools = await ToolSet.create({
    get: () => [new Row(), new Money(), Buffer.from("a"), new URL("http://a/")],
  });
  const [row, money, bytes, url] = await tools.call("get", {}, running) as unknown[];
  assert.deepEqual(row, { id: 1 });
  assert.equal(Object.getPrototypeOf(row), Object.prototype);
  assert.equal(money, "5 EUR");
  assert.equal((bytes as object).constructor, Uint8Array);
  assert.ok(url instanceof URL);
});

Deno.test("what has no value is refused by its place", async () => {
  const cases: [unknown, RegExp][] = [
    [{ rows: [{}, { h: () => 1 }] }, /it has a function at \.rows\[1\]\.h; /],
    [() => 1, /it has a function; /],
    [{ s: Symbol("x") }, /a symbol at \.s/],
    [{ p: Promise.resolve(1) }, /a Promise at \.p/],
    [new Response("x"), /a Response/],
    [{ it: [1][Symbol.iterator]() }, /at \.it/],
  ];
  for (const [value, expected] of cases) {
    const tools = await ToolSet.create({ get: () => value });
    await assert.rejects(tools.call("get", {}, running), isError("tool", expected));
  }
  let deep: unknown = 1;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  const tools = await ToolSet.create({ get: () => deep });
  await assert.rejects(tools.call("get", {}, running), isError("tool", /more than 1000 levels/));
});

Deno.test("of a tool that yields, the last value is the result", async () => {
  const tools = await ToolSet.create({
    count: tool({
      inputSchema: z.object({}),
      async *execute() {
        yield "1 of 2";
        await Promise.resolve();
        yield "done";
      },
    }),
  });
  assert.equal(await tools.call("count", {}, running), "done");
});

Deno.test("errors are messages: no stack, no secret, one line", async () => {
  const env = { SEARCH_KEY: "sk-secret-123456", SHORT: "1" };
  const tools = await ToolSet.create({
    fail: (_args: unknown, context: { env: Record<string, string> }) => {
      throw new Error(
        `GET https://a/?key=${context.env["SEARCH_KEY"]} failed\n\u001b[2J1 time`,
        { cause: new Error("hidden") },
      );
    },
    text: () => Promise.reject("just text"),
  }, { env });
  await assert.rejects(tools.call("fail", {}, running), (error: unknown) => {
    assert.ok(error instanceof RlmError);
    assert.equal(
      error.message,
      "tools.fail failed: GET https://a/?key=[SEARCH_KEY] failed \\x1b[2J1 time",
    );
    assert.equal(error.cause, undefined);
    assert.ok(!String(error.stack).includes("sk-secret"));
    return true;
  });
  await assert.rejects(tools.call("text", {}, running), isError("tool", /failed: just text$/));
});

Deno.test("tools get env, the signal and a call id, and no conversation", async () => {
  let seen: Record<string, unknown> = {};
  const tools = await ToolSet.create({
    look: tool({
      inputSchema: z.object({}),
      execute: (_args, options) => {
        seen = options as unknown as Record<string, unknown>;
        return null;
      },
    }),
  }, { env: { KEY: "value" } });
  await tools.call("look", {}, { ...running, callId: "c1" });
  assert.deepEqual(seen["context"], { env: { KEY: "value" }, agent: "0" });
  assert.deepEqual(seen["experimental_context"], seen["context"]);
  assert.equal(seen["abortSignal"], running.signal);
  assert.equal(seen["toolCallId"], "c1");
  assert.deepEqual(seen["messages"], []);
  assert.ok(!tools.describe().includes("value"));
});

Deno.test("an abort ends the call, also of a tool that does not watch its signal", async () => {
  const abort = new AbortController();
  const tools = await ToolSet.create({ never: () => new Promise(() => {}) });
  const call = tools.call("never", {}, { signal: abort.signal, agent: "0" });
  abort.abort(new Error("stopped"));
  await assert.rejects(call, /stopped/);
  await assert.rejects(tools.call("never", {}, { signal: abort.signal, agent: "0" }), /stopped/);
});

Deno.test("what is no tool is a configuration error that names it", async () => {
  const cases: [string, unknown, RegExp][] = [
    ["a-b", () => 1, /the tool a-b: its name must be a JavaScript identifier/],
    ["then", () => 1, /the tool then: its name/],
    ["__proto__", () => 1, /its name/],
    ["x", 5, /the tool x: it is 5; use tool\(/],
    ["x", {}, /it has no execute function/],
    ["x", class {}, /use tool\(/],
    ["x", { execute: () => 1, needsApproval: true }, /asks for approval/],
    ["x", { execute: () => 1, inputSchema: "text" }, /the inputSchema of the tool x/],
    ["x", { execute: () => 1, inputSchema: { type: "strin" } }, /the inputSchema of the tool x/],
  ];
  for (const [name, value, expected] of cases) {
    const tools = Object.fromEntries([[name, value]]);
    await assert.rejects(ToolSet.create(tools), isError("config", expected));
  }
});

Deno.test("a grant is a subset, and an unknown name is an error with the nearest one", async () => {
  const tools = await ToolSet.create({ search, other: () => 1 });
  const granted = tools.grant(["other"]);
  assert.deepEqual(granted.names, ["other"]);
  assert.equal(await granted.call("other", {}, running), 1);
  await assert.rejects(granted.call("search", {}, running), isError("tool", /there are other/));
  assert.throws(() => tools.grant(["serach"]), isError("tool", /serach: did you mean search\?/));
  assert.throws(() => granted.grant(["search"]), isError("tool", /search/));
  assert.throws(() => tools.grant(["constructor"]), isError("tool", /constructor/));
});

Deno.test("a module gives its exports as tools", async () => {
  const path = new URL("../fixtures/tools/search_tools.ts", import.meta.url).pathname;
  const tools = await ToolSet.create(await loadToolsFile(path));
  assert.deepEqual(tools.names, ["search", "shout"]);
  assert.deepEqual(await tools.call("search", { word: "beta" }, running), ["alpha beta", "beta"]);
  assert.equal(await tools.call("shout", { text: "a" }, running), "A");
});

Deno.test("a module that is missing, broken or exports something else is named", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const cases: [string, string | undefined, RegExp][] = [
      ["none.ts", undefined, /there is no such file/],
      ["broken.ts", "export default {", /Cannot load tools from/],
      ["throws.ts", "throw new Error('at import')", /at import/],
      ["other.ts", "export const limit = 5;", /limit is 5, no tool/],
      ["empty.ts", "export {};", /exports no tools/],
      ["single.ts", "export default () => 1;", /it is a single tool/],
      ["bad.ts", "export default { a: () => 1, b: {} };", /b is an object, no tool/],
      [
        "twice.ts",
        "export default { a: () => 1 }; export const a = () => 2;",
        /a is exported twice/,
      ],
    ];
    for (const [name, text, expected] of cases) {
      const path = `${dir}/${name}`;
      if (text !== undefined) await Deno.writeTextFile(path, text);
      await assert.rejects(
        loadToolsFile(path),
        (error: unknown) =>
          isError("config", expected)(error) && (error as RlmError).message.includes(name),
      );
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
