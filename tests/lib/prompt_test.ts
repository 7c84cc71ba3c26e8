import assert from "node:assert/strict";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { systemPrompt } from "../../lib/prompt.ts";
import { fixedPrompts } from "../support/fixed_prompts.ts";

const count = (text: string): number => encode(text).length;
const plain = { recursive: true, resumable: false, truncateLen: 4_000 };

Deno.test("the prompts that every call pays for stay small (tokens are printed)", async () => {
  const over: string[] = [];
  const table: string[] = [];
  for (const { name, text, limit } of await fixedPrompts()) {
    const tokens = count(text);
    table.push(`  ${name}: ${tokens} tokens${limit === undefined ? "" : `, at most ${limit}`}`);
    if (limit !== undefined && tokens > limit) over.push(name);
  }
  // deno-lint-ignore no-console -- these figures are what the README shows
  console.log(table.join("\n"));
  assert.deepEqual(over, []);
});

Deno.test("an agent is told only of what it has", () => {
  const all = {
    ...plain,
    resumable: true,
    tools: "- tools.search(query)",
    functions: ["parse(text)"],
    env: ["REGION"],
    schema: "string[]",
    instruction: "Answer in French.",
  };
  const told = systemPrompt(all);
  const bare = systemPrompt({ ...plain, recursive: false });
  const parts = [
    "batch_llm_query",
    "commit(",
    "tools.search",
    "parse(text)",
    "REGION",
    "string[]",
    "Answer in French.",
  ];
  for (const part of parts) {
    assert.ok(told.includes(part), part);
    assert.ok(!bare.includes(part), part);
  }
  assert.ok(!bare.includes("llm_query"), "a leaf cannot start sub-agents");
  assert.ok(bare.includes("llm_complete("));
});

Deno.test("what a caller adds stands behind what is the same for all, so that caches hit", () => {
  const one = systemPrompt({ ...plain, instruction: "Be brief." });
  const other = systemPrompt({ ...plain, instruction: "Be thorough." });
  const same = systemPrompt(plain);
  assert.ok(one.startsWith(same));
  assert.ok(other.startsWith(same));
});
