import { endOfFirstCode } from "./code_fence.ts";
import type { Dialect } from "./dialect.ts";
import type { CallInfo } from "./failures.ts";
import { type CallSettings, mergeBody } from "./kwargs.ts";
import type { Model, ModelReply, ModelRequest } from "./model.ts";
import { ModelError } from "./model_error.ts";
import { ModelPool } from "./model_pool.ts";
import { type CacheMarks, toPrompt } from "./prompt.ts";
import { adapt, isPlain, learn, noQuirks } from "./quirks.ts";
import { readContent, type Said, said } from "./read_reply.ts";
import { fields, isKnown, readSdkUsage } from "./read_usage.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { oneLine } from "./safe_text.ts";
import { fromSdkError } from "./sdk_error.ts";
import type { AiSdkLanguageModel, CallOptions, LanguageModelV4 } from "./sdk_types.ts";
import type { Usage } from "./usage.ts";
import { wireFetch } from "./wire.ts";
import { usageOf, type WireCall } from "./wire_call.ts";

/**
 * When a reply is stopped behind its first code block. `safe`: only where the provider has by then
 * told the usage of what it generated, so that no budget loses count (Gemini, and servers that send
 * usage with every chunk). `always`: also where the usage of the reply stays unknown. `never`.
 */
export type StopAtCode = "safe" | "always" | "never";

/** A provider as the engine calls it. */
export interface SdkProvider {
  /** Makes the SDK's model over a given `fetch`; its packages may still be loading. */
  readonly connect: Promise<(fetch: typeof globalThis.fetch) => AiSdkLanguageModel>;
  /** How to read the provider's wire; absent where the wire is out of reach. */
  readonly dialect?: Dialect;
  readonly cacheMarks?: CacheMarks;
  /** Keys that must not be shown. */
  readonly keys: readonly string[];
  readonly keyHint: string;
  readonly urlHint?: string;
}

/** What a model is made of, beside its provider. */
export interface SdkModelOptions extends RetryOptions {
  readonly settings: CallSettings;
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch;
  /** @default "safe" */
  readonly stopAtCode?: StopAtCode;
}

/**
 * A model behind an AI SDK provider. The provider's `doGenerate` and `doStream` are called without
 * the `ai` package around them: `generateText` adds nothing that is needed here, retries by rules of
 * its own, prints warnings, and costs 130 to 180 ms to import against 35 to 45 ms for a provider.
 */
