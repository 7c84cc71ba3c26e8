import { basename, dirname, isAbsolute, join } from "@std/path";
import type { Manifest } from "../lib/session_format.ts";
import type { Entry } from "./entry.ts";
import type { Detail, LogModel, TranscriptModel } from "./model.ts";
import { queryOfLedger, queryOfTranscript, totalsOf } from "./queries.ts";
import { memoryOf } from "./memory.ts";
import { describeSkipped, EntryReader } from "./reader.ts";
import { TranscriptBuilder } from "./transcript.ts";

/** A log or session that cannot be opened or shown. The message is one line and names the path. */
export class LogError extends Error {
  override readonly name: string = "LogError";
}

/** Reads and checks a session's `state.json`; throws what is wrong with it. */
export type ReadManifest = (directory: string) => Manifest | Promise<Manifest>;

/** Options of `openLog`. */
export interface OpenOptions {
  /** Handed in: the log knows the types of a session and not its store. */
  readonly readManifest: ReadManifest;
  /**
   * What is held of a transcript; `auto` holds everything unless it is large.
   * @default "auto"
   */
  readonly detail?: Detail | "auto";
}

/** Bytes of transcripts up to which `detail: "auto"` holds everything. */
export const FULL_LIMIT = 64 * 1024 * 1024;

/** What a path holds. */
export type Target =
  | { readonly kind: "session"; readonly directory: string }
  | { readonly kind: "transcript"; readonly file: string }
  | { readonly kind: "directory"; readonly files: readonly string[] };

/**
 * Opens a session directory, its `state.json`, a transcript, or a directory of transcripts. Nothing
 * is written.
 *
 * @throws {LogError} where there is nothing to open; what `readManifest` throws
 */
export async function openLog(path: string, options: OpenOptions): Promise<LogModel> {
  const target = locate(path);
  if (target.kind === "session") return await openSession(path, target.directory, options);
  const files = target.kind === "transcript" ? [target.file] : target.files;
  const detail = detailFor(files, options.detail);
  const queries = files.map((file, index) =>
    queryOfTranscript(readTranscript(file, detail), index + 1)
  );
  const [first] = queries;
  if (target.kind === "transcript") refuseForeign(path, first?.transcript);
  return {
    kind: target.kind,
    path,
    format: target.kind === "transcript" ? first?.transcript?.format : undefined,
    engine: target.kind === "transcript" ? first?.transcript?.engine : undefined,
    queries,
    memory: undefined,
    totals: totalsOf(queries),
  };
}

/** A file that holds lines and not one entry is something else than a transcript. */
function refuseForeign(path: string, transcript: TranscriptModel | undefined): void {
  if (transcript === undefined || transcript.entries > 0 || transcript.skipped.count === 0) return;
  throw new LogError(
    `Cannot open ${path}: it is no transcript, ${describeSkipped(transcript.skipped)}`,
  );
}

/** Says what a path holds. @throws {LogError} where that is nothing to open */
export function locate(path: string): Target {
  const info = statOf(path);
  if (info === undefined) {
    throw new LogError(`Cannot open ${path}: there is no such file or directory`);
  }
  if (!info.isDirectory) {
    if (!info.isFile) throw new LogError(`Cannot open ${path}: it is no regular file`);
    return path.endsWith("state.json") && basename(path) === "state.json"
      ? { kind: "session", directory: dirname(path) }
      : { kind: "transcript", file: path };
  }
  const names = [...Deno.readDirSync(path)];
  if (names.some((entry) => entry.name === "state.json")) {
    return { kind: "session", directory: path };
  }
  const files = transcriptFiles(path, names);
  if (files.length > 0) return { kind: "directory", files };
  const below = names.filter((entry) =>
    entry.isDirectory && statOf(join(path, entry.name, "state.json")) !== undefined
  ).map((entry) => join(path, entry.name)).sort();
  throw new LogError(
    below.length === 0
      ? `Cannot open ${path}: it holds no state.json and no .jsonl transcript`
      : `Cannot open ${path}: it holds sessions, name one of them: ${below.slice(0, 5).join(", ")}`,
  );
}

/** Paths of the transcripts in a directory, by name; none where it cannot be read any more. */
export function transcriptsIn(directory: string): string[] {
  try {
    return transcriptFiles(directory, [...Deno.readDirSync(directory)]);
  } catch {
    return [];
  }
}

const transcriptFiles = (directory: string, entries: readonly Deno.DirEntry[]): string[] =>
  entries.filter((entry) => entry.isFile && entry.name.endsWith(".jsonl"))
    .map((entry) => join(directory, entry.name)).sort();

/**
 * Reads one transcript; what is kept of an entry, such as less of its texts, `change` may decide.
 *
 * @throws {LogError} where the file cannot be read
 */
export function readTranscript(
  path: string,
  detail: Detail,
  change: (entry: Entry) => Entry = (entry) => entry,
): TranscriptModel {
  const builder = new TranscriptBuilder(detail);
  const reader = new EntryReader((entry) => builder.add(change(entry)));
  try {
    reader.file(path);
  } catch (error) {
    throw new LogError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
  return builder.build(path, reader.skipped, reader.bytes);
}

/** Where a ledger's log lies, or why it is not to be opened. */
export function linkedFile(
  directory: string,
  log: string | undefined,
): { readonly file: string } | { readonly missing: string } {
  if (log === undefined) return { missing: "not linked" };
  const file = isAbsolute(log) ? log : join(directory, log);
  if (!file.endsWith(".jsonl")) return { missing: "not linked" };
  const info = statOf(file);
  if (info === undefined) return { missing: "file not found" };
  return info.isFile ? { file } : { missing: "no regular file" };
}

async function openSession(
  path: string,
  directory: string,
  options: OpenOptions,
): Promise<LogModel> {
  const manifest = await options.readManifest(directory);
  const links = manifest.queries.map((entry) => linkedFile(directory, entry.log));
  const files = links.flatMap((link) => "file" in link ? [link.file] : []);
  const detail = detailFor(files, options.detail);
  const queries = manifest.queries.map((entry, index) => {
    const link = links[index];
    if (link === undefined || "missing" in link) {
      return queryOfLedger(entry, undefined, link?.missing);
    }
    try {
      return queryOfLedger(entry, readTranscript(link.file, detail), undefined);
    } catch (error) {
      return queryOfLedger(entry, undefined, reasonOf(error));
    }
  });
  return {
    kind: "session",
    path,
    format: manifest.format,
    engine: manifest.engine,
    queries,
    memory: memoryOf(manifest),
    totals: totalsOf(queries),
  };
}

/** What is to be held of these transcripts. */
export function detailFor(
  files: readonly string[],
  detail: Detail | "auto" = "auto",
): Detail {
  if (detail !== "auto") return detail;
  const bytes = files.reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0);
  return bytes > FULL_LIMIT ? "counts" : "full";
}

/** What is at a path; undefined where there is nothing. */
export function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw new LogError(`Cannot open ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error);
