/**
 * Makes the demo's recording anew: `deno run -A lib/demo/record.ts`. It plays the replies that were
 * written by hand (`replies.ts`) through the real engine and records the calls. To be run whenever
 * prompts change: the recording holds a digest of each, and the demo says where they differ.
 *
 * @module
 */
import { besideDemo, playSession } from "./play.ts";
import { playedModel } from "./played_model.ts";
import { isExpected } from "./questions.ts";
import { generateCorpus } from "./corpus.ts";
import { REPLIES } from "./replies.ts";

/**
 * Records the session: the recording's text, the same every time.
 *
 * @throws {Error} when an answer is not the expected one
 */
export async function record(): Promise<string> {
  const { truth } = generateCorpus();
  const sessionDir = await Deno.makeTempDir();
  const file = await Deno.makeTempFile();
  try {
    const played = playSession({
      sessionDir,
      config: ({ id }) => ({ primaryAgent: playedModel(REPLIES[id] ?? {}), record: file }),
    });
    for await (const { question, result } of played) {
      if (!isExpected(result.result, question.expected(truth))) {
        throw new Error(`The answer to ${question.id} is wrong: ${JSON.stringify(result.result)}`);
      }
    }
    return inOrder(await Deno.readTextFile(file));
  } finally {
    await Deno.remove(sessionDir, { recursive: true });
    await Deno.remove(file);
  }
}

/** Calls that were under way at once end in any order: within a section they are put in theirs. */
function inOrder(recording: string): string {
  const sections: { header: string; calls: { line: string; agent: string; call: number }[] }[] = [];
  for (const line of recording.split("\n").filter((one) => one !== "")) {
    const { agent, call } = JSON.parse(line) as { agent?: string; call?: number };
    if (agent === undefined || call === undefined) sections.push({ header: line, calls: [] });
    else sections.at(-1)?.calls.push({ line, agent, call });
  }
  return sections.flatMap(({ header, calls }) => [
    header,
    ...calls
      .sort((a, b) => (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : a.call - b.call))
      .map(({ line }) => line),
  ]).join("\n") + "\n";
}

if (import.meta.main) {
  await Deno.writeTextFile(besideDemo("recording.jsonl"), await record());
}
