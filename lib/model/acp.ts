import { ModelError, unknownCall } from "./model_error.ts";
import type { ChatMessage, FinishReason, Model, ModelReply, ModelRequest } from "./model.ts";
import { type RpcConnection, rpcConnection, RpcError, type RpcHandlers } from "./json_rpc.ts";
import { amount, fields, oneCall } from "./read_usage.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { said } from "./read_reply.ts";
import { oneLine, scrub } from "./safe_text.ts";
import type { Usage } from "./usage.ts";

/** A running agent process. */
export interface AcpProcess {
  readonly input: WritableStream<Uint8Array>;
  readonly output: ReadableStream<Uint8Array>;
  /** An empty directory, the only one that the agent is told of. */
  readonly cwd: string;
  /** The last lines that it wrote to standard error. */
  complaint(): string;
  /** Ends the process and removes its directory. */
  stop(): Promise<void>;
}

/**
 * A coding agent (Claude Code, Codex, opencode, …) as a model, over the Agent Client Protocol.
 *
 * Every call starts the agent anew in an empty directory and gives it the whole conversation as one
 * prompt, so calls share nothing and may run in parallel. The agent is read-only as far as the
 * protocol goes: it is offered no file system and no terminal, every permission it asks for is
 * refused, and a `read-only` mode is chosen where it has one.
 */
export function acpModel(
  id: string,
  start: () => Promise<AcpProcess>,
  options: RetryOptions,
): Model {
  return {
    id,
    generate: (request) =>
      withRetries((signal) => ask(id, start, request, signal), {
        model: id,
        ...(request.signal ? { signal: request.signal } : {}),
        ...(request.onRetry ? { onRetry: request.onRetry } : {}),
      }, options),
  };
}

async function ask(
  id: string,
  start: () => Promise<AcpProcess>,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply> {
  const process = await start();
  const stop = (): void => void process.stop();
  signal.addEventListener("abort", stop, { once: true });
  const heard: Heard = { text: "", reasoning: "", cost: undefined };
  try {
    signal.throwIfAborted();
    const handlers = listen(heard, request.onText);
    const connection = rpcConnection(process.input, process.output, handlers);
    const result = fields(await converse(connection, process.cwd, flatten(request.messages)));
    const reason = result["stopReason"];
    const answer = said(heard.text, heard.reasoning, finishes.get(reason) ?? "other", false);
    const { calledTool: _, ...reply } = answer;
    const finish: FinishReason = reason === "refusal" ? "refused" : reply.finish;
    const usage = readUsage(result["usage"], heard.cost);
    if (
      reply.text.trim() === "" && !reply.reasoning && finish !== "length" && finish !== "refused"
    ) {
      throw new ModelError("model_empty", `Cannot use the reply of ${id}: it is empty`, {
        retryable: true,
        usage,
      });
    }
    return { ...reply, finish, usage };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ModelError ? error : failure(id, error, process, request);
  } finally {
    signal.removeEventListener("abort", stop);
    await process.stop();
  }
}

interface Heard {
  text: string;
  reasoning: string;
  cost: number | undefined;
}

const finishes: ReadonlyMap<unknown, string> = new Map([
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["max_turn_requests", "length"],
]);

async function converse(connection: RpcConnection, cwd: string, prompt: string): Promise<unknown> {
  await connection.call("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const session = fields(await connection.call("session/new", { cwd, mcpServers: [] }));
  const sessionId = session["sessionId"];
  const modes = fields(session["modes"])["availableModes"];
  if (Array.isArray(modes) && modes.some((mode) => fields(mode)["id"] === "read-only")) {
    await connection.call("session/set_mode", { sessionId, modeId: "read-only" });
  }
  return await connection.call("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: prompt }],
  });
}

function listen(heard: Heard, onText: ModelRequest["onText"]): RpcHandlers {
  return {
    request(method, params) {
      if (method !== "session/request_permission") {
        throw new RpcError(-32601, `${oneLine(method, 40)} is not offered`);
      }
      const options = fields(params)["options"];
      const refusal = (Array.isArray(options) ? options : []).map(fields)
        .find(({ kind }) => kind === "reject_once" || kind === "reject_always");
      return {
        outcome: refusal
          ? { outcome: "selected", optionId: refusal["optionId"] }
          : { outcome: "cancelled" },
      };
    },
    notification(method, params) {
      if (method !== "session/update") return;
      const update = fields(fields(params)["update"]);
      const text = fields(update["content"])["text"];
      if (update["sessionUpdate"] === "agent_message_chunk" && typeof text === "string") {
        heard.text += text;
        onText?.(text);
      } else if (update["sessionUpdate"] === "agent_thought_chunk" && typeof text === "string") {
        heard.reasoning += text;
      } else if (update["sessionUpdate"] === "usage_update") {
        const cost = fields(update["cost"]);
        if (cost["currency"] === "USD") heard.cost = amount(cost["amount"]);
      }
    },
  };
}

/** ACP counts cached and thought tokens apart; their sum is the total. */
function readUsage(value: unknown, cost: number | undefined): Usage {
  const usage = fields(value);
  const input = amount(usage["inputTokens"]);
  const output = amount(usage["outputTokens"]);
  const cached = amount(usage["cachedReadTokens"]);
  const thoughts = amount(usage["thoughtTokens"]);
  return oneCall({
    promptTokens: input === undefined
      ? undefined
      : input + (cached ?? 0) + (amount(usage["cachedWriteTokens"]) ?? 0),
    completionTokens: output === undefined ? undefined : output + (thoughts ?? 0),
    cachedTokens: cached,
    reasoningTokens: thoughts,
    totalTokens: amount(usage["totalTokens"]),
    cost,
  });
}

/** A conversation as one prompt. */
function flatten(messages: readonly ChatMessage[]): string {
  const [first, second] = messages;
  const rule = "Answer with text only, and use no tools of your own.";
  if (messages.length === 1 && first) return `${first.content}\n\n${rule}`;
  if (messages.length === 2 && first?.role === "system" && second) {
    return `${first.content}\n\n${rule}\n\n${second.content}`;
  }
  const turns = messages.map(({ role, content }) => `<${role}>\n${content}\n</${role}>`);
  return `${turns.join("\n\n")}\n\nGive the assistant's next message. ${rule}`;
}

function failure(
  id: string,
  error: unknown,
  process: AcpProcess,
  request: ModelRequest,
): ModelError {
  const secrets = { keys: [], prompt: request.messages.map((one) => one.content) };
  const why = scrub(error instanceof Error ? error.message : String(error), secrets, 200);
  if (error instanceof RpcError) {
    return error.code === -32000
      ? new ModelError(
        "model_auth",
        `Cannot use ${id}: ${why}; log in with the agent's own command`,
      )
      : new ModelError("model_server", `Cannot get a reply from ${id}: ${why}`, {
        usage: unknownCall,
      });
  }
  const complaint = scrub(process.complaint(), secrets, 200);
  return new ModelError(
    "model_server",
    `Cannot get a reply from ${id}: ${why}${complaint ? `: ${complaint}` : ""}`,
    { usage: unknownCall },
  );
}
