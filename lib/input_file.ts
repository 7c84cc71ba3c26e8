/**
 * A file, or standard input, as the context of a run. Text stays bytes from the file to the sandbox:
 * a context of 500 MB is never copied into a string on this side.
 *
 * @module
 */

import { RlmError } from "./errors.ts";
import { grouped } from "../repl/grouped.ts";
import { parseStructured, type StructuredFormat } from "./input_parse.ts";
import { showName } from "./show_value.ts";
import { checkUtf8, withoutByteOrderMark } from "./utf8.ts";

/** What a run is given as its context. */
export type ContextSource =
  /** Valid UTF-8 without a byte order mark. */
  | { readonly kind: "text"; readonly bytes: Uint8Array; readonly name: string }
  /** A parsed value. */
  | { readonly kind: "value"; readonly value: unknown; readonly name: string };

const FORMATS: Readonly<Record<string, StructuredFormat>> = {
  ".json": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
};

/** What reading an input needs from the world. */
export interface InputOptions {
  /** Bytes of context that are allowed. */
  readonly maxBytes: number;
  /** Standard input, read only for `-`. */
  readonly stdin: () => ReadableStream<Uint8Array>;
  /** Ends the reading; it is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Take the input as text, whatever its extension. */
  readonly as?: "text";
}

/** The format by a path's extension, in any case; undefined for text. */
export function formatOf(path: string): StructuredFormat | undefined {
  const extension = /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? "";
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}

/**
 * Reads the context of a run: JSON, YAML and JSON lines become values, everything else is text. A
 * byte order mark is taken off. UTF-16, bytes that are no UTF-8, and an input with nothing in it are
 * refused. Standard input (`-`) is always text.
 *
 * @throws {RlmError} `input`, naming the file and the way out
 */
export async function readInput(path: string, options: InputOptions): Promise<ContextSource> {
  const name = path === "-" ? "standard input" : path;
  const shown = showName(name);
  const raw = path === "-"
    ? await collect(options.stdin(), shown, options)
    : await readFileBytes(path, shown, options);
  const bytes = withoutByteOrderMark(raw);
  if (raw.length === 0) throw refused(shown, "it is empty");
  checkUtf8(raw, shown);
  if (bytes.length === 0) throw refused(shown, "it is empty but for a byte order mark");
  const format = path === "-" || options.as === "text" ? undefined : formatOf(path);
  if (format === undefined) return { kind: "text", bytes, name };
  return { kind: "value", value: await parseStructured(bytes, format, shown), name };
}

const refused = (shown: string, why: string): RlmError =>
  new RlmError("input", `Cannot use ${shown} as context: ${why}`);

const tooLarge = (shown: string, maxBytes: number): RlmError =>
  refused(
    shown,
    `it is larger than ${grouped(maxBytes / 1e6)} MB; raise --max-context`,
  );

async function readFileBytes(
  path: string,
  shown: string,
  options: InputOptions,
): Promise<Uint8Array> {
  let file: Deno.FsFile;
  let info: Deno.FileInfo;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    throw unreadable(path, shown, error);
  }
  try {
    info = await file.stat();
    if (info.isDirectory) throw refused(shown, "it is a directory; name a file");
    if (!info.isFile) return await collect(file.readable, shown, options);
    if (info.size > options.maxBytes) throw tooLarge(shown, options.maxBytes);
    // Files of unknown size (as in /proc) report 0.
    if (info.size === 0) return await collect(file.readable, shown, options);
    return await readSized(file, info.size, shown, options);
  } catch (error) {
    throw unreadable(path, shown, error);
  } finally {
    close(file);
  }
}

/** Reads into one buffer of the right size: no second copy, however large the file. */
async function readSized(
  file: Deno.FsFile,
  size: number,
  shown: string,
  options: InputOptions,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    options.signal?.throwIfAborted();
    const read = await file.read(buffer.subarray(length, length + (16 << 20)));
    if (read === null) return buffer.subarray(0, length);
    length += read;
  }
  if (await file.read(new Uint8Array(1)) !== null) {
    throw refused(shown, "it grew while it was read; try again");
  }
  return buffer;
}

/** Reads a stream of unknown length, up to the limit; characters may be split between its chunks. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  shown: string,
  options: InputOptions,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(64 << 10);
  let length = 0;
  const reader = stream.getReader();
  const onAbort = () => void reader.cancel(options.signal?.reason).catch(() => {});
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    while (true) {
      options.signal?.throwIfAborted();
      const { done, value } = await reader.read();
      options.signal?.throwIfAborted();
      if (done) return buffer.subarray(0, length);
      if (length + value.length > options.maxBytes) throw tooLarge(shown, options.maxBytes);
      if (length + value.length > buffer.length) {
        // `transfer` lets the system move the pages instead of copying them where it can.
        const room = Math.min(
          Math.max(buffer.length * 2, length + value.length),
          Math.max(options.maxBytes, length + value.length),
        );
        buffer = new Uint8Array(buffer.buffer.transfer(room));
      }
      buffer.set(value, length);
      length += value.length;
    }
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    await reader.cancel().catch(() => {});
  }
}

function close(file: Deno.FsFile): void {
  try {
    file.close();
  } catch {
    // The stream over it has closed it already.
  }
}

function unreadable(path: string, shown: string, error: unknown): unknown {
  if (error instanceof RlmError) return error;
  if (path.includes("\0")) return refused("a path with a NUL character", "no file can have it");
  if (error instanceof Deno.errors.NotFound) return refused(shown, "there is no such file");
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return refused(shown, "it may not be read; check its permissions");
  }
  if (error instanceof Deno.errors.IsADirectory) {
    return refused(shown, "it is a directory; name a file");
  }
  if (error instanceof Error && "code" in error) {
    return refused(shown, `it cannot be read (${String(error.code)})`);
  }
  return error;
}
