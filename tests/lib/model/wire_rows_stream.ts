import { openAiReply, openAiStream } from "../../support/fake_replies.ts";
import { delta, error, event, ok, times, usage, type WireRow } from "./wire_row.ts";

/** Rows about streams. */
export const streams: WireRow[] = [
  { name: "a stream", answers: [openAiStream(["fi", "ne"])], text: ok, tokens: [11, 7] },
  {
    name: "a stream (OpenRouter)",
    answers: [openAiStream(["fi", "ne"])],
    router: true,
    text: ok,
    tokens: [11, 7],
  },
  {
    name: "a stream with a cost as string (OpenRouter) (E90)",
    answers: [openAiStream([ok], { ...usage, cost: "0.5" })],
    router: true,
    text: ok,
    tokens: [11, 7, undefined, undefined, 0.5],
  },
  {
    name: "a stream without usage (E88)",
    answers: [openAiStream([ok], null)],
    text: ok,
    tokens: [undefined, undefined],
    unknownCalls: 1,
  },
  {
    name: "a stream with usage null (OpenRouter) (E88)",
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
    name: "a stream cut in the middle is never half a reply (E96)",
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
