import { chatReply } from "./fake_replies.ts";

/** One HTTP request as the fake server received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path with its query string. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly text: string;
  /** The body parsed as JSON; undefined when it is none. */
  readonly json: Record<string, unknown> | undefined;
}

/** One scripted answer. All waiting is under the test's control: nothing here sleeps. */
export interface FakeReply {
  /** @default 200 */
  readonly status?: number;
  /** Added to `content-type` (JSON, or what `body` is) and `connection: close`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Sent one by one as they resolve, chunked; for streams. */
  readonly chunks?: readonly (string | Promise<string>)[];
  /** Closes the socket after this many bytes of the body; the announced length stays whole. */
  readonly cutAfter?: number;
  /** Closes the socket without a single byte. */
  readonly drop?: boolean;
  /** Bytes that go on the socket in place of a response. */
  readonly raw?: string | Uint8Array;
  /** Answers only when this resolves. */
  readonly gate?: Promise<unknown>;
}

/** A reply, text for a chat reply in the shape the path asks for, or a function of the request. */
export type FakeAnswer =
  | string
  | FakeReply
  | ((request: ReceivedRequest) => string | FakeReply | Promise<string | FakeReply>);

/** A model server on loopback. */
export interface FakeModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** `http://127.0.0.1:PORT/v1`: what `RLM_MODEL_BASE_URL` holds. */
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Adds answers to the end of the script. */
  push(...answers: FakeAnswer[]): void;
  /** A `fetch` that sends whatever is asked of any host to this server, path kept. */
  readonly fetch: typeof fetch;
  /** Resolves once `count` requests have arrived. */
  untilRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Serves `answers` in order; when they run out it answers 418, which no client retries. Speaks raw
 * HTTP/1.1 so that sockets can be cut and bytes be wrong.
 */
export function startFakeModelServer(answers: readonly FakeAnswer[] = []): FakeModelServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const origin = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const script = [...answers];
  const requests: ReceivedRequest[] = [];
  const arrivals: { count: number; seen: () => void }[] = [];
  const open = new Set<Deno.Conn>();

  const answer = async (conn: Deno.Conn): Promise<void> => {
    open.add(conn);
    try {
      const request = await readRequest(conn);
      if (!request) return;
      requests.push(request);
      const scripted = script.shift() ??
        { status: 418, body: { error: { message: "script ran out" } } };
      for (const { count, seen } of arrivals) if (requests.length >= count) seen();
      const played = typeof scripted === "function" ? await scripted(request) : scripted;
      await writeReply(conn, typeof played === "string" ? chatReply(played, request) : played);
    } catch {
      // The client went away: that is its right.
    } finally {
      open.delete(conn);
      try {
        conn.close();
      } catch {
        // Closed by the other side or by close().
      }
    }
  };

  const serving = (async () => {
    for await (const conn of listener) void answer(conn);
  })();

  const close = async (): Promise<void> => {
    try {
      listener.close();
    } catch {
      return;
    }
    for (const conn of open) {
      try {
        conn.close();
      } catch {
        // Already closed.
      }
    }
    await serving.catch(() => {});
  };

  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    push: (...more) => void script.push(...more),
    fetch: (input, init) => {
      const asked = new URL(input instanceof Request ? input.url : String(input));
      return fetch(`${origin}${asked.pathname}${asked.search}`, init);
    },
    untilRequests: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((seen) => void arrivals.push({ count, seen })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readRequest(conn: Deno.Conn): Promise<ReceivedRequest | undefined> {
  let bytes = new Uint8Array(0);
  const buffer = new Uint8Array(65536);
  const more = async (): Promise<boolean> => {
    const count = await conn.read(buffer);
    if (count === null) return false;
    const joined = new Uint8Array(bytes.length + count);
    joined.set(bytes);
    joined.set(buffer.subarray(0, count), bytes.length);
    bytes = joined;
    return true;
  };
  let headEnd = -1;
  while ((headEnd = indexOfBlankLine(bytes)) < 0) if (!await more()) return undefined;
  const [first = "", ...lines] = decoder.decode(bytes.subarray(0, headEnd)).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = Number(headers["content-length"] ?? 0);
  while (bytes.length < headEnd + 4 + length) if (!await more()) return undefined;
  const text = decoder.decode(bytes.subarray(headEnd + 4, headEnd + 4 + length));
  const [method = "", path = ""] = first.split(" ");
  return { method, path, headers, text, json: parseObject(text) };
}

function indexOfBlankLine(bytes: Uint8Array): number {
  for (let i = 0; i + 3 < bytes.length; i++) {
    if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) {
      return i;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

async function writeReply(conn: Deno.Conn, reply: FakeReply): Promise<void> {
  await reply.gate;
  if (reply.drop) return;
  if (reply.raw !== undefined) {
    await writeAll(conn, typeof reply.raw === "string" ? encoder.encode(reply.raw) : reply.raw);
    return;
  }
  const status = reply.status ?? 200;
  const type = reply.chunks ? "text/event-stream" : "application/json";
  const headers: Record<string, string> = {
    "content-type": type,
    connection: "close",
    ...reply.headers,
  };
  const body = encoder.encode(
    typeof reply.body === "string"
      ? reply.body
      : reply.body === undefined
      ? ""
      : JSON.stringify(reply.body),
  );
  if (reply.chunks) headers["transfer-encoding"] = "chunked";
  else headers["content-length"] = String(body.length);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await writeAll(conn, encoder.encode(`HTTP/1.1 ${status} X\r\n${head}\r\n`));
  if (!reply.chunks) {
    await writeAll(conn, reply.cutAfter === undefined ? body : body.subarray(0, reply.cutAfter));
    return;
  }
  let sent = 0;
  for (const chunk of reply.chunks) {
    let data = encoder.encode(await chunk);
    const left = (reply.cutAfter ?? Infinity) - sent;
    if (data.length > left) data = data.subarray(0, left);
    sent += data.length;
    if (data.length > 0) {
      await writeAll(conn, encoder.encode(`${data.length.toString(16)}\r\n`));
      await writeAll(conn, data);
      await writeAll(conn, encoder.encode("\r\n"));
    }
    if (reply.cutAfter !== undefined && sent >= reply.cutAfter) return;
  }
  await writeAll(conn, encoder.encode("0\r\n\r\n"));
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) offset += await conn.write(bytes.subarray(offset));
}
