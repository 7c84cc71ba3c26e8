/**
 * What travels between the host and a sandbox process: length-prefixed frames with a JSON header
 * and a raw body, so that large text is never escaped or parsed as code. The sandbox is hostile:
 * every frame carries the secret that the host gave its relay, lengths are bounded before anything
 * is allocated, and headers are checked field by field by whoever reads them.
 */
import type { DroppedName, Payload, Restorable, SweptFunction, SweptVariable } from "./snapshot.ts";

/** Bytes of the secret at the head of every frame. */
export const SECRET_BYTES = 16;
/**
 * Bytes that a host sends its relay first: the secret of what the relay sends, then that of what the
 * host sends. Whoever came to read the relay's input would still not know how to speak for it.
 */
export const SECRETS_BYTES = 2 * SECRET_BYTES;
/** Largest JSON header, bytes. */
export const MAX_HEADER_BYTES = 32 * 1024 * 1024;
/** Largest header of a call, bytes: its options are a schema, names and functions. */
export const MAX_CALL_HEADER_BYTES = 1024 * 1024;
/** Largest body, bytes: a context of 500 MB and room. */
export const MAX_BODY_BYTES = 1024 * 1024 * 1024;

/** How a body is encoded: raw UTF-8 text, devalue text, or nothing. */
export type Form = "text" | "value" | "none";

/** A frame off the pipe. */
export interface Frame {
  readonly header: Header;
  readonly headerBytes: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A header has a kind; the rest depends on it. */
export interface Header {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The pipe said something that is no frame of this sandbox. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

const PREFIX = SECRET_BYTES + 8;

/** The bytes before a body: secret, lengths, header. */
export function encodeHead(
  secret: Uint8Array,
  header: Header,
  bodyBytes: number,
): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(header));
  if (json.length > MAX_HEADER_BYTES) throw new ProtocolError("header is too long");
  if (bodyBytes > MAX_BODY_BYTES) throw new ProtocolError("body is too long");
  const head = new Uint8Array(PREFIX + json.length);
  head.set(secret, 0);
  const view = new DataView(head.buffer);
  view.setUint32(SECRET_BYTES, json.length);
  view.setUint32(SECRET_BYTES + 4, bodyBytes);
  head.set(json, PREFIX);
  return head;
}

/**
 * Takes what comes next off a pipe; undefined at its end. The bytes are good until the next call.
 */
export type Source = () => Promise<Uint8Array | undefined>;

/** The source that a stream is. */
export function sourceOf(stream: ReadableStream<Uint8Array>): Source {
  const reader = stream.getReader();
  return async () => (await reader.read()).value;
}

/**
 * Reads frames off a pipe. Ends quietly at the end of the stream between frames.
 *
 * @throws {ProtocolError} on a wrong secret, a length over its bound, or a header that is no object
 * with a kind.
 */
export async function* readFrames(
  source: Source,
  secret: Uint8Array,
): AsyncGenerator<Frame> {
  const bytes = new ByteReader(source);
  for (;;) {
    const prefix = bytes.now(PREFIX) ?? await bytes.take(PREFIX, true);
    if (prefix === undefined) return;
    for (let i = 0; i < SECRET_BYTES; i++) {
      if (prefix[i] !== secret[i]) throw new ProtocolError("frame without the secret");
    }
    const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
    const headerBytes = view.getUint32(SECRET_BYTES);
    const bodyBytes = view.getUint32(SECRET_BYTES + 4);
    if (headerBytes > MAX_HEADER_BYTES || bodyBytes > MAX_BODY_BYTES) {
      throw new ProtocolError(`frame of ${headerBytes} + ${bodyBytes} bytes is too long`);
    }
    const json = bytes.now(headerBytes) ?? await bytes.take(headerBytes);
    const body = bytes.now(bodyBytes) ?? await bytes.take(bodyBytes);
    yield { header: parseHeader(json!), headerBytes, body: body! };
  }
}

