import type { ErrorCode } from "../../../lib/errors.ts";
import type { FinishReason } from "../../../lib/model/model.ts";
import type { FakeAnswer, FakeReply } from "../../support/fake_model_server.ts";
import { openAiReply, openAiStream } from "../../support/fake_replies.ts";

/** One row: what the server answers, and what must come of it. */
export interface WireRow {
  readonly name: string;
  readonly answers: readonly FakeAnswer[];
  /** Asks for a stream. */
  readonly stream?: boolean;
  /** Uses the OpenRouter provider; else the one for OpenAI-compatible endpoints. */
  readonly router?: boolean;
  readonly text?: string;
  readonly reasoning?: string;
  /** @default "stop" */
  readonly finish?: FinishReason;
  readonly error?: ErrorCode;
  /** The error's message must match. */
  readonly message?: RegExp;
  /** Requests that the server must have seen. @default 1 */
  readonly requests?: number;
  /** Waits between tries, in milliseconds. @default none */
  readonly waits?: readonly number[];
  /** Calls counted. @default 1 with an answer, 0 with an error */
  readonly calls?: number;
  readonly unknownCalls?: number;
  /** Prompt, completion, cached and reasoning tokens, and cost; checked where given. */
  readonly tokens?: readonly (number | undefined)[];
}

