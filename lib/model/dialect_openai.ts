import { type BodyError, type Dialect, type Piece, statusOf } from "./dialect.ts";
import { amount, fields } from "./read_usage.ts";

const text = (value: unknown): string => typeof value === "string" ? value : "";

function errorIn(body: unknown): BodyError | undefined {
  const whole = fields(body);
  const choice = fields(list(whole["choices"])[0]);
  // An empty error object beside a real answer says nothing.
  const error = [whole["error"], choice["error"], list(whole["errors"])[0]].find((one) =>
    typeof one === "string" ? one !== "" : Object.keys(fields(one)).length > 0
  );
  if (error === undefined) {
    if (choice["finish_reason"] === "error") {
      return { status: 502, reason: "the provider ended the reply with an error" };
    }
    const detail = whole["detail"] ?? whole["message"];
    return whole["choices"] === undefined && typeof detail === "string" && detail !== ""
      ? { status: statusOf(whole["status"], whole["code"], whole["type"]), reason: detail }
      : undefined;
  }
  if (typeof error === "string") return { status: statusOf(whole["status"]), reason: error };
  const told = fields(error);
  const metadata = fields(told["metadata"]);
  const code = [told["code"], told["type"]].find((one) => typeof one === "string");
  // OpenRouter puts the vendor's own words into metadata.raw.
  const raw = text(metadata["raw"]);
  const reason = [text(told["message"]), raw].filter(Boolean).join(": ");
  return {
    status: statusOf(told["code"], told["status"], told["type"], whole["status"]),
    reason: reason || text(code) || "error without a message",
    ...(typeof code === "string" ? { code } : {}),
  };
}

const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

/** Text of a `content` that may be a string or a list of parts, thinking parts apart. */
function contentOf(content: unknown): { text: string; reasoning: string } {
  if (typeof content === "string") return { text: content, reasoning: "" };
  let said = "";
  let reasoning = "";
  for (const part of list(content)) {
    const one = fields(part);
    const type = text(one["type"]);
    if (type === "thinking" || type === "reasoning") {
      const thinking = one["thinking"] ?? one["text"] ?? one["reasoning"];
      reasoning += typeof thinking === "string" ? thinking : contentOf(thinking).text;
    } else if (type === "text" || type === "output_text" || type === "") {
      said += typeof part === "string" ? part : text(one["text"]);
    } else if (type === "refusal") said += text(one["refusal"]);
  }
  return { text: said, reasoning };
}

function reasoningOf(message: Readonly<Record<string, unknown>>): string {
  const plain = text(message["reasoning_content"]) || text(message["reasoning"]);
  if (plain) return plain;
  return list(message["reasoning_details"]).map((detail) => {
    const one = fields(detail);
    return text(one["text"]) || text(one["summary"]);
  }).join("");
}

const calledTool = (message: Readonly<Record<string, unknown>>): boolean =>
  list(message["tool_calls"]).length > 0 || message["function_call"] != null;

const head = (body: Readonly<Record<string, unknown>>) => ({
  id: text(body["id"]) || "unnamed",
  created: amount(body["created"]) ?? 0,
  model: text(body["model"]) || "unnamed",
});

function usageIn(body: Readonly<Record<string, unknown>>): Pick<Piece, "usage"> {
  const usage = body["usage"] ?? fields(body["x_groq"])["usage"];
  return typeof usage === "object" && usage !== null
    ? { usage: usage as Record<string, unknown> }
    : {};
}

function whole(body: unknown): Piece | undefined {
  const answer = fields(body);
  const choice = fields(list(answer["choices"])[0]);
  const message = fields(choice["message"] ?? choice["delta"]);
  if (choice["message"] === undefined && choice["text"] === undefined) return undefined;
  const content = contentOf(message["content"] ?? choice["text"]);
  const refusal = text(message["refusal"]);
  const reasoning = reasoningOf(message) || content.reasoning;
  return {
    body: {
      ...head(answer),
      object: "chat.completion",
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: content.text + refusal,
          ...(reasoning ? { reasoning } : {}),
        },
        // A body that is whole ended by itself, also where nobody says so.
        finish_reason: text(choice["finish_reason"]) || "stop",
      }],
    },
    ...usageIn(answer),
    refused: refusal !== "",
    calledTool: calledTool(message),
    end: true,
  };
}

function event(body: unknown): Piece | undefined {
  const chunk = fields(body);
  const choice = fields(list(chunk["choices"])[0]);
  const message = fields(choice["delta"] ?? choice["message"]);
  const content = contentOf(message["content"] ?? choice["text"]);
  const refusal = text(message["refusal"]);
  const reasoning = reasoningOf(message) || content.reasoning;
  const finish = text(choice["finish_reason"]);
  const said = content.text + refusal;
  const usage = usageIn(chunk);
  return {
    body: {
      ...head(chunk),
      object: "chat.completion.chunk",
      choices: [{
        index: 0,
        delta: {
          role: "assistant",
          ...(said ? { content: said } : {}),
          ...(reasoning ? { reasoning } : {}),
        },
        finish_reason: finish || null,
      }],
    },
    ...usage,
    refused: refusal !== "",
    calledTool: calledTool(message),
    ...(finish ? { end: true } : {}),
    // Some servers send the usage so far with every chunk (vLLM: continuous_usage_stats).
    running: usage.usage !== undefined && said !== "",
  };
}

/** Chat completions: OpenAI, OpenRouter and what follows them. */
export const openAiDialect: Dialect = {
  errorIn,
  whole,
  event,
  ending: event({ choices: [{ delta: {}, finish_reason: "stop" }] })?.body,
};
