import { join, resolve } from "@std/path";
import type { RestoreReport, Snapshot } from "../repl/snapshot.ts";
import { removeStaleTemporaries, type WriteContext } from "./atomic_write.ts";
import type { Clock } from "./clock.ts";
import { RlmError } from "./errors.ts";
import type { RunStatus } from "./events.ts";
import { denoFileSystem, type FileSystem, type LockedFile } from "./file_system.ts";
import { finalAsJson } from "./final_json.ts";
import { inertLine } from "./inert_text.ts";
import { noUsage, type Usage } from "./model/usage.ts";
import { CHECKPOINT_DIR, writeCheckpoint } from "./session_checkpoint.ts";
import {
  INLINE_BYTES,
  INLINE_TOTAL_BYTES,
  type Manifest,
  type QueryEntry,
  SMALL_BYTES,
  type StepEntry,
} from "./session_format.ts";
import {
  boundCode,
  boundComment,
  boundNames,
  boundQuery,
  boundSnapshot,
  storedLimits,
} from "./session_limits.ts";
import { lockSession, unlockSession } from "./session_lock.ts";
import { mergeState, referencedPayloads, type StateChange } from "./session_merge.ts";
import { type LoadedSnapshot, loadSnapshot } from "./session_snapshot.ts";
import { diskError, neededPayloads, readManifest, StateFile } from "./session_state_file.ts";
import { payloadId, ValueFiles } from "./session_values.ts";

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
  /** Texts that the sandbox sent with steps that could not be saved; it will not send them again. */
  readonly #unsavedTexts = new Map<string, string>();
  #unsavedSteps: StepEntry[] = [];
  #loadFailed: RestoreReport["failed"] = [];
  /** Names seen in sweeps since the restore: what happened to them before is over. */
  readonly #seen = new Set<string>();

  private constructor(dir: string, manifest: Manifest, lock: LockedFile, context: WriteContext) {
    this.dir = dir;
    this.#manifest = manifest;
    this.#lock = lock;
    this.#context = context;
    this.#values = new ValueFiles(dir, context);
    this.#file = new StateFile(dir, context);
  }

  /**
   * Opens `dir` for one query, created where absent (0700). A damaged or newer session is refused
   * with `session_unreadable` before anything is created; a busy one with `SessionBusyError`.
   */
  static async open(dir: string, options: OpenOptions): Promise<SessionStore> {
    const fs = options.fs ?? denoFileSystem;
    const path = resolve(dir);
    await readManifest(path, fs);
    try {
      await fs.makeDir(path);
    } catch (error) {
      throw diskError(path, "create the session directory", error);
    }
    const lock = await lockSession(path, { ...options, fs });
    try {
      const context = { fs, clock: options.clock };
      const { manifest, exists } = await readManifest(path, fs);
      const store = new SessionStore(path, manifest, lock, context);
      store.#file.exists = exists;
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
    const whole = Object.keys(this.#manifest.payloads).filter((id) => !this.#values.isFaulty(id));
    return [...new Set([...whole, ...this.#unsavedTexts.keys()])];
  }

  /**
   * The saved state with the texts of its payloads, for a restore. A payload that is missing or
   * damaged makes its names `failed`; they are left out and carried forward by the steps to come.
   */
  snapshot(): Promise<LoadedSnapshot> {
    return this.#inOrder("read the session", async () => {
      const loaded = await loadSnapshot(this.#manifest, this.#values);
      this.#loadFailed = loaded.failed;
      this.#seen.clear();
      return loaded;
    });
  }

  /**
   * Adds the query to the ledger as `running`; one that is found running was interrupted.
   * `log` is the transcript's path relative to the session directory. Resolves to its number.
   */
  beginQuery(query: string, log?: string): Promise<number> {
    return this.#inOrder("save the query", async () => {
      const last = this.#manifest.queries.at(-1);
      const crashed = last?.status === "running";
      if (last !== undefined && crashed) await this.#closeInterrupted(last);
      const number = (last?.number ?? 0) + 1;
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
      if (crashed) await this.#collectAll();
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
      const { manifest, written } = await this.#withState(result, entry);
      const running = { ...query, steps: result.step, usage: result.usage };
      const bytes = await this.#write(replaceLast(manifest, running));
      this.#see(result.snapshot);
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
      await this.#write(replaceLast(this.#manifest, ended));
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

  async #withState(
    result: StepResult,
    origin: StepEntry,
  ): Promise<{ manifest: Manifest; written: number }> {
    if (result.snapshot === undefined) return { manifest: this.#manifest, written: 0 };
    const snapshot = boundSnapshot(result.snapshot);
    const { fresh, written } = await this.#storePayloads(snapshot);
    const comments = Object.entries(result.comments).map(([name, comment]) =>
      [name, boundComment(comment)] as const
    );
    const change: StateChange = {
      query: origin.query,
      step: origin.step,
      snapshot,
      assigned: origin.names,
      comments: new Map(comments),
      failed: this.#carried(result.restoreFailed ?? []),
      fresh,
    };
    return { manifest: { ...this.#manifest, ...mergeState(this.#manifest, change) }, written };
  }

  /** Names that could not be restored and that no sweep since has shown. */
  #carried(failed: RestoreReport["failed"]): RestoreReport["failed"] {
    return [...this.#loadFailed, ...failed]
      .filter(({ name }) => !this.#seen.has(name))
      .map(({ name, reason }) => ({ name, reason: inertLine(reason, storedLimits.reason) }));
  }

  #see(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) return;
    for (const list of [snapshot.variables, snapshot.functions, snapshot.dropped]) {
      for (const { name } of list) this.#seen.add(name);
    }
  }

  /** Checks and stores the texts that came with a sweep and that the manifest does not have. */
  async #storePayloads(
    snapshot: Snapshot,
  ): Promise<{ fresh: StateChange["fresh"]; written: number }> {
    for (const { id, text } of snapshot.payloads) {
      if (text === undefined) continue;
      if (await payloadId(new TextEncoder().encode(text)) !== id) {
        const message = "Cannot save the step: the sandbox sent a payload under a wrong hash";
        throw new RlmError("sandbox", message);
      }
      this.#unsavedTexts.set(id, text);
    }
    const refs = [...snapshot.variables, ...snapshot.functions].map((entry) => entry.ref.payload);
    const fresh = new Map();
    let written = 0;
    let inline = 0;
    for (const entry of Object.values(this.#manifest.payloads)) {
      if (entry.text) inline += entry.bytes;
    }
    for (const id of new Set(refs)) {
      const text = this.#unsavedTexts.get(id);
      const known = this.#manifest.payloads[id] !== undefined && !this.#values.isFaulty(id);
      if (text === undefined || known) continue;
      // A manifest with many middling values would be slow to write at every step.
      const limit = inline < INLINE_TOTAL_BYTES ? INLINE_BYTES : SMALL_BYTES;
      const stored = await this.#values.store(id, text, limit);
      if (stored.entry.text !== undefined) inline += stored.entry.bytes;
      fresh.set(id, stored.entry);
      written += stored.written;
    }
    return { fresh, written };
  }

  /** Writes the manifest with every step not yet saved; only then is it the current one. */
  async #write(next: Manifest): Promise<number> {
    const steps = this.#unsavedSteps;
    const manifest = steps.length === 0 ? next : { ...next, steps: [...next.steps, ...steps] };
    const before = this.#manifest;
    const { manifest: written, bytes } = await this.#file.write(manifest);
    this.#manifest = written;
    this.#unsavedSteps = [];
    this.#unsavedTexts.clear();
    const needed = referencedPayloads(written);
    for (const id of referencedPayloads(before)) needed.add(id);
    await this.#values.collectCreated(needed);
    return bytes;
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
