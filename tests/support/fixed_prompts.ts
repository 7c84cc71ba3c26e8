/** The prompts as agents get them, with what they have, for counting tokens. */
import { probe } from "../../lib/probe.ts";
import { type PromptOptions, systemPrompt } from "../../lib/prompt.ts";

/** A prompt to count. */
export interface FixedPrompt {
  readonly name: string;
  readonly text: string;
  /** Most tokens it may have, where that is fixed. */
  readonly limit?: number;
}

const task = "Which guests spoke about the lighthouse, and in what order?";
const lines = [
  "# Episode 1: Where it began\n".padEnd(200, "Guests: Ada Lovelace, Alan Turing. "),
  "and that is where we leave it. ".repeat(7).slice(0, 200),
];
const description = { type: "string(1,204,331 characters, 18,204 lines)", size: 1_204_331, lines };
const text = (given: Partial<PromptOptions>): string => {
  const options = { recursive: true, resumable: false, truncateLen: 4_000, ...given };
  const first = probe({ task, taskIsContext: false, description, source: "text.txt" });
  return `${systemPrompt(options)}\n\n${first}`;
};

/** What a call costs in tokens that do not depend on the conversation. */
export function fixedPrompts(): FixedPrompt[] {
  const tools =
    "- tools.search(args: {query: string, limit?: number}): finds passages that match the query";
  return [
    { name: "root agent", text: text({}), limit: 1_000 },
    { name: "root agent of a session", text: text({ resumable: true }), limit: 1_000 },
    { name: "leaf", text: text({ recursive: false }), limit: 600 },
    { name: "root agent of a session, one tool", text: text({ resumable: true, tools }) },
    {
      name: "root agent of a session, a schema",
      text: text({ resumable: true, schema: '{"type":"array","items":{"type":"string"}}' }),
    },
  ];
}
