import { RlmError } from "../errors.ts";
import type { ChatMessage, Model, ModelReply, ModelRequest } from "./model.ts";

/** Version of the format that this module writes and reads. */
export const recordingVersion = 1;

/**
 * First line of a section. A recording is JSON lines: sections, one for each run, each a header
 * followed by the run's calls in the order in which they ended.
 */
export interface RecordingHeader {
  readonly recording: "fast-rlm";
  readonly version: number;
  /** SHA-256 of the query's text; absent where the recorder was not told. */
  readonly query?: string;
  /** Tells runs of one query apart. */
  readonly runKey?: string;
}

/** One call. */
export interface RecordedCall {
  /** The agent's path. */
  readonly agent: string;
  /** The call's number within the agent, from 1. */
  readonly call: number;
  readonly model: string;
  /** SHA-256 of the messages' roles and contents. */
  readonly digest: string;
  /** Sizes of the request, for readers: number of messages and characters of content. */
  readonly messages: number;
  readonly chars: number;
  /** The reply, or the error in its place. */
  readonly reply?: ModelReply;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Names a run in a recording. */
export interface RunRef {
  /** The query's text. */
  readonly query?: string;
  /** What tells runs of the same query apart, for example the query's number in its session. */
  readonly runKey?: string;
}

/** Takes one line, without its line break. */
export type WriteLine = (line: string) => Promise<void> | void;

/**
 * Starts a section of a recording: gives a function that wraps models so that each of their calls
 * becomes a line. Wrap all models of a run with the same one. Lines are written one after another;
 * a call's promise waits for its line. No prompt is written, only its digest and size; an aborted
 * call is not written.
 */
export function recorder(write: WriteLine, run: RunRef = {}): (model: Model) => Model {
  let tail: Promise<void> | undefined;
  const line = (value: unknown): Promise<void> => {
    const text = JSON.stringify(value);
    const written = (tail ?? Promise.resolve()).then(() => write(text));
    tail = written.catch(() => {});
    return written;
  };
  const begin = async (): Promise<void> => {
    const header: RecordingHeader = {
      recording: "fast-rlm",
      version: recordingVersion,
      ...(run.query === undefined ? {} : { query: await sha256(run.query) }),
      ...(run.runKey === undefined ? {} : { runKey: run.runKey }),
    };
    await line(header);
  };
  let begun: Promise<void> | undefined;
  const record = async (
    model: Model,
    request: ModelRequest,
    outcome: Pick<RecordedCall, "reply" | "error">,
  ): Promise<void> => {
    await (begun ??= begin());
    const call: RecordedCall = {
      agent: request.caller.agent,
      call: request.caller.call,
      model: model.id,
      digest: await digestOf(request.messages),
      messages: request.messages.length,
      chars: request.messages.reduce((total, one) => total + one.content.length, 0),
      ...outcome,
    };
    await line(call);
  };

  return (model) => ({
    id: model.id,
    ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
    async generate(request) {
      let reply: ModelReply;
      try {
        reply = await model.generate(request);
      } catch (error) {
        if (error instanceof RlmError && !request.signal?.aborted) {
          const { code, message } = error;
          await record(model, request, { error: { code, message } });
        }
        throw error;
      }
      await record(model, request, { reply });
      return reply;
    },
  });
}

/** Records the calls of one model, as `recorder` does. */
export function recordingModel(model: Model, write: WriteLine, run: RunRef = {}): Model {
  return recorder(write, run)(model);
}

/** SHA-256 of a conversation, over roles and contents only. */
export function digestOf(messages: readonly ChatMessage[]): Promise<string> {
  return sha256(JSON.stringify(messages.map(({ role, content }) => [role, content])));
}

/** SHA-256 of a text's UTF-8, as lower-case hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
