import type { FakeReply, ReceivedRequest } from "./fake_model_server.ts";

/** The usage that the ready-made replies carry: 11 prompt, 7 completion tokens. */
export const fakeUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** A reply with `text` in the shape that the request's path and `stream` ask for. */
export function chatReply(text: string, request: ReceivedRequest): FakeReply {
  if (request.path.includes("/messages")) {
    return request.json?.["stream"] === true ? anthropicStream([text]) : anthropicReply(text);
  }
  if (request.path.includes(":streamGenerateContent")) return geminiStream([text]);
  if (request.path.includes(":generateContent")) return geminiReply(text);
  return request.json?.["stream"] === true ? openAiStream([text]) : openAiReply(text);
}

/** A chat completion; `extra` is merged over its body, `message` over its message. */
export function openAiReply(
  text: string | null,
  extra: Record<string, unknown> = {},
  message: Record<string, unknown> = {},
  finish: string | null = "stop",
): FakeReply {
  return {
    body: {
      id: "gen-1",
      object: "chat.completion",
      created: 1,
      model: "fake",
      choices: [{
        index: 0,
        message: { role: "assistant", content: text, ...message },
        finish_reason: finish,
      }],
      usage: fakeUsage,
      ...extra,
    },
  };
}

const sse = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** A streamed chat completion, one chunk a text; `usage` null leaves it out. */
export function openAiStream(
  texts: readonly (string | Promise<string>)[],
  usage: unknown = fakeUsage,
  finish = "stop",
): FakeReply {
  const head = { id: "gen-1", object: "chat.completion.chunk", created: 1, model: "fake" };
  const chunk = (delta: unknown, finish_reason: string | null = null): string =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  const say = (content: string): string => chunk({ role: "assistant", content });
  return {
    chunks: [
      ": OPENROUTER PROCESSING\n\n",
      ...texts.map((text) => typeof text === "string" ? say(text) : text.then(say)),
      chunk({}, finish),
      ...(usage === null ? [] : [sse({ ...head, choices: [], usage })]),
      "data: [DONE]\n\n",
    ],
  };
}

/** An Anthropic message; `extra` is merged over its body. */
export function anthropicReply(text: string, extra: Record<string, unknown> = {}): FakeReply {
  return {
    body: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-fake",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 11, output_tokens: 7 },
      ...extra,
    },
  };
}

/** A streamed Anthropic message. */
export function anthropicStream(texts: readonly string[]): FakeReply {
  const event = (value: Record<string, unknown> & { type: string }): string =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const { body } = anthropicReply("", {
    content: [],
    stop_reason: null,
    usage: { input_tokens: 11, output_tokens: 1 },
  });
  const block = (value: Record<string, unknown> & { type: string }): string =>
    event({ index: 0, ...value });
  return {
    chunks: [
      event({ type: "message_start", message: body }),
      block({ type: "content_block_start", content_block: { type: "text", text: "" } }),
      event({ type: "ping" }),
      ...texts.map((text) =>
        block({ type: "content_block_delta", delta: { type: "text_delta", text } })
      ),
      block({ type: "content_block_stop" }),
      event({
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 7 },
      }),
      event({ type: "message_stop" }),
    ],
  };
}

const geminiBody = (text: string, finish: string | undefined, output: number): unknown => ({
  candidates: [{
    content: { role: "model", parts: [{ text }] },
    ...(finish ? { finishReason: finish } : {}),
    index: 0,
  }],
  usageMetadata: {
    promptTokenCount: 11,
    candidatesTokenCount: output,
    totalTokenCount: 11 + output,
  },
});

/** A Gemini reply. */
export function geminiReply(text: string, finish = "STOP"): FakeReply {
  return { body: geminiBody(text, finish, 7) };
}

/** A streamed Gemini reply: every chunk carries the usage so far. */
export function geminiStream(texts: readonly (string | Promise<string>)[]): FakeReply {
  const chunk = (text: string, at: number): string =>
    sse(geminiBody(text, at === texts.length - 1 ? "STOP" : undefined, at + 1));
  return {
    chunks: texts.map((text, at) =>
      typeof text === "string" ? chunk(text, at) : text.then((late) => chunk(late, at))
    ),
  };
}