export function sdkModel(id: string, provider: SdkProvider, options: SdkModelOptions): Model {
  const quirks = noQuirks();
  const send = options.fetch ?? globalThis.fetch;
  const models = new ModelPool();

  const oneTry = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const stopping = request.stopAtCode === true && options.stopAtCode !== "never";
    for (;;) {
      const streaming = (request.onText !== undefined || stopping) && !quirks.noStream;
      const info: CallInfo = {
        model: id,
        secrets: { keys: provider.keys, prompt: request.messages.map((one) => one.content) },
        keyHint: provider.keyHint,
        ...(provider.urlHint ? { urlHint: provider.urlHint } : {}),
        now: () => options.clock.now(),
      };
      try {
        return await callOnce(request, signal, streaming, info);
      } catch (error) {
        signal.throwIfAborted();
        const failure = error instanceof ModelError ? error : fromSdkError(error, info);
        if (!learn(quirks, failure, streaming)) throw failure;
      }
    }
  };

  const callOnce = async (
    request: ModelRequest,
    signal: AbortSignal,
    streaming: boolean,
    info: CallInfo,
  ): Promise<ModelReply> => {
    const connect = await provider.connect.catch((error) => {
      const why = oneLine(error instanceof Error ? error.message : String(error), 200);
      throw new ModelError("config", `Cannot load the package that calls ${id}: ${why}`);
    });
    const call = provider.dialect && newCall(provider.dialect, info);
    const callOptions = toCallOptions(request, signal);
    const run = (stream: boolean): Promise<Answer> =>
      models.use(
        connect,
        call ? wireFetch(send, call, stream) : send,
        (model) => (stream ? streamed : whole)(model, callOptions, request, call),
      );
    let answer: Answer;
    try {
      answer = await run(streaming);
    } catch (error) {
      signal.throwIfAborted();
      if (!call?.other) throw call?.failure ?? error;
      call.failure = undefined;
      answer = await run(!streaming).catch((second) => {
        throw call.failure ?? second;
      });
    }
    return finished(answer, call, info);
  };

  const newCall = (dialect: Dialect, info: CallInfo): WireCall => ({
    dialect,
    info,
    // A long conversation is not parsed and written again where nothing is to be changed.
    ...(isPlain(quirks) && Object.keys(options.settings.body).length === 0 ? {} : {
      patchBody: (body) => adapt(quirks, mergeBody(body, options.settings.body)),
    }),
    usage: undefined,
    running: false,
    refused: false,
    calledTool: false,
    failure: undefined,
    other: undefined,
  });

  const toCallOptions = (request: ModelRequest, signal: AbortSignal): CallOptions => {
    const limits = [request.maxOutputTokens, options.settings.maxOutputTokens]
      .filter((limit) => limit !== undefined);
    return {
      prompt: toPrompt(request.messages, provider.cacheMarks),
      ...options.settings.sdk,
      ...(limits.length > 0 ? { maxOutputTokens: Math.min(...limits) } : {}),
      ...(provider.dialect ? {} : providerOptions(options.settings.body)),
      abortSignal: signal,
    };
  };

  const mayStop = (call: WireCall | undefined): boolean =>
    options.stopAtCode === "always" ||
    (call !== undefined && call.running && isKnown(usageOf(call)));

  const streamed = async (
    model: LanguageModelV4,
    callOptions: CallOptions,
    request: ModelRequest,
    call: WireCall | undefined,
  ): Promise<Answer> => {
    const { stream } = await model.doStream(callOptions);
    const stopping = request.stopAtCode === true && options.stopAtCode !== "never";
    let text = "";
    let reasoning = "";
    let calledTool = false;
    let finish: unknown;
    let sdkUsage: Usage | undefined;
    for await (const part of stream) {
      if (part.type === "text-delta") {
        // Interface V2 calls the same field `delta` too; a provider may send an empty one.
        text += part.delta;
        if (part.delta) request.onText?.(part.delta);
        if (stopping && part.delta.includes("\n") && mayStop(call)) {
          const end = endOfFirstCode(said(text, "", "stop", false).text);
          // Leaving the loop cancels the stream, and with it the request.
          if (end !== undefined) return { ...cutAt(text, reasoning, end), sdkUsage: undefined };
        }
      } else if (part.type === "reasoning-delta") reasoning += part.delta;
      else if (part.type === "tool-call") calledTool = true;
      else if (part.type === "error") throw part.error;
      else if (part.type === "finish") {
        finish = part.finishReason;
        sdkUsage = readSdkUsage(part.usage, part.providerMetadata);
      }
    }
    // A provider may close its stream after an error without passing the error on.
    if (call?.failure) throw call.failure;
    const refused = call?.refused ?? false;
    return { ...said(text, reasoning, finish, refused), calledTool, sdkUsage };
  };

  return {
    id,
    generate: (request) =>
      withRetries(
        (signal) => oneTry(request, signal),
        { model: id, ...pick(request) },
        options,
      ),
  };
}

const pick = (request: ModelRequest): Pick<ModelRequest, "signal" | "onRetry"> => ({
  ...(request.signal ? { signal: request.signal } : {}),
  ...(request.onRetry ? { onRetry: request.onRetry } : {}),
});

interface Answer extends Said {
  /** Usage as the SDK tells it, for models whose wire is out of reach. */
  readonly sdkUsage: Usage | undefined;
}

function cutAt(text: string, reasoning: string, end: number): Said {
  const all = said(text, reasoning, "stop", false);
  return { ...all, text: all.text.slice(0, end) };
}

async function whole(
  model: LanguageModelV4,
  callOptions: CallOptions,
  request: ModelRequest,
  call: WireCall | undefined,
): Promise<Answer> {
  const result = await model.doGenerate(callOptions);
  const answer = readContent(result.content, result.finishReason, call?.refused ?? false);
  // Streaming was asked for where the server cannot: all comes at once.
  if (answer.text) request.onText?.(answer.text);
  return {
    ...answer,
    sdkUsage: readSdkUsage(result.usage, result.providerMetadata),
  };
}

/** What is left of `llmKwargs` goes to a model handed in by the user as provider options. */
function providerOptions(
  body: Readonly<Record<string, unknown>>,
): Pick<CallOptions, "providerOptions"> {
  const given = body["providerOptions"] ?? body["provider_options"];
  return Object.keys(fields(given)).length > 0
    ? { providerOptions: given as NonNullable<CallOptions["providerOptions"]> }
    : {};
}

function finished(answer: Answer, call: WireCall | undefined, info: CallInfo): ModelReply {
  const { calledTool, sdkUsage, ...reply } = answer;
  const usage = call ? usageOf(call) : sdkUsage ?? readSdkUsage(undefined, undefined);
  const ended = reply.finish === "stop" || reply.finish === "other";
  if (reply.text.trim() === "" && !reply.reasoning && !(calledTool || call?.calledTool) && ended) {
    throw new ModelError(
      "model_empty",
      `Cannot use the reply of ${info.model}: it is empty`,
      { retryable: true, usage },
    );
  }
  return { ...reply, usage };
}
