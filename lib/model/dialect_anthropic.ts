import { type BodyError, type Dialect, type Piece, statusOf } from "./dialect.ts";
import { fields } from "./read_usage.ts";

function errorIn(body: unknown): BodyError | undefined {
  const whole = fields(body);
  if (whole["type"] !== "error" && whole["error"] == null) return undefined;
  const error = fields(whole["error"]);
  const code = typeof error["type"] === "string" ? error["type"] : "";
  return {
    status: code === "api_error" ? 500 : statusOf(error["code"], code),
    reason: typeof error["message"] === "string" ? error["message"] : code || "unnamed error",
    code,
  };
}

/** Only text and thinking matter here, and the SDK refuses blocks that it does not know. */
function blocks(content: unknown): unknown[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): unknown[] => {
    const { type, text, thinking } = fields(block);
    if (type === "text") return [{ type, text: typeof text === "string" ? text : "" }];
    if (type === "thinking") {
      return [{ type, thinking: typeof thinking === "string" ? thinking : "", signature: "" }];
    }
    return [];
  });
}

const usageOf = (value: unknown): Pick<Piece, "usage"> =>
  typeof value === "object" && value !== null ? { usage: value as Record<string, unknown> } : {};

/** What the SDK's checks want to see; the real usage is read from the body itself. */
const placeholder = { input_tokens: 0, output_tokens: 0 };

const textOf = (value: unknown): string => typeof value === "string" ? value : "";

function whole(body: unknown): Piece | undefined {
  const message = fields(body);
  if (!Array.isArray(message["content"])) return undefined;
  const stop = textOf(message["stop_reason"]);
  return {
    body: {
      type: "message",
      id: textOf(message["id"]) || "unnamed",
      role: "assistant",
      model: textOf(message["model"]) || "unnamed",
      content: blocks(message["content"]),
      stop_reason: stop || "end_turn",
      stop_sequence: null,
      usage: placeholder,
    },
    ...usageOf(message["usage"]),
    refused: stop === "refusal",
    calledTool: stop === "tool_use",
    end: true,
  };
}

function event(body: unknown): Piece | undefined {
  const told = fields(body);
  const type = told["type"];
  switch (type) {
    case "message_start": {
      // The output count of the start is a placeholder.
      const { output_tokens: _, ...usage } = fields(fields(told["message"])["usage"]);
      const message = whole({ ...fields(told["message"]), content: [] });
      return { body: { type, message: { ...fields(message?.body), stop_reason: null } }, usage };
    }
    case "content_block_start":
    case "content_block_delta":
    case "content_block_stop":
      return blockEvent(type, told);
    case "message_delta": {
      const stop = textOf(fields(told["delta"])["stop_reason"]);
      const delta = { stop_reason: stop || null, stop_sequence: null };
      return {
        body: { type, delta, usage: placeholder },
        ...usageOf(told["usage"]),
        refused: stop === "refusal",
        calledTool: stop === "tool_use",
      };
    }
    case "message_stop":
      return { body: { type }, end: true };
    default:
      return undefined;
  }
}

function blockEvent(type: string, told: Readonly<Record<string, unknown>>): Piece | undefined {
  const { index } = told;
  if (typeof index !== "number") return undefined;
  if (type === "content_block_stop") return { body: { type, index } };
  if (type === "content_block_start") {
    const [content_block] = blocks([told["content_block"]]);
    return content_block ? { body: { type, index, content_block } } : undefined;
  }
  const { type: kind, text, thinking } = fields(told["delta"]);
  if (kind === "text_delta") {
    return { body: { type, index, delta: { type: kind, text: textOf(text) } } };
  }
  return kind === "thinking_delta"
    ? { body: { type, index, delta: { type: kind, thinking: textOf(thinking) } } }
    : undefined;
}

/** Anthropic's Messages API. */
export const anthropicDialect: Dialect = { errorIn, whole, event };
