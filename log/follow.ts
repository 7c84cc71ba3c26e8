import type { Manifest } from "../lib/session_format.ts";
import type { Entry } from "./entry.ts";
import { memoryOf } from "./memory.ts";
import type { Detail, LogModel, TranscriptModel } from "./model.ts";
import { detailFor, linkedFile, locate, type ReadManifest, statOf, transcriptsIn } from "./open.ts";
import { queryOfLedger, queryOfTranscript, totalsOf } from "./queries.ts";
import { EntryReader } from "./reader.ts";
import { TranscriptBuilder } from "./transcript.ts";

/** The part of a clock that following needs. */
export interface FollowClock {
  /** Resolves after `ms` milliseconds; rejects when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Options of `followLog`. */
export interface FollowOptions {
  readonly readManifest: ReadManifest;
  readonly clock: FollowClock;
  /** Ends the following, without an error. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two looks. @default 500 */
  readonly intervalMs?: number;
  /** As for `openLog`. @default "counts" */
  readonly detail?: Detail | "auto";
}

/** What is new since the last update. */
export interface FollowUpdate {
  readonly model: LogModel;
  /** New entries, in the order of their files. */
  readonly entries: readonly { readonly entry: Entry; readonly query: number }[];
}

/**
 * Follows a session or a transcript while it is written: yields its model at once and after every
 * change. A line is taken when it is whole. Following a transcript ends with its run; a session, and a
 * directory with the transcripts that come into it, only with the signal.
 *
 * @throws {LogError} where there is nothing to follow; what `readManifest` throws at the first look
 */
export async function* followLog(
  path: string,
  options: FollowOptions,
): AsyncGenerator<FollowUpdate, void, void> {
  const target = locate(path);
  const asked = options.detail ?? "counts";
  const files = target.kind === "transcript"
    ? [target.file]
    : target.kind === "directory"
    ? target.files
    : [];
  const follower: Follower = target.kind === "session"
    ? new SessionFollower(path, target.directory, asked, options.readManifest)
    : new FileFollower(path, files, target.kind, detailFor(files, asked));
  for (let first = true;; first = false) {
    const update = await follower.look(first);
    if (update !== undefined) yield update;
    if (isAborted(options.signal)) return;
    if (follower.behind) continue;
    if (follower.done) return;
    try {
      await options.clock.sleep(options.intervalMs ?? 500, options.signal);
    } catch (error) {
      if (isAborted(options.signal)) return;
      throw error;
    }
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

interface Follower {
  readonly done: boolean;
  /** Whether more was written than the last look took. */
  readonly behind: boolean;
  look(first: boolean): Promise<FollowUpdate | undefined>;
}

type NewEntries = { readonly entry: Entry; readonly query: number }[];

/** Bytes that one look takes of a file: what is new is handed on before the next are read. */
const LOOK_BYTES = 8 * 1024 * 1024;

/** Reads on where it stopped. A file that became shorter was replaced, and is read from its start. */
class Tail {
  readonly file: string;
  readonly #detail: Detail;
  #builder: TranscriptBuilder;
  #reader: EntryReader;
  #new: Entry[] = [];
  #model: TranscriptModel | undefined;
  #isOurs = false;
  #answered = false;
  ended = false;
  behind = false;

  constructor(file: string, detail: Detail) {
    this.file = file;
    this.#detail = detail;
    this.#builder = new TranscriptBuilder(detail);
    this.#reader = this.#makeReader();
  }

  /** What was written since the last look. */
  look(): Entry[] {
    const size = statOf(this.file)?.size ?? 0;
    if (size < this.#reader.bytes) {
      this.#builder = new TranscriptBuilder(this.#detail);
      this.#model = undefined;
      this.#reader = this.#makeReader();
      this.#isOurs = false;
      this.#answered = false;
      this.ended = false;
    }
    if (size > this.#reader.bytes) {
      using file = Deno.openSync(this.file, { read: true });
      file.seekSync(this.#reader.bytes, Deno.SeekMode.Start);
      this.#reader.drain(file, LOOK_BYTES);
    }
    this.behind = size > this.#reader.bytes;
    const entries = this.#new;
    // A Python log has no run_end: it ends with the root's answer, or an entry soon after it.
    if (this.#answered && entries.length === 0 && !this.behind) this.ended = true;
    if (entries.length > 0) this.#model = undefined;
    this.#new = [];
    return entries;
  }

  model(): TranscriptModel {
    this.#model ??= this.#builder.build(this.file, this.#reader.skipped, this.#reader.bytes);
    return this.#model;
  }

  #makeReader(): EntryReader {
    return new EntryReader((entry) => {
      this.#builder.add(entry);
      this.#new.push(entry);
      this.#isOurs ||= entry.format !== undefined;
      if (entry.event_type === "run_end") this.ended = true;
      if (entry.event_type === "final_result" && entry.depth === 0) this.#answered = !this.#isOurs;
    });
  }
}

class FileFollower implements Follower {
  readonly #path: string;
  readonly #kind: "transcript" | "directory";
  readonly #detail: Detail;
  readonly #tails: Tail[];

  constructor(
    path: string,
    files: readonly string[],
    kind: "transcript" | "directory",
    detail: Detail,
  ) {
    this.#path = path;
    this.#kind = kind;
    this.#detail = detail;
    this.#tails = files.map((file) => new Tail(file, detail));
  }

  /** Transcripts that came into the directory since the last look. */
  #takeNew(): boolean {
    if (this.#kind === "transcript") return false;
    const known = new Set(this.#tails.map(({ file }) => file));
    const files = transcriptsIn(this.#path).filter((file) => !known.has(file));
    this.#tails.push(...files.map((file) => new Tail(file, this.#detail)));
    return files.length > 0;
  }

  get done(): boolean {
    return this.#kind === "transcript" && this.#tails.every((tail) => tail.ended);
  }

  get behind(): boolean {
    return this.#tails.some((tail) => tail.behind);
  }

  look(first: boolean): Promise<FollowUpdate | undefined> {
    const entries: NewEntries = [];
    const grown = this.#takeNew();
    this.#tails.forEach((tail, index) => {
      for (const entry of tail.look()) entries.push({ entry, query: index + 1 });
    });
    if (!first && !grown && entries.length === 0) return Promise.resolve(undefined);
    const queries = this.#tails.map((tail, index) => queryOfTranscript(tail.model(), index + 1));
    const [query] = queries;
    return Promise.resolve({
      entries,
      model: {
        kind: this.#kind,
        path: this.#path,
        format: this.#kind === "transcript" ? query?.transcript?.format : undefined,
        engine: this.#kind === "transcript" ? query?.transcript?.engine : undefined,
        queries,
        memory: undefined,
        totals: totalsOf(queries),
      },
    });
  }
}

class SessionFollower implements Follower {
  readonly done = false;
  readonly #path: string;
  readonly #directory: string;
  readonly #detail: Detail | "auto";
  readonly #readManifest: ReadManifest;
  readonly #tails = new Map<string, Tail>();
  #manifest: Manifest | undefined;
  #seen = "";

  constructor(
    path: string,
    directory: string,
    detail: Detail | "auto",
    readManifest: ReadManifest,
  ) {
    this.#path = path;
    this.#directory = directory;
    this.#detail = detail;
    this.#readManifest = readManifest;
  }

  get behind(): boolean {
    return [...this.#tails.values()].some((tail) => tail.behind);
  }

  async look(first: boolean): Promise<FollowUpdate | undefined> {
    const changed = await this.#readAgain(first);
    const manifest = this.#manifest;
    if (manifest === undefined) return undefined;
    const entries: NewEntries = [];
    const queries = manifest.queries.map((item) => {
      const link = linkedFile(this.#directory, item.log);
      if ("missing" in link) return queryOfLedger(item, undefined, link.missing);
      const tail = this.#tails.get(link.file) ??
        new Tail(link.file, detailFor([link.file], this.#detail));
      this.#tails.set(link.file, tail);
      for (const entry of tail.look()) entries.push({ entry, query: item.number });
      return queryOfLedger(item, tail.model(), undefined);
    });
    if (!first && !changed && entries.length === 0) return undefined;
    return {
      entries,
      model: {
        kind: "session",
        path: this.#path,
        format: manifest.format,
        engine: manifest.engine,
        queries,
        memory: memoryOf(manifest),
        totals: totalsOf(queries),
      },
    };
  }

  async #readAgain(first: boolean): Promise<boolean> {
    const info = statOf(`${this.#directory}/state.json`);
    const seen = `${info?.mtime?.getTime()} ${info?.size} ${info?.ino}`;
    if (!first && seen === this.#seen) return false;
    try {
      this.#manifest = await this.#readManifest(this.#directory);
      this.#seen = seen;
      return true;
    } catch (error) {
      // Between two looks a session may be cleared or replaced: the last good state stays shown.
      if (first) throw error;
      return false;
    }
  }
}
