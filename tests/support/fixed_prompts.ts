/** The prompts as agents get them, with what they have, for counting tokens. */
import { compileSchema } from "../../lib/output_schema.ts";
import { probe } from "../../lib/probe.ts";
import { type PromptOptions, systemPrompt } from "../../lib/prompt.ts";
import { ToolSet } from "../../lib/tools.ts";

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

/** A schema of average size. */
const answers = {
  type: "array",
  items: {
    type: "object",
    properties: {
      guest: { type: "string" },
      episode: { type: "integer" },
      quotes: { type: "array", items: { type: "string" } },
    },
    required: ["guest", "episode", "quotes"],
  },
};

const search = Object.assign(
  ({ query, limit = 5 }: { query: string; limit?: number }) => [query, limit],
  { description: "Finds passages that match the query, best first" },
);

/** What a call costs in tokens that do not depend on the conversation. */
export async function fixedPrompts(): Promise<FixedPrompt[]> {
  const tools = (await ToolSet.create({ search })).describe();
  const schema = (await compileSchema(answers)).describe();
  return [
    { name: "root agent", text: text({}), limit: 1_000 },
    { name: "root agent of a session", text: text({ resumable: true }), limit: 1_000 },
    { name: "leaf", text: text({ recursive: false }), limit: 600 },
    { name: "root agent of a session, one tool", text: text({ resumable: true, tools }) },
    { name: "root agent of a session, a schema", text: text({ resumable: true, schema }) },
  ];
}
