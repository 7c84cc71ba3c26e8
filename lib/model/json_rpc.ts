import { fields } from "./read_usage.ts";

/** An error that the other side answered with. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the other side may ask or tell; throw `RpcError` to refuse. */
export interface RpcHandlers {
  request(method: string, params: unknown): unknown;
  notification(method: string, params: unknown): void;
}

/** One end of a JSON-RPC 2.0 conversation, one message a line. */
export interface RpcConnection {
  /** Gives the result; throws `RpcError` for an error answer, `Error` when the other side ended. */
  call(method: string, params: unknown): Promise<unknown>;
  /** Settles when the other side closed, or sent what is no message; pending calls are rejected. */
  readonly closed: Promise<void>;
}

/** The longest line that is read, in characters. */
const longestLine = 16 * 1024 * 1024;

/** Speaks JSON-RPC over two byte streams. Lines that are no JSON-RPC (logs, say) are skipped. */
export function rpcConnection(
  input: WritableStream<Uint8Array>,
  output: ReadableStream<Uint8Array>,
  handlers: RpcHandlers,
): RpcConnection {
  const writer = input.getWriter();
  const encoder = new TextEncoder();
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let nextId = 1;
  let ended = false;
  const send = (message: Record<string, unknown>): void => {
    const line = encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    // A pipe that broke shows itself at the reading end.
    writer.write(line).catch(() => {});
  };

  const answer = async (id: unknown, method: string, params: unknown): Promise<void> => {
    try {
      send({ id, result: (await handlers.request(method, params)) ?? null });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32603;
      send({ id, error: { code, message: error instanceof Error ? error.message : "failed" } });
    }
  };

  const receive = (line: string): void => {
    let message: Readonly<Record<string, unknown>>;
    try {
      message = fields(JSON.parse(line));
    } catch {
      return;
    }
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id === undefined) handlers.notification(method, params);
      else void answer(id, method, params);
      return;
    }
    const waiting = typeof id === "number" ? pending.get(id) : undefined;
    if (!waiting) return;
    pending.delete(id as number);
    if (message["error"] != null) {
      const { code, message: said, data } = fields(message["error"]);
      const more = fields(data)["message"] ?? fields(data)["details"];
      const text = [said, more].filter((one) => typeof one === "string").join(": ");
      waiting.reject(new RpcError(typeof code === "number" ? code : 0, text || "no reason given"));
    } else waiting.resolve(message["result"]);
  };

  const read = async (): Promise<void> => {
    let buffer = "";
    for await (const text of output.pipeThrough(new TextDecoderStream())) {
      buffer += text;
      let end: number;
      while ((end = buffer.indexOf("\n")) >= 0) {
        receive(buffer.slice(0, end));
        buffer = buffer.slice(end + 1);
      }
      if (buffer.length > longestLine) throw new Error("a line is too long");
    }
  };

  const closed = read().catch(() => {}).then(() => {
    ended = true;
    for (const { reject } of pending.values()) reject(new Error("the other side ended"));
    pending.clear();
    return writer.close().catch(() => {});
  });

  return {
    closed,
    call(method, params) {
      const waiting = Promise.withResolvers<unknown>();
      if (ended) waiting.reject(new Error("the other side ended"));
      else {
        const id = nextId++;
        pending.set(id, waiting);
        send({ id, method, params });
      }
      return waiting.promise;
    },
  };
}
