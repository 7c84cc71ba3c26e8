import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { generateCorpus } from "../../../lib/demo/corpus.ts";
import { besideDemo, playSession } from "../../../lib/demo/play.ts";
import { isExpected, QUESTIONS } from "../../../lib/demo/questions.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("the recording plays to the right answers and does not diverge from its prompts", async () => {
  const { truth } = generateCorpus();
  const said: string[] = [];
  const right: string[] = [];
  await withTempDir(async (sessionDir) => {
    const played = playSession({
      sessionDir,
      config: () => ({ primaryAgent: `replay:${besideDemo("recording.jsonl")}` }),
      onEvent: (event) => {
        if (event.type === "warning" && event.message.includes("diverged")) {
          said.push(event.message);
        }
      },
    });
    for await (const { question, result } of played) {
      if (isExpected(result.result, question.expected(truth))) right.push(question.id);
    }
  });
  deepStrictEqual(right, QUESTIONS.map(({ id }) => id));
  strictEqual(said.join("\n"), "", "prompts have changed: deno run -A lib/demo/record.ts");
});
