import { join, resolve } from "@std/path";
import type { RestoreReport, Snapshot } from "../repl/snapshot.ts";
import { removeStaleTemporaries, type WriteContext } from "./atomic_write.ts";
import type { Clock } from "./clock.ts";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import type { RunStatus } from "./events.ts";
import { denoFileSystem, type FileSystem, type LockedFile } from "./file_system.ts";
import { finalAsJson } from "./final_json.ts";
import { inertLine } from "./inert_text.ts";
import { noUsage, type Usage } from "./model/usage.ts";
import { CHECKPOINT_DIR, writeCheckpoint } from "./session_checkpoint.ts";
import type { Manifest, QueryEntry, StepEntry } from "./session_format.ts";
import { boundCode, boundNames, boundQuery, storedLimits } from "./session_limits.ts";
import { lockSession, unlockSession } from "./session_lock.ts";
import { referencedPayloads } from "./session_merge.ts";
import {
  type LoadedSnapshot,
  loadSnapshot,
  proveInline,
  type ReadSnapshot,
  readSnapshot,
} from "./session_snapshot.ts";
import { neededPayloads, readManifest, StateFile } from "./session_state_file.ts";
import { type Sweep, SweepReceiver } from "./session_sweeps.ts";
import { ValueFiles } from "./session_values.ts";

/** How a session directory is opened for a query. */
export interface OpenOptions {
  /** The query, for the lock's holder. */
  readonly query: string;
  /** Seconds to wait for another query to end. @default {0} */
  readonly wait?: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** @default {denoFileSystem} */
  readonly fs?: FileSystem;
}

/** What a root step left. */
export interface StepResult {
  /** Number of the step in its query, from 1. */
  readonly step: number;
  readonly code: string;
  /** One line, where the step failed. */
  readonly error?: string;
  /** Top-level names that the step assigned. */
  readonly assigned: readonly string[];
  /** Top-level names that the step read or wrote, its functions included. @default none */
  readonly used?: readonly string[];
  readonly comments: Readonly<Record<string, string>>;
  /** Absent where no sweep could be had: then the named state stays as it was. */
  readonly snapshot?: Snapshot;
  /** Names that the restore at the start of this run could not bring back. */
  readonly restoreFailed?: RestoreReport["failed"];
  /** The run's usage so far. */
  readonly usage: Usage;
}

/** How a query ended. */
export interface QueryEnd {
  readonly status: RunStatus;
  readonly final?: unknown;
  readonly steps: number;
  readonly usage: Usage;
  readonly error?: string;
}

/** What a save wrote. */
export interface SaveReport {
  readonly bytesWritten: number;
  /** Variables and functions saved. */
  readonly saved: number;
  readonly dropped: number;
}

/**
 * A session directory held by one query: the lock, `state.json`, `values/` and the checkpoints.
 * Calls are worked off in order. After a call that rejects, the directory holds the state before
 * it, and what it should have saved is saved with the next one.
 */
export class SessionStore implements AsyncDisposable {
  /** Absolute path of the session directory. */
  readonly dir: string;
  readonly #lock: LockedFile;
  readonly #context: WriteContext;
  readonly #values: ValueFiles;
  readonly #file: StateFile;
  #manifest: Manifest;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;
  readonly #receiver: SweepReceiver;
  /** Steps, and the newest sweep, that could not be saved yet. */
  #unsavedSteps: StepEntry[] = [];
  #unsavedSweep: Sweep | undefined;
  /** Payloads that were restored before their own hash was seen. */
  #unproved: readonly string[] = [];

  private constructor(dir: string, manifest: Manifest, lock: LockedFile, context: WriteContext) {
    this.dir = dir;
    this.#manifest = manifest;
    this.#lock = lock;
    this.#context = context;
    this.#values = new ValueFiles(dir, context);
    this.#file = new StateFile(dir, context);
    this.#receiver = new SweepReceiver(this.#values);
  }

