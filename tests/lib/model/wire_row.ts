import type { ErrorCode } from "../../../lib/errors.ts";
import type { FinishReason } from "../../../lib/model/model.ts";
import type { FakeAnswer, FakeReply } from "../../support/fake_model_server.ts";
import { openAiReply } from "../../support/fake_replies.ts";

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

/** The answer that rows give. */
export const ok = "fine";
/** Usage that rows give. */
export const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
/** An error answer. */
export const error = (
  status: number,
  message: string,
  more: Partial<FakeReply> = {},
): FakeReply => ({
  status,
  body: { error: { message } },
  ...more,
});
/** `value`, `count` times. */
export const times = <T>(count: number, value: T): T[] =>
  Array.from({ length: count }, () => value);
/** A reply with this usage. */
export const withUsage = (given: unknown): FakeReply => openAiReply(ok, { usage: given });
/** A server-sent event. */
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
/** An event with a piece of text. */
export const delta = (content: string, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

/** A moment 4 seconds after the fake clock's start. */
export const inFourSeconds = new Date(1_700_000_004_000).toUTCString();