const ok = "fine";
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const error = (status: number, message: string, more: Partial<FakeReply> = {}): FakeReply => ({
  status,
  body: { error: { message } },
  ...more,
});
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const withUsage = (given: unknown): FakeReply => openAiReply(ok, { usage: given });
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (content: string, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

/** A moment 4 seconds after the fake clock's start. */
const inFourSeconds = new Date(1_700_000_004_000).toUTCString();

const retried: WireRow[] = [408, 409, 425, 429, 500, 502, 503, 504, 520, 529].map((status) => ({
  name: `${status} is tried again`,
  answers: [error(status, "later"), ok],
  text: ok,
  requests: 2,
  waits: [1000],
  calls: 1,
}));

const statuses: WireRow[] = [
  ...retried,
  {
    name: "500 four times ends the call, with the waits doubling",
    answers: times(4, error(500, "broken")),
    error: "model_server",
    message: /500: broken; gave up after 4 tries$/,
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "429 four times is rate limited",
    answers: times(4, error(429, "slow down")),
    error: "model_rate_limited",
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "retry-after in seconds is honoured",
    answers: [error(429, "x", { headers: { "retry-after": "2" } }), ok],
    text: ok,
    requests: 2,
    waits: [2000],
  },
  {
    name: "retry-after 0 is honoured",
    answers: [error(503, "x", { headers: { "retry-after": "0" } }), ok],
    text: ok,
    requests: 2,
    waits: [0],
  },
  {
    name: "retry-after as a date is honoured",
    answers: [error(429, "x", { headers: { "retry-after": inFourSeconds } }), ok],
    text: ok,
    requests: 2,
    waits: [4000],
  },
  {
    name: "retry-after in the past means now",
    answers: [error(429, "x", { headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } }), ok],
    text: ok,
    requests: 2,
    waits: [0],
  },
  {
    name: "retry-after-ms is honoured",
    answers: [error(429, "x", { headers: { "retry-after-ms": "1500" } }), ok],
    text: ok,
    requests: 2,
    waits: [1500],
  },
  {
    name: "an unreadable retry-after is ignored",
    answers: [error(429, "x", { headers: { "retry-after": "soon" } }), ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "retry-after of an hour fails at once, the wait stated",
    answers: [error(429, "x", { headers: { "retry-after": "3600" } })],
    error: "model_rate_limited",
    message: /asks to wait 3600 s, more than the 60 s/,
  },
  {
    name: "retry-after of exactly a minute is waited for",
    answers: [error(503, "x", { headers: { "retry-after": "60" } }), ok],
    text: ok,
    requests: 2,
    waits: [60_000],
  },
  {
    name: "429 without quota is a matter of credit, not of waiting",
    answers: [{
      status: 429,
      body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
    }],
    error: "model_credit",
  },
  {
    name: "400 gives the provider's reason, once",
    answers: [error(400, "temperature must be below 2")],
    error: "model_bad_request",
    message: /answered 400: temperature must be below 2$/,
  },
  ...[
    "This model's maximum context length is 8192 tokens",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (2000000) exceeds the maximum number of tokens allowed",
    "Please reduce the length of the messages",
  ].map((reason): WireRow => ({
    name: `400 "${reason.slice(0, 24)}…" is a context that is too long`,
    answers: [error(400, reason)],
    error: "model_context_too_long",
    message: /the prompt of 18 characters is longer than its context window/,
  })),
  {
    name: "413 is a context that is too long",
    answers: [{ status: 413, body: "Payload Too Large" }],
    error: "model_context_too_long",
  },
  {
    name: "401 names the variable",
    answers: [error(401, "Incorrect API key provided: key-0123456789abcdef")],
    error: "model_auth",
    message: /\[key\]; check RLM_MODEL_API_KEY/,
  },
  {
    name: "402 is not tried again",
    answers: [error(402, "Insufficient credits")],
    error: "model_credit",
    message: /add credit/,
  },
  { name: "403 is not tried again", answers: [error(403, "forbidden")], error: "model_auth" },
  {
    name: "403 of a moderation is a filter",
    answers: [error(403, "requires moderation, and your input was flagged")],
    error: "model_filtered",
  },
  {
    name: "403 over the key's limit is a matter of credit",
    answers: [error(403, "Key limit exceeded (total limit)")],
    error: "model_credit",
  },
  {
    name: "404 names the URL that was tried",
    answers: [{ status: 404, body: "nope" }],
    error: "model_not_found",
    message:
      /POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions answered 404: nope; check the model's name/,
  },
  {
    name: "404 with an HTML page does not print the page",
    answers: [{ status: 404, headers: { "content-type": "text/html" }, body: "<html><b>x</b>" }],
    error: "model_not_found",
    message: /404: an HTML page;/,
  },
  {
    name: "400 for an unknown model is a model not found",
    answers: [error(400, "foo/bar is not a valid model ID")],
    error: "model_not_found",
  },
  { name: "422 is a bad request", answers: [error(422, "x")], error: "model_bad_request" },
  {
    name: "an error body that is a string",
    answers: [{ status: 400, body: { error: "bad things" } }],
    error: "model_bad_request",
    message: /bad things/,
  },
  {
    name: "an error body of FastAPI",
    answers: [{ status: 400, body: { detail: "no such field" } }],
    error: "model_bad_request",
    message: /no such field/,
  },
  {
    name: "an error without a body",
    answers: times(4, { status: 502 }),
    error: "model_server",
    message: /answered 502; gave up/,
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "an error in escape sequences comes out inert and short",
    answers: [error(400, `\x1b]52;c;aGk=\x07\n\u202e${"x".repeat(5000)}`)],
    error: "model_bad_request",
    // deno-lint-ignore no-control-regex
    message: /^[^\u0000-\u001f\u202e]{1,500}$/,
  },
];

const bodies: WireRow[] = [
  {
    name: "200 with an error 502 is that error, and tried again",
    answers: [{ body: { error: { code: 502, message: "Provider returned error" } } }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "200 with an error 502, always",
    answers: times(4, { body: { error: { code: 502, message: "Provider returned error" } } }),
    error: "model_server",
    message: /answered 502: Provider returned error/,
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "200 with an error 429 in words",
    answers: [{ body: { error: { code: "rate_limit_exceeded", message: "x" } } }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "200 with an error 400 is not tried again",
    answers: [{ body: { error: { code: 400, message: "maximum context length" } } }],
    error: "model_context_too_long",
  },
  {
    name: "200 with an error 401",
    answers: [{ body: { error: { code: "invalid_api_key", message: "x" } } }],
    error: "model_auth",
  },
  {
    name: "200 with an error inside the choice",
    answers: [{
      body: {
        choices: [{
          message: { content: "half" },
          finish_reason: "error",
          error: { code: 503, message: "gone" },
        }],
      },
    }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "200 with finish_reason error",
    answers: [openAiReply("half", {}, {}, "error"), ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  { name: "error: null beside a reply", answers: [openAiReply(ok, { error: null })], text: ok },
  {
    name: "an empty body is tried again, and counted as it may have cost",
    answers: [{ body: "" }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
    unknownCalls: 1,
  },
  {
    name: "empty bodies four times",
    answers: times(4, { body: "  \n" }),
    error: "model_empty",
    message: /200 with an empty body/,
    requests: 4,
    waits: [1000, 2000, 4000],
    calls: 4,
  },
  {
    name: "no choices",
    answers: [{ body: { id: "x", choices: [] } }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "an empty reply is tried again and its tokens counted",
    answers: [openAiReply(""), ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
    tokens: [22, 14],
  },
  {
    name: "null content without reasoning",
    answers: times(4, openAiReply(null)),
    error: "model_empty",
    requests: 4,
    waits: [1000, 2000, 4000],
    calls: 4,
    tokens: [44, 28],
  },
  {
    name: "keep-alive comments before the JSON",
    answers: [{
      body: `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${
        JSON.stringify(openAiReply(ok).body)
      }`,
    }],
    text: ok,
    tokens: [11, 7],
  },
  {
    name: "white space around the JSON",
    answers: [{ body: `\ufeff\n  \n${JSON.stringify(openAiReply(ok).body)}\n\n` }],
    text: ok,
  },
  {
    name: "half a JSON is tried again",
    answers: [{ body: JSON.stringify(openAiReply(ok).body).slice(0, 40) }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "something else than JSON shows its start",
    answers: times(4, { body: "upstream said no" }),
    error: "model_unreadable",
    message: /no JSON, it starts with "upstream said no"/,
    requests: 4,
    waits: [1000, 2000, 4000],
    calls: 4,
  },
  {
    name: "a web page in place of an API",
    answers: [{ headers: { "content-type": "text/html" }, body: "<!doctype html><p>hi" }],
    error: "model_unreadable",
    message: /POST http:\/\/\S+\/v1\/chat\/completions answered with a web page.*\/v1/,
  },
  {
    name: "a socket closed before the answer",
    answers: [{ drop: true }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 1,
  },
  {
    name: "a socket closed in the middle of the body",
    answers: [{ ...openAiReply(ok), cutAfter: 60 }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
    unknownCalls: 1,
  },
  {
    name: "bytes that are no HTTP",
    answers: [{ raw: "SSH-2.0-OpenSSH_9.6\r\n" }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "a stream where none was asked for",
    answers: [openAiStream(["fi", "ne"])],
    text: ok,
    tokens: [11, 7],
  },
];

const usages: WireRow[] = [false, true].flatMap((router): WireRow[] => {
  const at = router ? " (OpenRouter)" : "";
  const row = (
    name: string,
    given: unknown,
    tokens: readonly (number | undefined)[],
    unknownCalls = 0,
  ): WireRow => ({
    name: `usage ${name}${at}`,
    answers: [withUsage(given)],
    router,
    text: ok,
    tokens,
    unknownCalls,
  });
  const none = [undefined, undefined, undefined, undefined, undefined];
  return [
    row("absent", undefined, none, 1),
    row("null", null, none, 1),
    row("empty", {}, none, 1),
    row(
      "of zeros is unknown",
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      none,
      1,
    ),
    row("partial", { prompt_tokens: 5 }, [5, undefined], 1),
    row("as strings", { prompt_tokens: "5", completion_tokens: "6" }, [5, 6]),
    row("as junk", { prompt_tokens: "x", completion_tokens: -1 }, none, 1),
    row("with details", {
      ...usage,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }, [11, 7, 4, 3]),
    row("with details null", { ...usage, prompt_tokens_details: null }, [11, 7, undefined]),
    row("with a cost", { ...usage, cost: 0.002 }, [11, 7, undefined, undefined, 0.002]),
    row("with a cost of 0", { ...usage, cost: 0 }, [11, 7, undefined, undefined, 0]),
    row("with a cost as string", { ...usage, cost: "0.001" }, [
      11,
      7,
      undefined,
      undefined,
      0.001,
    ]),
    row("with a cost null", { ...usage, cost: null }, [11, 7, undefined, undefined, undefined]),
    row("with a cost of junk", { ...usage, cost: {} }, [11, 7, undefined, undefined, undefined]),
    row("with a key of one's own", {
      ...usage,
      cost: 0.001,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.02 },
    }, [11, 7, undefined, undefined, 0.021]),
  ];
});

const replies: WireRow[] = [
  {
    name: "reasoning beside the text stays apart",
    answers: [openAiReply(ok, {}, { reasoning: "```js\nrm()\n```" })],
    text: ok,
    reasoning: "```js\nrm()\n```",
  },
  {
    name: "reasoning_content beside the text",
    answers: [openAiReply(ok, {}, { reasoning_content: "hm" })],
    text: ok,
    reasoning: "hm",
  },
  {
    name: "reasoning_details of an unknown kind (OpenRouter)",
    answers: [
      openAiReply(ok, {}, { reasoning_details: [{ type: "reasoning.new", summary: "hm" }] }),
    ],
    router: true,
    text: ok,
    reasoning: "hm",
  },
  {
    name: "only reasoning, cut by the output limit",
    answers: [openAiReply(null, {}, { reasoning: "```js\nx\n```" }, "length")],
    text: "",
    reasoning: "```js\nx\n```",
    finish: "length",
    tokens: [11, 7],
  },
  {
    name: "only reasoning_content, ended",
    answers: [openAiReply("", {}, { reasoning_content: "hm" })],
    text: "",
    reasoning: "hm",
  },
  {
    name: "a think block in the text",
    answers: [openAiReply("<think>\n```js\nx\n```\n</think>\n\nfine")],
    text: ok,
    reasoning: "```js\nx\n```",
  },
  {
    name: "a think block that is not closed",
    answers: [openAiReply("<think>hm", {}, {}, "length")],
    text: "",
    reasoning: "hm",
    finish: "length",
  },
  {
    name: "text in several parts",
    answers: [{
      body: {
        choices: [{
          message: {
            content: [{ type: "text", text: "fi" }, { type: "thinking", thinking: "hm" }, {
              type: "text",
              text: "ne",
            }],
          },
          finish_reason: "stop",
        }],
        usage,
      },
    }],
    text: ok,
    reasoning: "hm",
  },
  {
    name: "finish length",
    answers: [openAiReply(ok, {}, {}, "length")],
    text: ok,
    finish: "length",
  },
  {
    name: "finish content_filter",
    answers: [openAiReply("", {}, {}, "content_filter")],
    text: "",
    finish: "filtered",
  },
  { name: "finish null in a whole body", answers: [openAiReply(ok, {}, {}, null)], text: ok },
  { name: "finish eos", answers: [openAiReply(ok, {}, {}, "eos")], text: ok },
  ...[false, true].map((router): WireRow => ({
    name: `a refusal ${router}`,
    answers: [openAiReply(null, {}, { refusal: "I cannot help" })],
    router,
    text: "I cannot help",
    finish: "refused",
  })),
  {
    name: "a tool call that nobody offered",
    answers: [
      openAiReply(
        "",
        {},
        { tool_calls: [{ id: "1", function: { name: "py", arguments: "{}" } }] },
        "tool_calls",
      ),
    ],
    text: "",
    finish: "other",
  },
  {
    name: "a body with the least there can be",
    answers: [{ body: { choices: [{ message: { content: ok } }] } }],
    text: ok,
    unknownCalls: 1,
  },
];

const streams: WireRow[] = [
  { name: "a stream", answers: [openAiStream(["fi", "ne"])], text: ok, tokens: [11, 7] },
  {
    name: "a stream (OpenRouter)",
    answers: [openAiStream(["fi", "ne"])],
    router: true,
    text: ok,
    tokens: [11, 7],
  },
  {
    name: "a stream with a cost as string (OpenRouter)",
    answers: [openAiStream([ok], { ...usage, cost: "0.5" })],
    router: true,
    text: ok,
    tokens: [11, 7, undefined, undefined, 0.5],
  },
  {
    name: "a stream without usage",
    answers: [openAiStream([ok], null)],
    text: ok,
    tokens: [undefined, undefined],
    unknownCalls: 1,
  },
  {
    name: "a stream with usage null (OpenRouter)",
    answers: [{
      chunks: [
        event({ choices: [{ delta: { content: ok }, finish_reason: "stop" }], usage: null }),
        "data: [DONE]\n\n",
      ],
    }],
    router: true,
    text: ok,
    unknownCalls: 1,
  },
  {
    name: "a whole reply where a stream was asked for",
    answers: [openAiReply(ok)],
    text: ok,
    tokens: [11, 7],
  },
  {
    name: "a stream cut in the middle is never half a reply",
    answers: [{ chunks: [delta("half")], cutAfter: 50 }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "a stream that ends politely but early",
    answers: [{ chunks: [delta("half")] }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "an error in the middle of a stream",
    answers: [{ chunks: [delta("half"), event({ error: { code: 503, message: "gone" } })] }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "an error as the first event of a stream, final",
    answers: [{ chunks: [event({ error: { code: 402, message: "no money" } })] }],
    error: "model_credit",
    calls: 1,
  },
  {
    name: "a bare error under the type of a stream",
    answers: [{ chunks: ['{"error":{"code":402,"message":"no money"}}'] }],
    error: "model_credit",
  },
  {
    name: "an event that is no JSON",
    answers: [{ chunks: [delta("half"), "data: {oops\n\n"] }, ok],
    text: ok,
    requests: 2,
    waits: [1000],
    calls: 2,
  },
  {
    name: "events apart by CR LF, comments between",
    answers: [{
      chunks: [
        ": hi\r\n\r\n",
        delta("fi").replaceAll("\n", "\r\n"),
        ": hi\n\n",
        delta("ne", "stop"),
      ],
    }],
    text: ok,
    unknownCalls: 1,
  },
  {
    name: "a stream with reasoning",
    answers: [{
      chunks: [
        event({ choices: [{ delta: { reasoning_content: "hm" } }] }),
        delta(ok, "stop"),
      ],
    }],
    text: ok,
    reasoning: "hm",
    unknownCalls: 1,
  },
  {
    name: "a stream that says it is done, but not why",
    answers: [{ chunks: [delta(ok), "data: [DONE]\n\n"] }],
    text: ok,
    unknownCalls: 1,
  },
  {
    name: "an empty stream",
    answers: times(4, { chunks: ["data: [DONE]\n\n"] }),
    error: "model_empty",
    requests: 4,
    waits: [1000, 2000, 4000],
    calls: 4,
  },
  {
    name: "a stream refused with 429",
    answers: [error(429, "x", { headers: { "retry-after": "3" } }), openAiStream([ok])],
    text: ok,
    requests: 2,
    waits: [3000],
  },
  {
    name: "a server that knows no stream_options",
    answers: [error(400, "Unknown field: stream_options"), openAiStream([ok])],
    text: ok,
    requests: 2,
  },
  {
    name: "a server that cannot stream",
    answers: [error(400, "streaming is not supported"), openAiReply(ok)],
    text: ok,
    requests: 2,
  },
  {
    name: "a stream under another content type",
    answers: [{ body: delta(ok, "stop") + "data: [DONE]\n\n" }],
    text: ok,
    unknownCalls: 1,
  },
].map((row): WireRow => ({ ...row, stream: true }) as WireRow);

/** All rows. */
export const wireRows: readonly WireRow[] = [
  ...statuses,
  ...bodies,
  ...usages,
  ...replies,
  ...streams,
];
