import assert from "node:assert/strict";
import type { RunEvent } from "../../lib/events.ts";
import { EntryEncoder } from "../../log/encode.ts";
import { parseEntry } from "../../log/entry.ts";
import { openLog } from "../../log/open.ts";
import { renderEntryText, renderText } from "../../log/render_text.ts";
import { displayWidth } from "../../log/width.ts";
import { sampleEvents, writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

function renderStepText(event: RunEvent, width: number): string {
  const entry = new EntryEncoder().encode(event);
  return entry === undefined ? "" : renderEntryText(entry, width);
}

Deno.test("a step shows its code when the reply comes and its output after the evaluation", () => {
  const text = sampleEvents({ steps: 1, outputChars: 20 })
    .map((event) => renderStepText(event, 60)).filter((part) => part !== "").join("\n");
  assert.equal(
    text,
    `run · query 1
  Query 1: which guests of the podcast mention tool number
  7, and when?
0 · depth 0 · Query 1: which guests of the podcast mention …
0 · new session
0 · step 1 · 1,178 tokens · $0.0005
  Let me look at the rows.
  │ FINAL(\`\${hits.length} guests\`);
  Grace: row data row
0 · sweep: 3 names saved, 1 dropped (3ms)
0 · FINAL
  → 3 guests
0 · answered · 1,178 tokens · $0.0005
run · answered · 1,178 tokens · $0.0005`,
  );
});

Deno.test("every event renders inert and within the width", () => {
  const evil = "\x1b[2J\u202e漢字\r\n\x07";
  for (const event of sampleEvents({ prompt: evil.repeat(20), subAgents: 2 })) {
    for (const width of [20, 41]) {
      for (const line of renderStepText(event, width).split("\n")) {
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(line, /[\x00-\x1f\x7f-\x9f\u202e]/);
        assert.ok(displayWidth(line) <= width, `${event.type}: ${line}`);
      }
    }
  }
});

Deno.test("a Python entry shows code and output at once", () => {
  const entry = parseEntry({
    run_id: "1-abc",
    depth: 0,
    step: 2,
    event_type: "execution_result",
    code: "print(1)",
    output: "boom",
    hasError: true,
    usage: { total_tokens: 5, cost: 0.01 },
  });
  assert.ok(entry !== undefined);
  assert.equal(
    renderEntryText(entry, 60),
    "1-abc · step 2 · 5 tokens · $0.0100\n  │ print(1)\n  ✗ boom",
  );
});

Deno.test("a whole session reads in the order in which it happened", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 2, unlinked: [2], steps: 3 });
    const text = renderText(await openLog(directory, { readManifest: () => manifest }), 80);
    const heads = text.split("\n").filter((line) => /^\S+ · (step|answered)|^query/.test(line))
      .map((line) => line.split(" · ").slice(0, 2).join(" "));
    assert.deepEqual(heads, [
      "query 1 answered",
      "0 step 1",
      "0 step 2",
      "0.0 step 1",
      "0.0 step 2",
      "0.1 step 1",
      "0.1 step 2",
      "0 step 3",
      "query 2 answered",
    ]);
    assert.match(text, /\(not linked\)/);
    assert.match(text, /→ 6 guests/);
  });
});
