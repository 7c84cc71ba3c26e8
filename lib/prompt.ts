/**
 * The fixed prompts. Every sentence is paid for on every call, so sections appear only where the
 * agent has what they speak of.
 */
import { grouped } from "../repl/grouped.ts";

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
  `You solve a task by writing JavaScript for a REPL that holds the material as \`context\`. It may be far larger than you can read: explore it with code and print only what you need.

- Reply with one \`\`\`js block; it runs and its output comes back: above ${
    grouped(truncateLen)
  } characters its head and tail, without any the value of the last expression.
- Variables, functions and classes persist. Top-level await works. No imports, files or network.
- Look first, then compute; check an answer against the text.
- \`FINAL(value)\` ends the task: a string, or plain data if data is asked for. Pass it what you know to be right.`;

const DELEGATE = `

Where code cannot judge:
- \`await llm_complete(prompt)\` asks a model once about text that you put into the prompt, up to some 50,000 characters.
- \`await llm_query(context, {instruction})\` gives a sub-agent its own REPL over a larger piece and returns its FINAL value. It sees only what you pass.
- \`await batch_llm_query([{context, instruction}, …])\` runs many at once, in order; a failed one is an Error in its place.
All take \`schema\` (JSON Schema) for typed answers.`;

const COMPLETE = `
- \`await llm_complete(prompt)\` asks a model once about text that you put into the prompt.`;

const RESUMABLE = `

Later queries find your variables, functions and classes: give what is worth reusing a clear name and a comment, and \`commit("name", "what it is")\` the most useful.`;

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
