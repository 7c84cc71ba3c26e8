import assert from "node:assert/strict";
import fc from "fast-check";
import {
  checkConfig,
  type ConfigLayer,
  environmentLayer,
  pickConfig,
  resolveConfig,
} from "../../lib/config.ts";
import { CONFIG_FIELDS, environmentName, fileName } from "../../lib/config_fields.ts";
import { describeConfig, redact } from "../../lib/config_describe.ts";
import { RlmError } from "../../lib/errors.ts";

const flags = (values: Record<string, unknown>): ConfigLayer => ({
  source: "flags",
  kind: "flags",
  values,
});
const file = (values: Record<string, unknown>): ConfigLayer => ({
  source: "rlm.yaml",
  kind: "file",
  values,
});
const options = (values: Record<string, unknown>): ConfigLayer => ({ source: "options", values });

/** The message of the config error that `work` throws. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert(error instanceof RlmError);
    assert.equal(error.code, "config");
    assert(!/\n/.test(error.message), "one line");
    assert(!error.message.endsWith("."), "no full stop at the end");
    return error.message;
  }
  assert.fail("was accepted");
}

Deno.test("defaults are those of the documentation", () => {
  const config = resolveConfig(options({ primaryAgent: "openrouter/x" }));
  assert.equal(config.subAgent, "openrouter/x");
  assert.equal(config.maxDepth, 3);
  assert.equal(config.maxCallsPerSubagent, 20);
  assert.equal(config.maxGlobalCalls, Infinity);
  assert.equal(config.maxPromptTokens, 1_000_000);
  assert.equal(config.maxCompletionTokens, 100_000);
  assert.equal(config.maxMoneySpent, 1);
  assert.equal(config.maxSeconds, Infinity);
  assert.equal(config.truncateLen, 4_000);
  assert.equal(config.stepTimeoutSeconds, 120);
  assert.equal(config.memoryLimitMb, 2_048);
  assert.equal(config.variableCapMb, 5);
  assert.equal(config.apiMaxRetries, 3);
  assert.equal(config.apiTimeoutSeconds, 600);
  assert.equal(config.addSessionCodeToContext, true);
  assert.equal(config.prefix, "run");
  assert.equal(config.resumeTokens, 3_000);
});

Deno.test("every setting is present in the resolved config", () => {
  const config = resolveConfig(options({ primaryAgent: "m" }));
  assert.deepEqual(Object.keys(config).sort(), CONFIG_FIELDS.map((f) => f.name).sort());
});

Deno.test("an acp agent has 50 calls a run by default, and as many as one says otherwise", () => {
  assert.equal(resolveConfig(options({ primaryAgent: "acp:claude" })).maxGlobalCalls, 50);
  const own = resolveConfig(options({ primaryAgent: "acp:claude", maxGlobalCalls: 7 }));
  assert.equal(own.maxGlobalCalls, 7);
});

Deno.test("concurrency has a default of at least one, and is what one says", () => {
  assert(resolveConfig(options({ primaryAgent: "m" })).maxConcurrency >= 1);
  const own = resolveConfig(options({ primaryAgent: "m", maxConcurrency: 7 }));
  assert.equal(own.maxConcurrency, 7);
});

Deno.test("a run without a model is refused and says how to name one", () => {
  const message = refusal(() => resolveConfig(flags({})));
  assert.match(message, /--primary-agent/);
  assert.match(message, /RLM_PRIMARY_AGENT/);
});

Deno.test("flags beat the file, the file beats the environment", () => {
  const environment = environmentLayer((name) =>
    ({ RLM_MAX_DEPTH: "1", RLM_MAX_SECONDS: "10", RLM_PRIMARY_AGENT: "env" })[name]
  );
  const config = resolveConfig(
    flags({ maxDepth: "5" }),
    file({ max_depth: 4, max_seconds: 20, primary_agent: "file" }),
    environment,
  );
  assert.equal(config.maxDepth, 5);
  assert.equal(config.maxSeconds, 20);
  assert.equal(config.primaryAgent, "file");
  assert.equal(resolveConfig(environment).maxDepth, 1);
});

Deno.test("a bad value is refused also where another layer beats it", () => {
  assert.match(
    refusal(() => resolveConfig(flags({ maxDepth: "5" }), file({ max_depth: "two" }))),
    /max_depth from rlm\.yaml/,
  );
});

Deno.test("an error names source, setting, current value and what was expected", () => {
  assert.equal(
    refusal(() => checkConfig(file({ max_depth: "two" }))),
    'Cannot use max_depth from rlm.yaml: current value is "two", expected a whole number from 0 to 32',
  );
  assert.equal(
    refusal(() => checkConfig(flags({ maxDepth: "-1" }))),
    'Cannot use --max-depth: current value is "-1", expected a whole number from 0 to 32',
  );
  assert.equal(
    refusal(() => checkConfig(environmentLayer((n) => n === "RLM_MAX_DEPTH" ? "x" : undefined))),
    'Cannot use RLM_MAX_DEPTH: current value is "x", expected a whole number from 0 to 32',
  );
  assert.equal(
    refusal(() => checkConfig(options({ maxDepth: NaN }))),
    "Cannot use maxDepth: current value is NaN, expected a whole number from 0 to 32",
  );
});

Deno.test("0 is zero for every limit", () => {
  const config = resolveConfig(flags({
    primaryAgent: "m",
    maxDepth: "0",
    maxCallsPerSubagent: "0",
    maxGlobalCalls: "0",
    maxPromptTokens: "0",
    maxCompletionTokens: "0",
    maxMoneySpent: "0",
    maxSeconds: "0",
    truncateLen: "0",
    apiMaxRetries: "0",
    variableCapMb: "-0",
    resumeTokens: "0",
  }));
  for (
    const name of [
      "maxDepth",
      "maxCallsPerSubagent",
      "maxGlobalCalls",
      "maxPromptTokens",
      "maxCompletionTokens",
      "maxMoneySpent",
      "maxSeconds",
      "truncateLen",
      "apiMaxRetries",
      "variableCapMb",
      "resumeTokens",
    ] as const
  ) assert(Object.is(config[name], 0), name);
});

Deno.test("junk is refused for every numeric setting, as flag, in a file and as an option", () => {
  const numeric = CONFIG_FIELDS.filter((f) => /number/.test(f.check.expected));
  assert.equal(numeric.length, 16);
  const texts = [
    "",
    " ",
    "abc",
    "-1",
    "NaN",
    "Infinity",
    "1e99",
    "0x10",
    "1,000",
    "1 000",
    "1_000",
  ];
  for (const field of numeric) {
    for (const junk of [...texts, "3 "]) {
      refusal(() => checkConfig(flags({ [field.name]: junk })));
    }
    for (const junk of [...texts, -1, NaN, -Infinity, 1e99, null, true, [1], { n: 1 }, 3n, "3"]) {
      refusal(() => checkConfig(file({ [fileName(field.name)]: junk })));
      refusal(() => checkConfig(options({ [field.name]: junk })));
    }
  }
});

Deno.test("a flag of yes, no and a word names just these", () => {
  const given = { addSessionCodeToContext: "maybe" };
  assert.match(refusal(() => checkConfig(flags(given))), /expected yes, all or no$/);
  assert.match(refusal(() => checkConfig(options(given))), /expected true or false, or "all"$/);
});

Deno.test("absurd limits are refused", () => {
  refusal(() => checkConfig(flags({ maxDepth: "1e9" })));
  refusal(() => checkConfig(flags({ maxCallsPerSubagent: "1e9" })));
  refusal(() => checkConfig(flags({ maxConcurrency: "1e9" })));
  refusal(() => checkConfig(flags({ maxMoneySpent: "1e9" })));
  refusal(() => checkConfig(flags({ maxDepth: "1.5" })));
});

Deno.test("none switches off the limits that say so, and no other", () => {
  const config = resolveConfig(flags({ primaryAgent: "m", maxMoneySpent: "none" }));
  assert.equal(config.maxMoneySpent, Infinity);
  assert.equal(checkConfig(options({ maxSeconds: Infinity })).maxSeconds, Infinity);
  assert.equal(checkConfig(file({ max_prompt_tokens: "none" })).maxPromptTokens, Infinity);
  refusal(() => checkConfig(flags({ maxDepth: "none" })));
  refusal(() => checkConfig(flags({ stepTimeoutSeconds: "none" })));
});

Deno.test("an unknown setting is refused with the one that was probably meant", () => {
  assert.match(refusal(() => checkConfig(file({ maxDepth: 2 }))), /did you mean max_depth\?$/);
  assert.match(refusal(() => checkConfig(file({ max_dpeth: 2 }))), /did you mean max_depth\?$/);
  assert.match(refusal(() => checkConfig(options({ max_depth: 2 }))), /did you mean maxDepth\?$/);
  assert.equal(
    refusal(() => checkConfig(file({ colour: "red" }))),
    "Cannot use colour from rlm.yaml: there is no such setting",
  );
  for (const name of ["__proto__", "constructor", "toString"]) {
    const values = JSON.parse(`{"${name}": 1}`);
    assert.match(refusal(() => checkConfig(file(values))), /no such setting/);
  }
});

Deno.test("a key in a config file is refused without being shown", () => {
  const message = refusal(() => checkConfig(file({ api_key: "sk-very-secret" })));
  assert.doesNotMatch(message, /secret/);
  assert.match(message, /RLM_MODEL_API_KEY/);
});

Deno.test("a hostile name or value is made inert in the error", () => {
  const bad = "\u001b[2J\n\u202e" + "x".repeat(500);
  for (const values of [{ [bad]: 1 }, { max_depth: bad }]) {
    const message = refusal(() => checkConfig(file(values)));
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(message, /[\u0000-\u001f\u202e]/);
    assert(message.length < 600);
  }
});

Deno.test("a session id is one portable path segment", () => {
  const check = (sessionId: string) => checkConfig(options({ sessionId, sessionDir: "s" }));
  for (
    const id of [
      "../../x",
      "/abs",
      ".",
      "..",
      "",
      " ",
      "a/b",
      "a\\b",
      "a\0b",
      "a:b",
      "con",
      "CON.txt",
      "lpt1",
      "x".repeat(300),
      "a b",
      ".hidden",
      "end.",
      "a\n",
      "é",
      "-".repeat(101),
    ]
  ) refusal(() => check(id));
  for (const id of ["a", "2024-01-01", "v1.2_x", "A".repeat(100), "console", "_"]) {
    assert.equal(check(id).sessionId, id);
  }
});

Deno.test("a session id needs a directory", () => {
  assert.match(refusal(() => checkConfig(options({ sessionId: "a" }))), /sessionDir/);
  assert.match(refusal(() => checkConfig(flags({ sessionId: "a" }))), /--session-dir/);
  assert.equal(
    checkConfig(flags({ sessionId: "a" }), file({ session_dir: "s" })).sessionId,
    "a",
    "the two may come from different layers",
  );
});

Deno.test("wrong types are refused for settings that are no numbers", () => {
  for (
    const [name, junk] of [
      ["primaryAgent", 3],
      ["primaryAgent", " "],
      ["primaryAgent", {}],
      ["subAgent", []],
      ["sessionDir", 1],
      ["sessionDir", "a\0b"],
      ["addSessionCodeToContext", "some"],
      ["addSessionCodeToContext", 1],
      ["tools", []],
      ["tools", new Map()],
      ["llmKwargs", "x"],
      ["env", { a: 1 }],
      ["exposeEnv", "NAME"],
      ["exposeEnv", [1]],
      ["mcpServers", { a: {} }],
      ["mcpServers", { a: { command: 1 } }],
      ["outputSchema", "x"],
      ["outputSchema", []],
      ["prefix", "a/b"],
      ["instruction", ""],
    ] as const
  ) refusal(() => checkConfig(options({ [name]: junk })));
});

Deno.test("session code is a yes or no, or all", () => {
  const of = (value: string) =>
    checkConfig(flags({ addSessionCodeToContext: value })).addSessionCodeToContext;
  assert.deepEqual(["yes", "no", "true", "FALSE", "all"].map(of), [
    true,
    false,
    true,
    false,
    "all",
  ]);
  assert.equal(
    checkConfig(file({ add_session_code_to_context: false })).addSessionCodeToContext,
    false,
  );
  refusal(() => checkConfig(file({ add_session_code_to_context: "no" })));
});

Deno.test("models may be names, models of one's own and AI SDK models", () => {
  const own = { id: "mine", generate: () => Promise.reject(new Error("unused")) };
  const sdk = { modelId: "x", provider: "y", specificationVersion: "v3", doGenerate() {} };
  const config = resolveConfig(options({ primaryAgent: own, subAgent: sdk }));
  assert.equal(config.primaryAgent, own);
  assert.equal(config.subAgent, sdk);
  const described = describeConfig(config);
  assert.equal(described["primaryAgent"], "mine");
  assert.equal(described["subAgent"], "x");
});

Deno.test("the wrapper of Claude Desktop is taken off MCP servers", () => {
  const servers = { files: { command: "npx", args: ["x"] }, web: { url: "http://h/mcp" } };
  assert.deepEqual(
    checkConfig(options({ mcpServers: { mcpServers: servers } })).mcpServers,
    servers,
  );
  assert.deepEqual(checkConfig(options({ mcpServers: servers })).mcpServers, servers);
});

Deno.test("an empty environment variable counts as not set", () => {
  const layer = environmentLayer((name) => name === "RLM_MAX_DEPTH" ? "" : undefined);
  assert.deepEqual(layer.values, {});
});

Deno.test("names of the table are unique in every form", () => {
  for (
    const names of [
      CONFIG_FIELDS.map((f) => f.name),
      CONFIG_FIELDS.map((f) => fileName(f.name)),
      CONFIG_FIELDS.flatMap((f) => f.flag ?? []),
    ]
  ) assert.equal(new Set(names).size, names.length);
  assert.equal(fileName("maxCallsPerSubagent"), "max_calls_per_subagent");
  assert.equal(environmentName("memoryLimitMb"), "RLM_MEMORY_LIMIT_MB");
});

Deno.test("the config is picked out of a larger object", () => {
  assert.deepEqual(pickConfig({ prompt: "p", maxDepth: 1, maxSeconds: undefined }), {
    maxDepth: 1,
  });
});

Deno.test("the description for the log has effective values and no secret", () => {
  const described = describeConfig(resolveConfig(
    options({
      primaryAgent: "m",
      maxMoneySpent: 0.25,
      env: { TOKEN: "env-secret" },
      mcpServers: { web: { url: "http://h", headers: { Authorization: "mcp-secret" } } },
      tools: { search: () => "tool-secret" },
      llmKwargs: {
        temperature: 0.5,
        max_tokens: 10,
        apiKey: "kw-secret",
        headers: { "x-plain": "kw-secret" },
        note: "Bearer kw-secret",
        nested: [{ password: "kw-secret" }],
        f: () => 1,
      },
    }),
  ));
  const json = JSON.stringify(described);
  assert.doesNotMatch(json, /secret/);
  assert.equal(described["maxMoneySpent"], 0.25);
  assert.equal(described["maxSeconds"], "none");
  assert.equal(described["maxPromptTokens"], 1_000_000);
  assert.deepEqual(described["tools"], ["search"]);
  assert.deepEqual(described["env"], ["TOKEN"]);
  assert.deepEqual(described["mcpServers"], ["web"]);
  const kwargs = described["llmKwargs"] as Record<string, unknown>;
  assert.equal(kwargs["temperature"], 0.5);
  assert.equal(kwargs["max_tokens"], 10);
});

Deno.test("redaction ends on deep and circular values", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  assert.doesNotThrow(() => JSON.stringify(redact(loop)));
});

Deno.test("any text is either a number that the flag means, or refused", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)),
      (text) => {
        let value: unknown;
        try {
          value = checkConfig(flags({ maxMoneySpent: text })).maxMoneySpent;
        } catch (error) {
          assert(error instanceof RlmError && error.code === "config");
          return;
        }
        if (text === "none") return assert.equal(value, Infinity);
        assert.equal(value, Number(text) === 0 ? 0 : Number(text));
      },
    ),
    { numRuns: 300, verbose: 0 },
  );
});
