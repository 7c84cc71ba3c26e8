import assert from "node:assert/strict";
import { join } from "@std/path";
import type { Manifest } from "../../lib/session_format.ts";
import { highlight } from "../../log/html/highlight.ts";
import { escapeHtml } from "../../log/html/markup.ts";
import { openLog } from "../../log/open.ts";
import { toJson } from "../../log/render_json.ts";
import { jsonForScript, renderHtml } from "../../log/render_html.ts";
import { sampleManifest, writeSampleSession } from "../support/sample_transcript.ts";
import { plainCount, sharedLogs } from "../support/shared_logs.ts";
import { withTempDir } from "../support/temp_dir.ts";

const noManifest = (): Manifest => {
  throw new Error("no manifest is to be read");
};
const tell = (message: string): void =>
  void Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));

/** The figures at the top of a report, by name. */
function factsOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/data-fact="(\w+)">([^<]*)</g)].map(([, name, value]) => [name, value]),
  );
}

/** The data of the report's `index`-th query. */
// deno-lint-ignore no-explicit-any
function dataOf(html: string, index: number): any {
  const [, json] = html.match(new RegExp(`id="data-${index}">(.*?)</script>`)) ?? [];
  return JSON.parse(json ?? "null");
}

Deno.test("a report is one file that may load nothing", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory);
    const html = renderHtml(await openLog(directory, { readManifest: () => manifest }));
    assert.match(html, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(html, /<link|@import|url\(|src=|unsafe-|import\(|fetch\(/);
  });
});

Deno.test("the report's figures are those of the JSON, for sessions and transcripts", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 4, unlinked: [2], varied: true });
    const model = await openLog(directory, { readManifest: () => manifest });
    const html = renderHtml(model);
    // deno-lint-ignore no-explicit-any
    const { totals, queries }: any = toJson(model);
    const number = (value: number) => value.toLocaleString("en-US");
    assert.deepEqual(factsOf(html), {
      queries: "4",
      answered: "4",
      steps: number(totals.steps),
      tokens: number(totals.usage.total_tokens),
      cost: `$${totals.usage.cost.toFixed(4)}`,
      time: `${totals.seconds.toFixed(1)}s`,
    });
    const rows = [...html.matchAll(/data-tokens>([^<]*)</g)].map(([, value]) => value);
    assert.deepEqual(
      rows,
      // deno-lint-ignore no-explicit-any
      queries.map((query: any) => number(query.usage.total_tokens)),
    );
  });
});

Deno.test("Python transcripts have the counts of their lines in the report", async () => {
  for (const file of sharedLogs(tell)) {
    const plain = plainCount(file);
    const html = renderHtml(await openLog(file, { readManifest: noManifest }));
    const facts = factsOf(html);
    assert.equal(facts["entries"], String(plain.lines));
    assert.equal(facts["agents"], String(plain.runs));
    assert.equal(facts["depth"], String(plain.depth));
    assert.equal(facts["steps"], String(plain.steps));
    assert.equal(facts["tokens"], plain.tokens.toLocaleString("en-US"));
    assert.equal(facts["cost"], `$${plain.cost.toFixed(6)}`);
    const data = dataOf(html, 0);
    assert.equal(data.language, "python");
    const steps = data.agents.flatMap((agent: { steps: { step: number }[] }) => agent.steps);
    assert.equal(steps.filter((step: { step: number }) => step.step > 0).length, plain.steps);
  }
});

Deno.test("no text can leave its place in the markup", () => {
  assert.equal(
    escapeHtml(`<b title="x" id='y'>&`),
    "&#60;b title=&#34;x&#34; id=&#39;y&#39;&#62;&#38;",
  );
  assert.equal(escapeHtml("\x1b[2J\u202e"), "\\x1b[2J\\u202e");
  const json = jsonForScript({ a: "</script><!--<script>\u2028" });
  assert.doesNotMatch(json, /[<\u2028]/);
  assert.equal(JSON.parse(json).a, "</script><!--<script>\u2028");
});

Deno.test("hostile text everywhere appears as text only", async () => {
  await withTempDir(async (directory) => {
    const evil = `</script><img src=x onerror="globalThis.evil=1">\x1b[2J\u202e`;
    const manifest = sampleManifest();
    const item = manifest.variables["guests"];
    const hostile = {
      ...manifest,
      engine: evil,
      variables: { [evil]: { ...item, type: evil, preview: evil, comment: evil, note: evil } },
      queries: [{ number: 1, query: evil, final: evil, error: evil, status: "answered", steps: 1 }],
    } as unknown as Manifest;
    const withUsage = {
      ...hostile,
      queries: hostile.queries.map((query) => ({
        ...query,
        usage: { calls: 0, unknownCalls: 0 },
      })),
    } as unknown as Manifest;
    Deno.writeTextFileSync(join(directory, "state.json"), "{}");
    const html = renderHtml(await openLog(directory, { readManifest: () => withUsage }));
    assert.doesNotMatch(html, /<img/);
    assert.equal(html.split("</script>").length, 3, "one data block and the script");
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(html, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  });
});

Deno.test("a huge text is cut with what was left out stated", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1, outputChars: 50_000 });
    const html = renderHtml(await openLog(directory, { readManifest: () => manifest }));
    assert.match(
      dataOf(html, 0).agents[0].steps[0].output[0][1],
      /\[… 30,0\d\d characters left out of this report …\]/,
    );
  });
});

Deno.test("a session without queries and a transcript read as counts have a report", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1 });
    const empty = { ...manifest, queries: [], variables: {}, functions: {}, dropped: {} };
    const none = renderHtml(await openLog(directory, { readManifest: () => empty }));
    assert.match(none, /No query was put to this session yet/);
    assert.match(none, /This session remembers nothing yet/);
    const counts = await openLog(directory, { readManifest: () => manifest, detail: "counts" });
    assert.match(dataOf(renderHtml(counts), 0).missing, /too large/);
  });
});

Deno.test("highlight gives the code back and finds what it names", () => {
  const code = 'const a = `x ${1}`; // "no"\n/* b */ let re = "q\\""; FINAL(0x1f)\n';
  const tokens = highlight(code, "js");
  assert.equal(tokens.map((token) => token.text).join(""), code);
  const of = (kind: string) =>
    tokens.filter((token) => token.kind === kind).map(({ text }) => text);
  assert.deepEqual(of("comment"), ['// "no"', "/* b */"]);
  assert.deepEqual(of("string"), ["`x ${1}`", '"q\\""']);
  assert.deepEqual(of("keyword"), ["const", "let"]);
  assert.deepEqual(of("name"), ["FINAL"]);
  assert.deepEqual(of("number"), ["0x1f"]);
  const python = highlight('def f(x):  # note\n    return """a\n"b" """\n', "python");
  assert.deepEqual(
    python.filter((token) => token.kind !== "plain").map((token) => [token.kind, token.text]),
    [["keyword", "def"], ["comment", "# note"], ["keyword", "return"], ["string", '"""a\n"b" """']],
  );
});

Deno.test("highlight takes time in proportion to the code", () => {
  for (const unit of ["'", '"', "`", "/*", "\\", "a1", "/", "'''"]) {
    const code = unit.repeat(100_000);
    const started = performance.now();
    assert.equal(highlight(code, "js").map(({ text }) => text).join(""), code);
    highlight(code, "python");
    assert.ok(performance.now() - started < 2000, unit);
  }
});
