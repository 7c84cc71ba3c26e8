import { openAiReply } from "../../support/fake_replies.ts";
import { ok, usage, type WireRow } from "./wire_row.ts";

/** Rows about whole replies. */
export const replies: WireRow[] = [
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
    name: "only reasoning, cut by the output limit (E93)",
    answers: [openAiReply(null, {}, { reasoning: "```js\nx\n```" }, "length")],
    text: "",
    reasoning: "```js\nx\n```",
    finish: "length",
    tokens: [11, 7],
  },
  {
    name: "only reasoning_content, ended (E93)",
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
