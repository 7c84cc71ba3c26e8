import assert from "node:assert/strict";
import { join } from "@std/path";
import { openLog } from "../../log/open.ts";
import { renderJson } from "../../log/render_json.ts";
import { sampleManifest, writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("the JSON has the model's figures: unknown as null, floors named", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 2, gaps: true, unlinked: [2] });
    const model = await openLog(directory, { readManifest: () => manifest });
    const json = JSON.parse(renderJson(model));
    assert.equal(json.kind, "session");
    assert.equal(json.totals.usage.total_tokens, model.totals.tally.total.value);
    assert.deepEqual(json.totals.usage.floors, ["cost"]);
    assert.equal(json.queries[1].transcript, null);
    assert.equal(json.queries[1].missing, "not linked");
    assert.equal(json.queries[0].transcript.agents[0].step_list.length, 4);
    assert.equal(json.queries[0].transcript.agents[0].step_list[1].children.length, 2);
    assert.equal(json.memory.variables[0].name, "guests");
  });
});

Deno.test("without a figure everything is null and nothing NaN", async () => {
  await withTempDir(async (directory) => {
    Deno.writeTextFileSync(join(directory, "state.json"), "{}");
    const text = renderJson(await openLog(directory, { readManifest: () => sampleManifest() }));
    const json = JSON.parse(text);
    assert.equal(json.totals.usage.cost, null);
    assert.equal(json.totals.usage.total_tokens, null);
    assert.equal(json.totals.steps, 0);
  });
});

Deno.test("no character of a text acts on a terminal, and the text is the same", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1 });
    const model = await openLog(directory, { readManifest: () => manifest });
    const query = "\u001b[2J\u009b2J\u202eevil\u2028";
    const text = renderJson({ ...model, queries: [{ ...model.queries[0]!, query }] });
    assert.doesNotMatch(text, /[^\P{Cc}\n]|[\u2028-\u202e]/u);
    assert.equal(JSON.parse(text).queries[0].query, query);
  });
});

Deno.test("counts leave the steps out", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1 });
    const model = await openLog(directory, { readManifest: () => manifest, detail: "counts" });
    const json = JSON.parse(renderJson(model));
    assert.equal(json.queries[0].transcript.steps, 8);
    assert.equal("step_list" in json.queries[0].transcript.agents[0], false);
  });
});
