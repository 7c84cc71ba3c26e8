/** One model, many views: what one of them tells, all of them tell. */
import assert from "node:assert/strict";
import { formatCount, formatDuration, formatMoney } from "../../log/format.ts";
import type { LogModel, MemoryItem } from "../../log/model.ts";
import { openLog } from "../../log/open.ts";
import { renderHtml } from "../../log/render_html.ts";
import { toJson } from "../../log/render_json.ts";
import { renderStats } from "../../log/stats.ts";
import { onKey, renderApp } from "../../log/viewer/app.ts";
import { type AppState, openState } from "../../log/viewer/app_state.ts";
import { plain } from "../../log/viewer/line.ts";
import { Session } from "../../mod.ts";
import { readManifest } from "../../lib/cli/read_manifest.ts";
import { writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

const SIZE = { columns: 160, rows: 40 };

const press = (state: AppState, ...keys: readonly string[]): AppState => keys.reduce(onKey, state);
const screen = (state: AppState): string => renderApp(state, SIZE).map(plain).join("\n");
const viewer = (model: LogModel): AppState => ({ ...openState(model, SIZE), grown: 1 });

interface Figures {
  readonly steps: string;
  readonly tokens: string;
  readonly cost: string;
  readonly time: string;
}

// deno-lint-ignore no-explicit-any -- JSON as a reader of it has it
function figuresOf(json: any): Figures {
  return {
    steps: formatCount(json.steps),
    tokens: formatCount(json.usage.total_tokens),
    cost: `${json.usage.floors.includes("cost") ? "≥ " : ""}${formatMoney(json.usage.cost)}`,
    time: formatDuration(json.seconds * 1000),
  };
}

Deno.test("statistics, JSON, TUI and HTML tell the same figures of every query", async () => {
  await withTempDir(async (dir) => {
    writeSampleSession(dir, { queries: 3, gaps: true, varied: true, unlinked: [2] });
    const model = await openLog(dir, { readManifest });
    // deno-lint-ignore no-explicit-any
    const json = toJson(model) as any;
    const stats = renderStats(model, 120);
    const html = renderHtml(model);
    const rows = html.split('<details class="query').slice(1);
    const sums = figuresOf(json.totals);
    assert(stats.includes(`${sums.steps} steps · ${sums.tokens} tokens · cost ${sums.cost}`));
    for (const [i, query] of json.queries.entries()) {
      const { steps, tokens, cost, time } = figuresOf(query);
      const row = stats.split("\n").find((line) => line.startsWith(`   ${i + 1}  `)) ?? "";
      assert.deepEqual(
        row.replaceAll("≥ ", "≥").replace("(not linked)", "").trim().split(/ +/),
        [String(i + 1), "answered", time, steps, tokens, cost.replace(" ", "")],
      );
      const opened = press(viewer(model), "g", ...Array(i).fill("j"), "enter");
      assert(screen(opened).split("\n")[0]?.includes(`${tokens} tokens · ${cost}`), screen(opened));
      const page = rows[i] ?? "";
      assert(page.includes(`data-tokens>${tokens}<`) && page.includes(`data-cost>${cost}<`), page);
      assert(page.includes(` · ${steps} steps · `) && page.includes(` · ${time}`), page);
    }
  });
});

Deno.test("state.json, session.dropped(), statistics, TUI, JSON and HTML tell the same memory", async () => {
  await withTempDir(async (dir) => {
    writeSampleSession(dir, { queries: 1 });
    const state = JSON.parse(await Deno.readTextFile(`${dir}/state.json`));
    const model = await openLog(dir, { readManifest });
    const memory = model.memory ?? assert.fail();
    await using session = new Session({ sessionDir: dir, config: { primaryAgent: "none" } });

    const dropped = Object.entries<{ reason: string }>(state.dropped)
      .map(([name, { reason }]) => `${name}: ${reason}`).sort();
    const told = (items: readonly MemoryItem[]) =>
      items.map(({ name, detail }) => `${name}: ${detail}`).sort();
    assert.equal(dropped.length, 2);
    assert.deepEqual(
      (await session.dropped()).map(({ name, reason }) => `${name}: ${reason}`).sort(),
      dropped,
    );
    assert.deepEqual(told(memory.dropped), dropped);
    assert.deepEqual(told(memory.failed), ["old: class Doc is gone"]);
    const names = (items: readonly { readonly name: string }[]) =>
      items.map(({ name }) => name).sort();
    const failed = names(memory.failed);
    assert.deepEqual(
      names(await session.variables()),
      [...names(memory.variables), ...failed].sort(),
    );
    assert.deepEqual(names(await session.functions()), names(memory.functions));
    assert.deepEqual(toJson(model)["memory"], memory);

    assert.match(renderStats(model, 120), /3 variables, 1 function .*; 2 dropped, 1 failed/);
    const html = renderHtml(model);
    let inspector = press(viewer(model), "m");
    assert.match(screen(inspector), /3 variables · 1 function · 2 dropped · 1 failed/);
    const items = [...memory.variables, ...memory.functions, ...memory.dropped, ...memory.failed];
    for (const item of items) {
      const [title, ...detail] = screen(inspector).split("\n").slice(2).map((line) =>
        line.slice(line.indexOf("│") + 1).trim()
      );
      assert(title?.includes(`${item.committed ? "★ " : ""}${item.name} ${item.type}`), title);
      assert(detail.join(" ").includes(item.detail.split("\n")[0] ?? ""), screen(inspector));
      const [, row = ""] = html.split(`<code>${item.name}</code>`);
      assert(row.includes(item.type), `${item.name} in the page`);
      inspector = press(inspector, "j");
    }
  });
});
