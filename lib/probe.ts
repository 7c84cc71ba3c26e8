import { grouped } from "./grouped.ts";
import type { ContextDescription } from "../repl/protocol.ts";
import { fenced } from "./fence.ts";

/** Characters of the task that are shown in full. */
export const TASK_CHARS = 4_000;

/** What the first message to an agent is made of. */
export interface ProbeOptions {
  readonly task: string;
  /** The context is the task itself: the prompt was given without material. */
  readonly taskIsContext: boolean;
  readonly description: ContextDescription;
  /** Name or extension of the context's source. */
  readonly source?: string;
}

/** Step 0: the task in full, and what the context looks like. */
export function probe(options: ProbeOptions): string {
  const { task, taskIsContext, description, source } = options;
  const cut = task.length > TASK_CHARS;
  const shown = cut ? task.slice(0, TASK_CHARS) : task;
  let text = `Task:\n${shown}`;
  if (cut) {
    text += `\n… (${grouped(task.length - TASK_CHARS)} more characters`;
    text += taskIsContext ? "; `context` holds it whole)" : ")";
  }
  if (taskIsContext) {
    return cut ? text : `${text}\n\n\`context\` holds this text; there is no other material.`;
  }
  return `${text}\n\n${contextLines(description, source)}`;
}

/** One line: type and source. */
export function contextLine(description: ContextDescription, source?: string): string {
  return `\`context\`: ${description.type}${source ? ` (${source})` : ""}`;
}

function contextLines(description: ContextDescription, source?: string): string {
  const head = contextLine(description, source);
  const [first, last] = description.lines;
  if (first === undefined) return head;
  if (!description.type.startsWith("string")) {
    return `${head}\n${fenced(description.lines.join("\n"))}`;
  }
  if (last === undefined) return `${head}, in full:\n${fenced(first)}`;
  return `${head}. It begins:\n${fenced(first)}\nand ends:\n${fenced(last)}`;
}
