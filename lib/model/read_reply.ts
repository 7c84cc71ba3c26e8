import { fields } from "./read_usage.ts";
import type { FinishReason } from "./model.ts";

/** A reply's parts, before its usage is known. */
export interface Said {
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly finish: FinishReason;
  /** The model called a tool that it was not given. */
  readonly calledTool: boolean;
}

const think = /^\s*<(think|thinking)>([\s\S]*?)(?:<\/\1>|$)/;

/**
 * Takes a leading `<think>` block out of `text`, as models behind plain servers put their reasoning
 * into the reply itself. One that is not closed is reasoning to its end.
 */
export function splitThinking(text: string): { text: string; reasoning: string } {
  const found = think.exec(text);
  if (!found) return { text, reasoning: "" };
  return {
    text: text.slice(found[0].length).replace(/^\s+/, ""),
    reasoning: (found[2] ?? "").trim(),
  };
}

/** The finish reason of an AI SDK result: V2 gives a string, later interfaces an object. */
export function readFinish(reason: unknown, refused: boolean): FinishReason {
  const told = fields(reason);
  const unified = typeof reason === "string" ? reason : told["unified"];
  const raw = typeof told["raw"] === "string" ? told["raw"] : "";
  if (refused || /refus/i.test(raw)) return "refused";
  if (unified === "length" || /^(?:max_|model_length|model_context)/i.test(raw)) return "length";
  if (unified === "content-filter") return "filtered";
  if (unified === "stop" || /^(?:eos|stop|end_turn|completed?$)/i.test(raw)) return "stop";
  return "other";
}

/** Joins the content parts of an AI SDK result. */
export function readContent(content: readonly unknown[], reason: unknown, refused: boolean): Said {
  let text = "";
  let reasoning = "";
  let calledTool = false;
  for (const part of content) {
    const one = fields(part);
    const said = typeof one["text"] === "string" ? one["text"] : "";
    if (one["type"] === "text") text += said;
    else if (one["type"] === "reasoning") reasoning += said;
    else if (one["type"] === "tool-call") calledTool = true;
  }
  return { ...said(text, reasoning, reason, refused), calledTool };
}

/** A reply from its joined text and reasoning. */
export function said(text: string, reasoning: string, reason: unknown, refused: boolean): Said {
  const split = splitThinking(text);
  return {
    text: split.text,
    reasoning: [reasoning, split.reasoning].filter(Boolean).join("\n") || undefined,
    finish: readFinish(reason, refused),
    calledTool: false,
  };
}
