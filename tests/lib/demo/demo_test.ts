import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { fromFileUrl, join } from "@std/path";
import { runDemo } from "../../../lib/demo/demo.ts";
import { painter, queryText } from "../../../lib/demo/demo_text.ts";
import { QUESTIONS } from "../../../lib/demo/questions.ts";
import { queryFacts } from "../../../lib/demo/session_facts.ts";
import type { Manifest } from "../../../lib/session_format.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const root = join(fromFileUrl(new URL(".", import.meta.url)), "..", "..", "..");

Deno.test("the demo answers all queries, says that the model is played, and leaves nothing", async () => {
  await withTempDir(async (temp) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "lib/demo/demo.ts"],
      cwd: root,
      env: { TMPDIR: temp, RLM_MAX_CALLS: "0", OPENAI_API_KEY: "sk-not-used" },
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    strictEqual(code, 0, text + new TextDecoder().decode(stderr));
    match(text, /The model is played back/);
    match(text, /7 of 7 answers are the expected ones/);
    match(text, /restored \d+ names, used recommendations/);
    doesNotMatch(text, /diverged/);
    // deno-lint-ignore no-control-regex -- no terminal, no colours
    doesNotMatch(text, /\u001b/);
    deepStrictEqual([...Deno.readDirSync(temp)].map(({ name }) => name), []);
  });
});

Deno.test("the demo refuses what it does not know, and plays nothing", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "lib/demo/demo.ts", "--keeep"],
    cwd: root,
  }).output();
  strictEqual(code, 2);
  strictEqual(
    new TextDecoder().decode(stdout),
    "error: Cannot use --keeep: the demo takes --keep\n",
  );
});

Deno.test("an answer that is not the expected one makes the demo fail", async () => {
  const [build] = QUESTIONS;
  const written: string[] = [];
  const right = await runDemo({
    write: (text) => written.push(text),
    paint: painter(false),
    questions: [{ ...build!, expected: () => "something else" }],
  });
  strictEqual(right, false);
  match(written.join(""), /✗ not the expected answer/);
  match(written.join(""), /0 of 1 answers/);
});

Deno.test("an executable plays the demo from files that it copies out and removes", async () => {
  await withTempDir(async (temp) => {
    // In a process of its own: tests that run beside this one have their temporary files, too.
    const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
      import { runDemo } from ${from("../../../lib/demo/demo.ts")};
      import { painter } from ${from("../../../lib/demo/demo_text.ts")};
      import { QUESTIONS } from ${from("../../../lib/demo/questions.ts")};
      const write = (text) => void Deno.stdout.writeSync(new TextEncoder().encode(text));
      const questions = QUESTIONS.slice(0, 1);
      const right = await runDemo({ write, paint: painter(false), questions, unpack: true });
      Deno.exit(right ? 0 : 1);
    `;
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", `--config=${join(root, "deno.json")}`, script],
      env: { TMPDIR: temp },
    }).output();
    const said = new TextDecoder();
    strictEqual(code, 0, said.decode(stdout) + said.decode(stderr));
    deepStrictEqual([...Deno.readDirSync(temp)], []);
  });
});

Deno.test("reuse counts names in code, not keys and properties of the same name", () => {
  const state = (code: string, ...names: string[]): Manifest => ({
    variables: Object.fromEntries(names.map((name) => [name, {}])),
    functions: {},
    queries: [{ number: 2 }],
    steps: [{ query: 1, step: 1, code: "old()" }, { query: 2, step: 1, code }],
  } as unknown as Manifest);
  const names = ["old", "rows", "total", "$x"];
  const after = state("made = rows.total; FINAL({old: $x})", ...names, "made");
  deepStrictEqual(queryFacts(state("", ...names), after), {
    restored: names,
    used: ["rows", "$x"],
    added: ["made"],
  });
});

Deno.test("lines of a query stay within 100 columns", () => {
  const text = queryText(painter(false), {
    number: 1,
    question: QUESTIONS[0]!,
    answer: { words: Array.from({ length: 60 }, (_, i) => `word ${i}`) },
    right: true,
    steps: 1,
    usage: { promptTokens: undefined, completionTokens: undefined, calls: 1 },
    ms: 1234,
    facts: { restored: [], used: [], added: ["a"] },
  });
  for (const line of text.split("\n")) ok(line.length <= 100, line);
  match(text, /1 step · 1 model call · tokens unknown · 1\.2 s/);
});
