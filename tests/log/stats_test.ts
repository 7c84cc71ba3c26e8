import assert from "node:assert/strict";
import { join } from "@std/path";
import type { Manifest } from "../../lib/session_format.ts";
import { openLog } from "../../log/open.ts";
import { toJson } from "../../log/render_json.ts";
import { renderStats } from "../../log/stats.ts";
import { displayWidth } from "../../log/width.ts";
import { sampleManifest, writeSampleSession } from "../support/sample_transcript.ts";
import { plainCount, sharedLogs } from "../support/shared_logs.ts";
import { withTempDir } from "../support/temp_dir.ts";

const noManifest = (): Manifest => {
  throw new Error("no manifest is to be read");
};

Deno.test("a session's statistics have a row a query, sums, and what it remembers", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 3, gaps: true, unlinked: [2] });
    const model = await openLog(directory, { readManifest: () => manifest });
    const text = renderStats({ ...model, path: "./podcasts" }, 100);
    assert.equal(
      text,
      `Session ./podcasts  (fast-rlm 0.1.0)
3 queries · 3 answered · 12 steps · 40,584 tokens · cost ≥ $0.0078 · 32.8s

   #  status           time  steps       tokens        cost
   1  answered        10.9s      4       13,528   ≥ $0.0026
      Query 1: which guests of the podcast mention tool number 7, and when?
      → 3 guests
   2  answered        10.9s      4       13,528     $0.0026  (not linked)
      Query 2: which guests of the podcast mention tool number 14, and when?
      → 6 guests
   3  answered        10.9s      4       13,528   ≥ $0.0026
      Query 3: which guests of the podcast mention tool number 21, and when?
      → 9 guests

Memory: 3 variables, 1 function (2 committed), 1.2 MB; 2 dropped, 1 failed
`,
    );
  });
});

Deno.test("a narrow terminal sees every figure", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1 });
    const model = await openLog(directory, { readManifest: () => manifest });
    const text = renderStats({ ...model, path: "s" }, 40);
    assert.match(text, /^1 answered · 10\.9s · 4 steps · 13,528\ntokens · cost \$0\.0053$/m);
    const log = await openLog(join(directory, "logs/run_0001.jsonl"), { readManifest: noManifest });
    assert.match(renderStats(log, 40), /^agent +steps +tokens +task$/m);
    assert.match(renderStats(log, 40), /^ {2}0\.0 +2 +3,106/m);
  });
});

Deno.test("a new session without a query has statistics too", async () => {
  await withTempDir(async (directory) => {
    Deno.writeTextFileSync(join(directory, "state.json"), "{}");
    const manifest = { ...sampleManifest(), variables: {}, functions: {}, dropped: {} };
    const text = renderStats(await openLog(directory, { readManifest: () => manifest }), 80);
    assert.match(text, /^0 queries · 0 answered · 0 steps · unknown tokens · cost unknown/m);
  });
});

Deno.test("what is still running took an unknown time, and makes the sum a floor", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 2, killed: true });
    const [first, running] = manifest.queries;
    const ended = new Date(Date.parse(first!.started) + 5_000).toISOString();
    const headOf = async (queries: unknown[]) => {
      const model = await openLog(directory, {
        readManifest: () => ({ ...manifest, queries: queries as never }),
      });
      return renderStats(model, 100).split("\n")[1] ?? "";
    };
    assert.match(await headOf([running]), /· time unknown$/);
    assert.match(await headOf([{ ...first, ended }, running]), /· ≥ 5\.0s$/);
  });
});

Deno.test("of a directory of transcripts each row names its file", async () => {
  await withTempDir(async (directory) => {
    writeSampleSession(directory, { queries: 2 });
    const model = await openLog(join(directory, "logs"), { readManifest: noManifest });
    const text = renderStats(model, 100);
    assert.match(text, / 1 {2}answered .* run_0001\.jsonl$/m);
    assert.match(text, / 2 {2}answered .* run_0002\.jsonl$/m);
  });
});

