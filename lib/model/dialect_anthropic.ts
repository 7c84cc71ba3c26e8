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

function whole(body: unknown): Piece | undefined {
  const message = fields(body);
  if (!Array.isArray(message["content"])) return undefined;
  return {
    body: {
      type: "message",
      id: String(message["id"] ?? "unnamed"),
      role: "assistant",
      model: String(message["model"] ?? "unnamed"),
      content: blocks(message["content"]),
      stop_reason: message["stop_reason"] ?? "end_turn",
      stop_sequence: message["stop_sequence"] ?? null,
      usage: placeholder,
    },
    ...usageOf(message["usage"]),
    refused: message["stop_reason"] === "refusal",
    calledTool: message["stop_reason"] === "tool_use",
    end: true,
  };
}

function event(body: unknown): Piece | undefined {
  const told = fields(body);
  switch (told["type"]) {
    case "message_start": {
      const message = fields(told["message"]);
      const { output_tokens: _, ...usage } = fields(message["usage"]);
      return {
        body: { ...told, message: { ...message, content: [], usage: placeholder } },
        // The output count of the start is a placeholder.
        usage,
      };
    }
    case "message_delta": {
      const delta = fields(told["delta"]);
      return {
        body: { type: "message_delta", delta, usage: placeholder },
        ...usageOf(told["usage"]),
        refused: delta["stop_reason"] === "refusal",
        calledTool: delta["stop_reason"] === "tool_use",
      };
    }
    case "message_stop":
      return { body, end: true };
    case "ping":
    case undefined:
      return undefined;
    default:
      return { body };
  }
}

/** Anthropic's Messages API. */
export const anthropicDialect: Dialect = { errorIn, whole, event };