function parseHeader(json: Uint8Array): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw new ProtocolError("header is no JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    throw new ProtocolError("header is no object");
  }
  if (typeof (header as Header).kind !== "string") throw new ProtocolError("header has no kind");
  return header as Header;
}

/** Takes exactly n bytes at a time off a source; large takes are filled in place. */
class ByteReader {
  #rest: Uint8Array = new Uint8Array(0);

  constructor(private readonly source: Source) {}

  /** What is there already; undefined where that is less. Small frames need no wait but the first. */
  now(n: number): Uint8Array<ArrayBuffer> | undefined {
    if (this.#rest.length < n) return undefined;
    const out = this.#rest.slice(0, n) as Uint8Array<ArrayBuffer>;
    this.#rest = this.#rest.subarray(n);
    return out;
  }

  async take(n: number, mayEnd = false): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const out = new Uint8Array(n);
    for (let filled = 0; filled < n;) {
      if (this.#rest.length === 0) {
        const chunk = await this.source();
        if (chunk === undefined) {
          if (mayEnd && filled === 0) return undefined;
          throw new ProtocolError("the pipe ended inside a frame");
        }
        this.#rest = chunk;
      }
      const part = this.#rest.subarray(0, n - filled);
      out.set(part, filled);
      filled += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return out;
  }
}

/** What the host tells a worker about its REPL. */
export interface ReplSetup {
  /** Whether the agent may start sub-agents. */
  readonly recursive: boolean;
  /** Values it may see as `env`. */
  readonly env: Readonly<Record<string, string>>;
  /** Characters of output kept a step. */
  readonly maxOutput: number;
  /** Extension or kind of the context's source, shown in its description. */
  readonly source?: string;
  /** REPL functions handed to this agent by name, as self-contained source. */
  readonly functions?: Readonly<Record<string, string>>;
}

/** What an agent is told of a value: type, size, and a look. */
export interface ContextDescription {
  readonly type: string;
  /** Characters of a string, entries of a collection. */
  readonly size: number;
  /** Lines: keys, types, sizes, first and last characters. */
  readonly lines: readonly string[];
}

/** An error in a step, as the agent sees it. */
export interface StepError {
  readonly name: string;
  readonly message: string;
  /** Frames of agent code, innermost first. */
  readonly frames: readonly {
    readonly script: string;
    readonly fn: string;
    readonly line: number;
    readonly column: number;
  }[];
}

/** Output of a step: its head, its tail, and how much there was. */
export interface CapturedOutput {
  readonly head: string;
  readonly tail: string;
  readonly chars: number;
  readonly lines: number;
}

/** What a worker says of an evaluated step; a FINAL value is the frame's body. */
export interface StepReport {
  readonly output: CapturedOutput;
  readonly echo?: string;
  readonly error?: StepError;
  /** The synchronous part was interrupted by its time limit. */
  readonly interrupted?: boolean;
  readonly final?: { readonly form: Form; readonly loss: readonly string[] };
  /** Late failures, cancelled timers, undone overwrites: one line each. */
  readonly notices: readonly string[];
}

/** A snapshot without payload texts; the texts follow in the body, in this order. */
export interface SnapshotHeader {
  readonly variables: readonly SweptVariable[];
  readonly functions: readonly SweptFunction[];
  readonly dropped: readonly DroppedName[];
  readonly payloads: readonly (Omit<Payload, "text"> & { readonly sent: number })[];
}

/** What a restore needs of a snapshot. Payloads go by their place, their texts follow in the body. */
export interface RestoreHeader extends Pick<Restorable, "variables" | "functions"> {
  /** Bytes of each payload. */
  readonly sent: readonly number[];
}

/** Exit codes of a sandbox process that ended on purpose. */
export const SANDBOX_EXIT = {
  /** Code could not be interrupted within the time limit. */
  timeout: 91,
  /** More memory than allowed. */
  memory: 92,
  /** The host or the worker broke the protocol. */
  protocol: 93,
  /** The worker ended by itself. */
  workerGone: 94,
} as const;