Deno.test("no line is wider than the terminal, whatever the text", async () => {
  await withTempDir(async (directory) => {
    const prompt = "漢字の質問🦕".repeat(30);
    const manifest = writeSampleSession(directory, { queries: 1 });
    const query = { ...manifest.queries[0], query: prompt, final: prompt } as never;
    const model = await openLog(directory, {
      readManifest: () => ({ ...manifest, queries: [query] }),
    });
    const log = await openLog(join(directory, "logs/run_0001.jsonl"), { readManifest: noManifest });
    for (const width of [10, 20, 40, 61, 80, 120]) {
      for (const line of `${renderStats(model, width)}${renderStats(log, width)}`.split("\n")) {
        assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
      }
    }
  });
});

Deno.test("escape sequences in prompts, answers, names and files are shown inert", async () => {
  await withTempDir(async (directory) => {
    const evil = "\x1b]52;c;aGk=\x07\x1b[2J\x9b1m\u202e";
    const path = join(directory, "evil.jsonl");
    const line = (fields: Record<string, unknown>) =>
      JSON.stringify({ time: "", run_id: evil, depth: 0, agent: evil, ...fields });
    Deno.writeTextFileSync(
      path,
      [
        line({ event_type: "run_start", format: 1, engine: evil, prompt: evil }),
        line({ event_type: "agent_start", task: evil }),
        line({ event_type: evil }),
        line({ event_type: "final_result", result: { [evil]: evil } }),
        line({ event_type: "run_end", status: evil, error: evil }),
      ].join("\n"),
    );
    const log = await openLog(path, { readManifest: noManifest });
    const manifest = writeSampleSession(directory, { queries: 1 });
    const session = await openLog(directory, {
      readManifest: () => ({
        ...manifest,
        engine: evil,
        queries: [{ ...manifest.queries[0], query: evil, final: evil, error: evil }] as never,
      }),
    });
    const text = renderStats(log, 200) + renderStats(session, 200);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    assert.match(text, /\\x1b\]52;c;aGk=\\x07/);
  });
});

Deno.test("skipped lines are named", async () => {
  await withTempDir(async (directory) => {
    writeSampleSession(directory, { queries: 1 });
    const path = join(directory, "logs/run_0001.jsonl");
    const lines = Deno.readTextFileSync(path).trimEnd().split("\n");
    lines.splice(4, 0, "torn {");
    Deno.writeTextFileSync(path, lines.join("\n"));
    const model = await openLog(path, { readManifest: noManifest });
    assert.match(renderStats(model, 100), /^skipped +1 line skipped \(line 5\)$/m);
    assert.equal(model.totals.skipped, 1);
  });
});

Deno.test("Python transcripts give the counts of their lines, in statistics and in JSON", async () => {
  for (const file of sharedLogs((message) => Deno.stderr.writeSync(bytes(`${message}\n`)))) {
    const plain = plainCount(file);
    for (const detail of ["full", "counts"] as const) {
      const model = await openLog(file, { readManifest: noManifest, detail });
      const text = renderStats(model, 120);
      const number = (value: number) => value.toLocaleString("en-US");
      assert.match(text, new RegExp(`^entries +${plain.lines} \\(`, "m"));
      assert.match(text, new RegExp(`^agents +${plain.runs}$`, "m"));
      assert.match(text, new RegExp(`^depth +${plain.depth}$`, "m"));
      assert.match(text, new RegExp(`^steps +${plain.steps} and ${plain.runs} probes?$`, "m"));
      assert.match(text, new RegExp(`^tokens +${number(plain.tokens)} \\(`, "m"));
      assert.match(
        text,
        new RegExp(`^cost +\\$${plain.cost.toFixed(6).replace(".", "\\.")}$`, "m"),
      );
      // deno-lint-ignore no-explicit-any
      const json: any = JSON.parse(JSON.stringify(toJson(model)));
      const { transcript } = json.queries[0];
      assert.deepEqual(
        [transcript.entries, transcript.runs, transcript.depth, transcript.steps],
        [plain.lines, plain.runs, plain.depth, plain.steps],
      );
      assert.equal(json.totals.usage.total_tokens, plain.tokens);
      assert.ok(Math.abs(json.totals.usage.cost - plain.cost) < 1e-9);
      assert.equal(
        transcript.agents.reduce((sum: number, agent: { errors: number }) => sum + agent.errors, 0),
        plain.errors,
      );
    }
  }
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
