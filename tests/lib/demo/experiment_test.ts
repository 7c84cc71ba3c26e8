import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { runExperiment } from "../../../lib/demo/experiment.ts";
import { plot } from "../../../lib/demo/experiment_plot.ts";
import { tables } from "../../../lib/demo/experiment_text.ts";
import { promptTokens } from "../../../lib/demo/played_model.ts";

let measured: ReturnType<typeof runExperiment> | undefined;

/** The session in both modes, run once for all tests. */
async function measure() {
  const sessions = await (measured ??= runExperiment({ modes: ["all", "none"] }));
  const [all = [], none = []] = sessions.map(({ queries }) =>
    queries.map((query) => query.tokens ?? 0)
  );
  return { sessions, all, none };
}

Deno.test("the session is answered rightly with code in the prompt and without", async () => {
  const { sessions } = await measure();
  for (const { mode, queries } of sessions) {
    deepStrictEqual(queries.map(({ right }) => right), Array(7).fill(true), mode);
  }
});

Deno.test("building costs the same, and every follow-up less without code", async () => {
  const { all, none } = await measure();
  strictEqual(all[0], none[0]);
  for (let query = 1; query < 7; query++) ok(none[query]! < all[query]!, `query ${query + 1}`);
});

Deno.test("a follow-up without code costs one call of at most 2,800 tokens", async () => {
  const { sessions } = await measure();
  for (const { tokens = 0, calls } of sessions[1]!.queries.slice(1)) {
    strictEqual(calls, 1);
    ok(tokens <= 2_800, `${tokens} tokens`);
  }
});

Deno.test("the table and the plot show every figure", async () => {
  const { sessions, all, none } = await measure();
  const table = tables(sessions, undefined);
  match(table, /\*\*sum\*\*/);
  match(table, /written by hand/);
  for (const figure of [...all, ...none]) ok(table.includes(figure.toLocaleString("en-US")));
  const svg = plot(sessions, undefined);
  match(svg, /^<svg [^]*<\/svg>\n$/);
  match(svg, /prefers-color-scheme: dark/);
  strictEqual(svg.match(/<circle/g)?.length, 12);
});

Deno.test("a live table names its model and says where tokens are unknown", async () => {
  const { sessions } = await measure();
  const [first] = sessions;
  const queries = first!.queries.map((query) => ({
    ...query,
    tokens: undefined,
    rootTokens: undefined,
    right: false,
  }));
  const table = tables([{ mode: "all", queries }], "openrouter/some/model <b>");
  match(table, /Asked: openrouter\/some\/model/);
  match(table, /unknown \(\d+ calls\) ✗/);
  match(table, /0 of 7/);
  ok(!plot([{ mode: "all", queries }], "some/<b>").includes("<b>"));
});

Deno.test("prompt tokens are those of contents and roles, and three a message", () => {
  strictEqual(promptTokens([{ role: "user", content: "hello world" }]), 3 + 3 + 1 + 2);
});

Deno.test("the README's figures are those that the experiment writes", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(`../../../${path}`, import.meta.url));
  const figures = (text: string) =>
    text.split("\n").filter((line) => /^\| (?:\d\. |\*\*sum|right)/.test(line))
      .map((line) => line.replaceAll(/\s+/g, " "));
  const written = figures(await read("lib/demo/experiment.md"));
  strictEqual(written.length, 9);
  const readme = figures(await read("README.md"));
  for (const line of written) ok(readme.includes(line), `README.md lacks ${line}`);
});
