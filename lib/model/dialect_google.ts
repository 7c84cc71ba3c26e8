import { type BodyError, type Dialect, type Piece, statusOf } from "./dialect.ts";
import { fields } from "./read_usage.ts";

function errorIn(body: unknown): BodyError | undefined {
  // Vertex wraps the error of a stream into a list.
  const whole = fields(Array.isArray(body) ? body[0] : body);
  if (whole["error"] != null) {
    const error = fields(whole["error"]);
    const code = typeof error["status"] === "string" ? error["status"] : "";
    return {
      status: statusOf(error["code"], code),
      reason: typeof error["message"] === "string" ? error["message"] : code || "unnamed error",
      code,
      ...retryDelay(error["details"]),
    };
  }
  const blocked = fields(whole["promptFeedback"])["blockReason"];
  return typeof blocked === "string" && whole["candidates"] == null
    ? { status: 400, reason: `content filter: the prompt was blocked (${blocked})` }
    : undefined;
}

/** Google puts the wait into the body: `retryDelay: "34s"`. */
function retryDelay(details: unknown): { retryAfter?: string } {
  const delays = (Array.isArray(details) ? details : []).map((one) => fields(one)["retryDelay"]);
  const delay = delays.find((one) => typeof one === "string" && /^[\d.]+s$/.test(one));
  return typeof delay === "string" ? { retryAfter: delay.slice(0, -1) } : {};
}

function piece(body: unknown): Piece | undefined {
  const whole = fields(body);
  const usage = whole["usageMetadata"];
  const known = typeof usage === "object" && usage !== null;
  const candidate = Array.isArray(whole["candidates"]) ? fields(whole["candidates"][0]) : undefined;
  if (!candidate && !known) return undefined;
  const parts = fields(candidate?.["content"])["parts"];
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part) => {
    const { text, thought } = fields(part);
    return typeof text === "string" ? [{ text, ...(thought === true ? { thought } : {}) }] : [];
  });
  const finish = candidate?.["finishReason"];
  const calledTool = Array.isArray(parts) && parts.some((part) => fields(part)["functionCall"]);
  return {
    body: {
      candidates: [{
        content: { role: "model", parts: texts },
        ...(typeof finish === "string" ? { finishReason: finish } : {}),
      }],
    },
    ...(known ? { usage: usage as Record<string, unknown> } : {}),
    ...(typeof finish === "string" ? { end: true } : {}),
    running: known,
    calledTool,
  };
}

/** Gemini's generateContent, by Google AI and by Vertex. */
export const googleDialect: Dialect = {
  errorIn,
  whole: (body) => fields(body)["candidates"] == null ? undefined : piece(body),
  event: piece,
};