  /**
   * Opens `dir` for one query, created where absent (0700). A damaged or newer session is refused
   * with `session_unreadable` before anything is created; a busy one with `SessionBusyError`.
   */
  static async open(dir: string, options: OpenOptions): Promise<SessionStore> {
    const fs = options.fs ?? denoFileSystem;
    const path = resolve(dir);
    const before = await readManifest(path, fs);
    try {
      await fs.makeDir(path);
    } catch (error) {
      throw diskError(path, "create the session directory", error, "");
    }
    const lock = await lockSession(path, { ...options, fs });
    try {
      const context = { fs, clock: options.clock };
      const read = await readManifest(path, fs, before);
      const store = new SessionStore(path, read.manifest, lock, context);
      store.#file.read(read);
      for (const sub of [path, store.#values.dir, join(path, CHECKPOINT_DIR)]) {
        await removeStaleTemporaries(sub, fs);
      }
      return store;
    } catch (error) {
      await unlockSession(lock);
      throw error;
    }
  }

  /** The manifest of a session without its lock; `undefined` where there is no session. */
  static async read(dir: string, fs: FileSystem = denoFileSystem): Promise<Manifest | undefined> {
    const { manifest, exists } = await readManifest(resolve(dir), fs);
    return exists ? manifest : undefined;
  }

  /** The state as it was last saved. */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Ids of payloads whose text a sweep need not send; those that are missing or damaged are not. */
  knownPayloads(): string[] {
    return this.#receiver.known(this.#manifest);
  }

  /** Whether `prove` has something to do. */
  get hasUnproved(): boolean {
    return this.#unproved.length > 0;
  }

  /** Hashes the payloads that were restored on the word of a sum; to be done before a sweep. */
  async prove(): Promise<void> {
    const unproved = this.#unproved;
    this.#unproved = [];
    await proveInline(unproved, this.#manifest, this.#values);
  }

  /**
   * The same before its payloads are hashed, so that a restore can begin. `check` must have resolved
   * before the first step is saved; no call that is under way is waited for.
   */
  async readSnapshot(): Promise<ReadSnapshot> {
    try {
      const manifest = this.#manifest;
      const { snapshot, check } = await readSnapshot(
        manifest,
        this.#values,
        () => this.#file.vouchesFor(manifest),
      );
      return {
        snapshot,
        check: async () => {
          const checked = await check();
          this.#unproved = checked.unproved;
          this.#receiver.restoring(manifest, checked.snapshot.failed);
          return checked;
        },
      };
    } catch (error) {
      throw diskError(this.dir, "read the session", error);
    }
  }

  /**
   * The saved state with the texts of its payloads, for a restore. A payload that is missing or
   * damaged makes its names `failed`; they are left out and carried forward by the steps to come.
   */
  snapshot(): Promise<LoadedSnapshot> {
    return this.#inOrder("read the session", async () => {
      const loaded = await loadSnapshot(this.#manifest, this.#values);
      this.#receiver.restoring(this.#manifest, loaded.failed);
      return loaded;
    });
  }

  /** The number of the query that begins next, and whether the one before it was cut off. */
  get next(): { readonly number: number; readonly afterCrash: boolean } {
    const last = this.#manifest.queries.at(-1);
    return { number: (last?.number ?? 0) + 1, afterCrash: last?.status === "running" };
  }

  /**
   * Adds the query to the ledger as `running`; one that is found running was interrupted.
   * `log` is the transcript's path relative to the session directory. Resolves to its number.
   */
  beginQuery(query: string, log?: string): Promise<number> {
    return this.#inOrder("save the query", async () => {
      const last = this.#manifest.queries.at(-1);
      const { number, afterCrash } = this.next;
      if (last !== undefined && afterCrash) await this.#closeInterrupted(last);
      const entry: QueryEntry = {
        number,
        query: boundQuery(query),
        status: "running",
        started: this.#now(),
        steps: 0,
        usage: noUsage,
        ...(log !== undefined && { log: inertLine(log, 1_000) }),
      };
      const queries = [...this.#manifest.queries, entry];
      await this.#write({ ...this.#manifest, queries });
      if (afterCrash) await this.#collectAll();
      return number;
    });
  }

