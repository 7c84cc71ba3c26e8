import assert from "node:assert/strict";
import { isAbsolute, join } from "node:path";
import { checkConfig, type ConfigLayer } from "../../lib/config.ts";
import { readConfigFile } from "../../lib/config_file.ts";
import { RlmError } from "../../lib/errors.ts";

/** Writes a config file, reads it, and gives the layer with the folder it lay in. */
async function load(
  name: string,
  content: string,
): Promise<{ layer: ConfigLayer; folder: string }> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, name), content);
    return { layer: await readConfigFile(join(folder, name)), folder };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert(error instanceof RlmError, String(error));
    assert.equal(error.code, "config");
    assert(!/\n/.test(error.message) && !error.message.endsWith("."), error.message);
    return error.message;
  }
  assert.fail("was accepted");
}

Deno.test("YAML and JSON with snake_case names are read, tabs and a byte order mark included", async () => {
  for (
    const [name, content] of [
      ["rlm.yaml", "# limits\nmax_depth: 2\nmax_money_spent: 0.5\n"],
      ["rlm.json", '{\n\t"max_depth": 2,\n\t"max_money_spent": 0.5\n}\n'],
      ["rlm.conf", "\ufeffmax_depth: 2\r\nmax_money_spent: 0.5\r\n"],
    ] as const
  ) {
    const { layer } = await load(name, content);
    assert.deepEqual(checkConfig(layer), { maxDepth: 2, maxMoneySpent: 0.5 });
  }
});

Deno.test("an error in a value names the file", async () => {
  const { layer } = await load("rlm.yaml", "max_depth: two");
  assert.throws(() => checkConfig(layer), /Cannot use max_depth from .*rlm\.yaml: .*"two"/);
  const empty = await load("rlm.yaml", "max_depth:");
  assert.throws(() => checkConfig(empty.layer), /current value is empty/);
});

Deno.test("relative paths start at the file's folder, absolute ones stay", async () => {
  const { layer, folder } = await load(
    "rlm.yaml",
    "session_dir: s\nlog_dir: /abs\nprimary_agent: replay:rec.jsonl\nsub_agent: openrouter/x\n" +
      "llm_kwargs: '@kw.json'\noutput_schema: schemas/a.json\nprefix: p\n",
  );
  assert.deepEqual({ ...layer.values }, {
    session_dir: join(folder, "s"),
    log_dir: isAbsolute("/abs") ? "/abs" : join(folder, "/abs"),
    primary_agent: `replay:${join(folder, "rec.jsonl")}`,
    sub_agent: "openrouter/x",
    llm_kwargs: `@${join(folder, "kw.json")}`,
    output_schema: join(folder, "schemas/a.json"),
    prefix: "p",
  });
});

Deno.test("a missing file, a directory and an empty file are refused by name", async () => {
  assert.match(await refusal(() => readConfigFile("no/rlm.yaml")), /no\/rlm\.yaml: .*no such file/);
  assert.match(await refusal(() => readConfigFile("tests")), /tests: it is a directory/);
  assert.match(await refusal(() => readConfigFile("-")), /no such file/);
  assert.match(await refusal(() => load("rlm.yaml", "")), /rlm\.yaml: it is empty/);
  assert.match(await refusal(() => load("rlm.yaml", "# nothing\n")), /holds no setting/);
});

Deno.test("a file that is no object of settings is refused", async () => {
  assert.match(await refusal(() => load("rlm.yaml", "- 1\n- 2")), /holds a list of 2/);
  assert.match(await refusal(() => load("rlm.yaml", "max_depth 3")), /holds "max_depth 3"/);
  assert.match(await refusal(() => load("rlm.yaml", "a: 1\n---\nb: 2")), /holds a list of 2/);
});

Deno.test("broken YAML, a key given twice, unknown tags and multiplying anchors are refused", async () => {
  assert.match(await refusal(() => load("rlm.yaml", "a: [1")), /rlm\.yaml as YAML/);
  assert.match(await refusal(() => load("rlm.json", "{")), /rlm\.json as JSON/);
  assert.match(await refusal(() => load("rlm.yaml", "max_depth: 1\nmax_depth: 2")), /unique/);
  assert.match(await refusal(() => load("rlm.json", '{"max_depth":1,"max_depth":2}')), /unique/);
  assert.match(await refusal(() => load("rlm.yaml", "max_depth: !env X")), /Unresolved tag/);
  const bomb = "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [" + "*a,".repeat(40) + "]\nc: &c [" +
    "*b,".repeat(40) + "]\nd: [" + "*c,".repeat(40) + "]";
  assert.match(await refusal(() => load("rlm.yaml", bomb)), /alias/i);
});

Deno.test("binary and huge files are refused", async () => {
  assert.match(await refusal(() => load("rlm.yaml", "#".repeat(1_000_001))), /too much/);
  assert.match(await refusal(() => load("rlm.yaml", "a\0".repeat(100))), /UTF-16/);
});

Deno.test("a __proto__ key is refused as an unknown setting and changes nothing", async () => {
  const { layer } = await load("rlm.yaml", "__proto__: {maxDepth: 1}");
  assert.throws(() => checkConfig(layer), /Cannot use __proto__ from .*no such setting/);
});
