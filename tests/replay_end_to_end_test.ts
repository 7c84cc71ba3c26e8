/** Recording and playing back whole runs from the command line. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { cli, type CliResult, withTempDir } from "./support/cli.ts";
import {
  type FakeAnswer,
  type ReceivedRequest,
  startFakeModelServer,
} from "./support/fake_model_server.ts";
import { js } from "./support/play.ts";

const CHILDREN = js(`const parts = await batch_llm_query(['a', 'b', 'c'].map(context =>
  ({ context, instruction: 'say it twice' })));
const note = await llm_complete('a word');
const typed = await llm_complete('a number', { schema: { type: 'integer' } });`);

/** Sub-agents ask in any order: each is answered by what it asks. */
const answer = (request: ReceivedRequest): string => {
  if (request.text.includes("say it twice")) return js("FINAL(context + context)");
  if (request.text.includes("a number")) return "7";
  return "word";
};

async function recorded(
  dir: string,
  answers: readonly FakeAnswer[],
  prompts: readonly string[],
  more: readonly string[] = [],
): Promise<{ file: string; results: CliResult[] }> {
  await using server = startFakeModelServer(answers);
  const file = join(dir, "run.jsonl");
  const results: CliResult[] = [];
  for (const prompt of prompts) {
    results.push(
      await cli(
        ["--primary-agent", "fake/m", "--session-dir", join(dir, "live"), "--record", file]
          .concat("--json", more, prompt),
        { env: { RLM_MODEL_BASE_URL: server.baseUrl, RLM_MODEL_API_KEY: "sk-recorded-key-1234" } },
      ),
    );
  }
  return { file, results };
}

const replayed = (file: string, session: string, prompt: string, more: readonly string[] = []) =>
  cli(["--primary-agent", `replay:${file}`, "--session-dir", session, "--json", ...more, prompt]);

Deno.test("a recorded session of two queries with sub-agents is played back without a server", async () => {
  await withTempDir(async (dir) => {
    const { file, results } = await recorded(dir, [
      CHILDREN,
      ...Array(5).fill(answer),
      js("FINAL([parts, note, typed])"),
      js("FINAL(parts.length)"),
    ], ["the first question", "the second question"]);
    deepStrictEqual(results.map(({ code }) => code), [0, 0], results[0]!.stderr);
    const session = join(dir, "played");
    for (const [at, prompt] of ["the first question", "the second question"].entries()) {
      const again = await replayed(file, session, prompt);
      strictEqual(again.code, 0, again.stderr);
      doesNotMatch(again.stderr, /diverged/);
      const [live, played] = [results[at]!, again].map(({ stdout }) => JSON.parse(stdout));
      deepStrictEqual(played.result, live.result);
      deepStrictEqual(played.usage, live.usage);
      deepStrictEqual(played.steps, live.steps);
    }
    const text = await Deno.readTextFile(file);
    ok(!text.includes("sk-recorded-key-1234") && !text.includes("the first question"));
    strictEqual(text.trim().split("\n").length, 2 + 8);
  });
});

Deno.test("a run that goes on past its recording ends with 1, naming the call", async () => {
  await withTempDir(async (dir) => {
    const { file } = await recorded(dir, [js("1"), js("FINAL(1)")], ["q"]);
    const lines = (await Deno.readTextFile(file)).trim().split("\n");
    await Deno.writeTextFile(file, lines.slice(0, -1).join("\n"));
    const { code, stderr, stdout } = await replayed(file, join(dir, "s"), "q");
    strictEqual(code, 1);
    match(
      stderr,
      /error: Cannot replay .*it holds no reply for agent 0 call 2; record the run anew/,
    );
    strictEqual(JSON.parse(stdout).error.code, "replay_exhausted");
  });
});

Deno.test("also where the call is a sub-agent's and agent code would catch the error", async () => {
  await withTempDir(async (dir) => {
    const { file } = await recorded(dir, [
      CHILDREN.replace(
        "const note",
        "let kept = 1; try { await llm_query('d') } catch {} const note",
      ),
      ...Array(3).fill(answer),
      js("FINAL('d')"),
      ...Array(2).fill(answer),
      js("FINAL(1)"),
    ], ["q"]);
    const lines = (await Deno.readTextFile(file)).trim().split("\n");
    await Deno.writeTextFile(file, lines.filter((text) => !text.includes('"0.3"')).join("\n"));
    const { code, stderr, stdout } = await replayed(file, join(dir, "s"), "q");
    strictEqual(code, 1, stderr);
    match(stderr, /error: Cannot replay .*agent 0\.3 call 1/);
    strictEqual(JSON.parse(stdout).status, "failed");
  });
});

Deno.test("where a run leaves its recording is told by its first call, and the play goes on", async () => {
  await withTempDir(async (dir) => {
    const { file } = await recorded(dir, [js("1"), js("FINAL(2)")], ["q"]);
    const other = await replayed(file, join(dir, "s"), "q", ["--truncate-len", "99"]);
    strictEqual(other.code, 0);
    match(other.stderr, /diverged from the recording .* at agent 0 call 1/);
    strictEqual(other.stderr.match(/diverged/g)?.length, 1);
  });
});

Deno.test("a file that is no recording is wrong usage", async () => {
  await withTempDir(async (dir) => {
    const file = join(dir, "no.jsonl");
    await Deno.writeTextFile(file, '{"some": "log"}\n');
    const { code, stderr } = await replayed(file, join(dir, "s"), "q");
    strictEqual(code, 2);
    match(stderr, /^error: Cannot replay .*line 1 is no header of a recording/m);
  });
});