  /** Saves a root step: its code, and the named state after it. */
  saveStep(result: StepResult): Promise<SaveReport> {
    return this.#inOrder(`save step ${result.step}`, async () => {
      const query = this.#running();
      const entry: StepEntry = {
        query: query.number,
        step: result.step,
        code: boundCode(result.code),
        ...(result.error !== undefined && { error: inertLine(result.error, storedLimits.error) }),
        names: boundNames(result.assigned),
      };
      this.#unsavedSteps.push(entry);
      this.#expect(result, entry);
      const { manifest, written, sweep } = await this.#swept();
      const running = { ...query, steps: result.step, usage: result.usage };
      const bytes = await this.#write(replaceLast(manifest, running), sweep);
      const { variables, functions, dropped } = this.#manifest;
      return {
        bytesWritten: written + bytes,
        saved: Object.keys(variables).length + Object.keys(functions).length,
        dropped: Object.keys(dropped).length,
      };
    });
  }

  /**
   * Ends the query in the ledger and makes its checkpoint. Where only the checkpoint fails, the
   * answer is saved all the same and `warning` tells, in one line.
   */
  endQuery(end: QueryEnd): Promise<{ readonly warning?: string }> {
    return this.#inOrder("save the answer", async () => {
      const { status, final, steps, usage, error } = end;
      const stored = finalAsJson(final, storedLimits.final);
      const ended: QueryEntry = {
        ...this.#running(),
        status,
        ...(stored !== undefined && { final: stored }),
        ended: this.#now(),
        steps,
        usage,
        ...(error !== undefined && { error: inertLine(error, storedLimits.error) }),
      };
      // The last sweep may have been refused by a disk that has room again.
      const { manifest, sweep } = await this.#swept().catch(() => ({
        manifest: this.#manifest,
        sweep: undefined,
      }));
      await this.#write(replaceLast(manifest, ended), sweep);
      try {
        await writeCheckpoint(this.dir, this.#manifest, this.#values, this.#context);
        this.#values.settle();
        return {};
      } catch (error) {
        const what = `write the checkpoint of query ${ended.number}, though its answer is saved`;
        return { warning: diskError(this.dir, what, error).message };
      }
    });
  }

  /** Waits for what was called and gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#tail;
    await unlockSession(this.#lock);
  }

  #inOrder<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      const message = `Cannot ${what}: the session ${inertLine(this.dir, 500)} is closed`;
      return Promise.reject(new RlmError("session_closed", message));
    }
    const result = this.#tail.then(work).catch((error) => {
      throw diskError(this.dir, what, error);
    });
    this.#tail = result.catch(() => {});
    return result;
  }

  #now(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }

  #running(): QueryEntry {
    const last = this.#manifest.queries.at(-1);
    if (last?.status !== "running") {
      throw new RlmError("internal", "Cannot save: no query was begun on this session");
    }
    return last;
  }

  /** A newer sweep holds what an unsaved one held, but for the comments of its step. */
  #expect(result: StepResult, entry: StepEntry): void {
    const { snapshot, comments, used = [], restoreFailed = [] } = result;
    if (snapshot === undefined) return;
    this.#unsavedSweep = {
      snapshot,
      origin: { query: entry.query, step: entry.step },
      assigned: entry.names,
      used,
      comments: new Map([...this.#unsavedSweep?.comments ?? [], ...Object.entries(comments)]),
      restoreFailed,
    };
  }

  /** The manifest with the sweep that waits to be saved, if one does. */
  async #swept(): Promise<{ manifest: Manifest; written: number; sweep: Sweep | undefined }> {
    const sweep = this.#unsavedSweep;
    if (sweep === undefined) return { manifest: this.#manifest, written: 0, sweep };
    try {
      return { ...await this.#receiver.merge(this.#manifest, sweep), sweep };
    } catch (error) {
      // What the sandbox made up is not tried again; what the disk refused is.
      if (error instanceof RlmError) this.#unsavedSweep = undefined;
      throw error;
    }
  }

  /** Writes the manifest with every step not yet saved; only then is it the current one. */
  async #write(next: Manifest, sweep?: Sweep): Promise<number> {
    const steps = this.#unsavedSteps;
    const manifest = steps.length === 0 ? next : { ...next, steps: [...next.steps, ...steps] };
    const before = this.#manifest;
    const { manifest: written, bytes } = await this.#file.write(manifest, this.#areWhole(manifest));
    this.#manifest = written;
    this.#unsavedSteps = [];
    if (sweep !== undefined) {
      this.#receiver.saved(before, written, sweep.snapshot);
      this.#unsavedSweep = undefined;
    }
    // After a step without a sweep, that of the next may count on values of the manifest before.
    if (sweep === undefined && written.queries.at(-1)?.status === "running") return bytes;
    const needed = referencedPayloads(written);
    for (const id of referencedPayloads(before)) needed.add(id);
    await this.#values.collectCreated(needed);
    return bytes;
  }

  /** Whether no inline payload is damaged: each was hashed before the first of them changed. */
  #areWhole({ payloads }: Manifest): boolean {
    return !Object.values(payloads).some((entry) =>
      entry.text !== undefined && this.#values.isDamaged(entry)
    );
  }

  async #closeInterrupted(last: QueryEntry): Promise<void> {
    const interrupted = replaceLast(this.#manifest, { ...last, status: "interrupted" });
    await writeCheckpoint(this.dir, interrupted, this.#values, this.#context);
    this.#values.settle();
    this.#manifest = interrupted;
  }

  /** After a crash: removes value files that no manifest names. */
  async #collectAll(): Promise<void> {
    const needed = await neededPayloads(this.dir, this.#context.fs);
    if (needed) await this.#values.collectAll(needed);
  }
}

function replaceLast(manifest: Manifest, entry: QueryEntry): Manifest {
  return { ...manifest, queries: [...manifest.queries.slice(0, -1), entry] };
}
