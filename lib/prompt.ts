/**
 * The fixed prompts. Every sentence is paid for on every call, so sections appear only where the
 * agent has what they speak of.
 */
import { grouped } from "./grouped.ts";

/** What an agent has, and so has to be told of. */
export interface PromptOptions {
  /** Whether it may start sub-agents; a leaf may not. */
  readonly recursive: boolean;
  /** Whether a later query will find what it builds. */
  readonly resumable: boolean;
  /** Characters of output it sees a step. */
  readonly truncateLen: number;
  /** One line a tool: signature and description. */
  readonly tools?: string;
  /** Functions that its parent handed to it: name and first line. */
  readonly functions?: readonly string[];
  /** Names it may read as `env`. */
  readonly env?: readonly string[];
  /** What FINAL must satisfy, as text. */
  readonly schema?: string;
  /** Standing instruction of the caller. */
  readonly instruction?: string;
}

const BASE = (truncateLen: number) =>
  `You solve a task by writing JavaScript for a REPL that holds the material as \`context\`. The context may be far larger than you can read: explore it with code (search, slice, parse, count) and print only what you need.

- Reply with one \`\`\`js block. It is run and its output comes back; above ${
    grouped(truncateLen)
  } characters you see its head and tail. The last expression is shown if nothing is printed.
- Variables, functions and classes persist between replies. Top-level await works. There are no imports, files or network.
- Look first, then compute; check an answer against the text before you give it. Do not guess what you can look up.
- \`FINAL(value)\` ends the task: a string, or any plain data when the task asks for data. Call it only when the value is known; put results into variables and pass those.`;

const DELEGATE = `

Sub-agents, for reading and judging where code cannot:
- \`await llm_complete(prompt)\` asks a model once: for a piece of up to some 50,000 characters; put the text into the prompt.
- \`await llm_query(context, {instruction})\` gives a sub-agent its own REPL over a larger piece and returns its FINAL value. It sees only what you pass.
- \`await batch_llm_query([{context, instruction}, …])\` runs many at once, in order; a failed one is an Error in its place.
All take \`schema\` (JSON Schema) for typed answers. Split what is large; do not pass on the whole context.`;

const COMPLETE = `
- \`await llm_complete(prompt)\` asks a model once, for reading a piece of text that you put into the prompt.`;

const RESUMABLE = `

This session is kept: a later query finds your variables, functions and classes. Build what is worth reusing under clear names, put a comment beside each, and call \`commit("name", "what it is")\` for the most useful.`;

/** The system prompt of an agent. */
export function systemPrompt(options: PromptOptions): string {
  let prompt = BASE(options.truncateLen);
  prompt += options.recursive ? DELEGATE : COMPLETE;
  if (options.resumable) prompt += RESUMABLE;
  if (options.tools) {
    prompt +=
      `\n\nTools (they run outside the REPL; await them, errors can be caught):\n${options.tools}`;
  }
  if (options.functions && options.functions.length > 0) {
    prompt += `\n\nFunctions defined in your REPL:\n${options.functions.join("\n")}`;
  }
  if (options.env && options.env.length > 0) {
    prompt += `\n\n\`env\` holds: ${options.env.join(", ")}.`;
  }
  if (options.schema) prompt += `\n\nFINAL's value must be of this type:\n${options.schema}`;
  if (options.instruction) prompt += `\n\nInstruction:\n${options.instruction}`;
  return prompt;
}
