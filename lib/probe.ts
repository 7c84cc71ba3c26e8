import { grouped } from "../repl/grouped.ts";
import type { ContextDescription } from "../repl/protocol.ts";
import { fenced } from "./fence.ts";
import { inertLine } from "./inert_text.ts";

/** Characters of the task that are shown in full. */
export const TASK_CHARS = 4_000;

/** What the first message to an agent is made of. */
export interface ProbeOptions {
  readonly task: string;
  /** The context is the task itself: the prompt was given without material. */
  readonly taskIsContext: boolean;
  readonly description: ContextDescription;
  /** Name or path of the context's source; of a path the last part is shown. */
  readonly source?: string;
  /** The agent has an inventory of what it knows already: a glimpse of the context will do. */
  readonly resumed?: boolean;
}

/** Characters of a context that a resumed agent is shown. */
const GLIMPSE = 80;

/** Step 0: the task in full, and what the context looks like. */
export function probe(options: ProbeOptions): string {
  const { task, taskIsContext, description, source, resumed = false } = options;
  const cut = task.length > TASK_CHARS;
  const shown = cut ? task.slice(0, TASK_CHARS) : task;
  let text = `Task:\n${shown}`;
  if (cut) {
    text += `\n… (${grouped(task.length - TASK_CHARS)} more characters`;
    text += taskIsContext ? "; `context` holds it whole)" : ")";
  }
  if (taskIsContext) {
    const only = resumed
      ? "`context` holds this text: no other material came with this query."
      : "`context` holds this text; there is no other material.";
    return cut ? text : `${text}\n\n${only}`;
  }
  return `${text}\n\n${contextLines(description, source, resumed)}`;
}

/** One line: type and source. */
export function contextLine(description: ContextDescription, source?: string): string {
  const name = source?.split(/[\\/]/).at(-1);
  return `\`context\`: ${description.type}${name ? ` (${inertLine(name, 100)})` : ""}`;
}

function contextLines(
  description: ContextDescription,
  source: string | undefined,
  resumed: boolean,
): string {
  const head = contextLine(description, source);
  const [first, last] = description.lines;
  if (first === undefined) return head;
  if (!description.type.startsWith("string")) {
    return `${head}\n${fenced(description.lines.join("\n"))}`;
  }
  if (resumed && first.length > GLIMPSE) {
    return `${head}. It begins:\n${fenced(first.slice(0, GLIMPSE))}`;
  }
  if (last === undefined) return `${head}, in full:\n${fenced(first)}`;
  return `${head}. It begins:\n${fenced(first)}\nand ends:\n${fenced(last)}`;
}
