import { type Clock, systemClock } from "./clock.ts";
import { checkConfig, type Config, pickConfig } from "./config.ts";
import { type EphemeralDir, ephemeralDir } from "./ephemeral.ts";
import { RlmError } from "./errors.ts";
import { denoFileSystem } from "./file_system.ts";
import { run, type RunDeps, type RunOptions, type RunResult } from "./run.ts";
import { clearSession } from "./session_clear.ts";
import { hasSession } from "./session_identity.ts";
import type {
  DroppedEntry,
  FunctionEntry,
  Manifest,
  QueryEntry,
  VariableEntry,
} from "./session_format.ts";
import { sessionPath } from "./session_open.ts";
import { SessionStore } from "./session_store.ts";

/** Options of a {@linkcode Session}. */
export interface SessionOptions {
  /** Directory of the session. @default a private one, removed when the session is closed */
  readonly sessionDir?: string;
  /** A folder below `sessionDir`: one portable path segment. */
  readonly sessionId?: string;
  /** Settings of every query; a query may override them. */
  readonly config?: Config;
  /** Whether a resumed agent sees its earlier code; `"all"` ignores the budget. @default true */
  readonly addSessionCodeToContext?: boolean | "all";
}

/** Options of one query: anything of `RunOptions` but the prompt and the session. */
export type QueryOptions = Omit<RunOptions, "prompt" | "sessionDir" | "sessionId">;

/** A saved name with its entry in `state.json`. */
export type Named<T> = T & { readonly name: string };

/**
 * A directory of REPL state with a ledger of queries. Each query is a run of its own; what persists
 * between them, also over processes, is what the root agent left in its REPL.
 *
 * @example
 * ```ts
 * import { Session } from "@fast-rlm/fast-rlm";
 *
 * async function twice(transcripts: string, signal: AbortSignal): Promise<unknown> {
 *   await using session = new Session({
 *     sessionDir: "./podcast",
 *     config: { primaryAgent: "openrouter/anthropic/claude-sonnet-4.5" },
 *   });
 *   await session.query("Who are the guests?", { context: transcripts, signal });
 *   return (await session.query("Which of them appeared twice?", { signal })).result;
 * }
 *
 * // A session without a directory is private, and gone when it is closed.
 * await using empty = new Session();
 * if ((await empty.variables()).length > 0) throw new Error("unexpected");
 * ```
 */
export class Session implements Disposable, AsyncDisposable {
  readonly #options: SessionOptions;
  readonly #ephemeral: EphemeralDir | undefined;
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();
  #open = 0;

  /**
   * Checks the options; the directory is opened by the first query.
   *
   * @throws {RlmError} `config`, for a `sessionId` without a `sessionDir`, an id that is no portable
   * name, and settings that cannot be used; nothing is created then
   */
  constructor(options: SessionOptions = {}, deps: { readonly clock?: Clock } = {}) {
    const { sessionDir, sessionId, config = {}, addSessionCodeToContext } = options;
    const checked = checkConfig(
      {
        source: "options",
        values: pickConfig({ sessionDir, sessionId, addSessionCodeToContext }),
      },
      { source: "options", values: pickConfig({ ...config }) },
    );
    this.#options = options;
    this.#clock = deps.clock ?? systemClock;
    const named = sessionPath({
      sessionDir: checked.sessionDir,
      sessionId: checked.sessionId,
    });
    this.#ephemeral = named === undefined ? ephemeralDir(this) : undefined;
    this.#dir = named ?? this.#ephemeral!.path;
  }

  /** The session directory. */
  get dir(): string {
    return this.#dir;
  }

  /**
   * Runs one query. Calls queue in order. The agent finds what earlier queries left.
   *
   * @throws {RlmError} as `run` does, and `session_closed`
   */
  query(prompt: string, options: QueryOptions = {}): Promise<RunResult> {
    return this.#inOrder(() => {
      const { config = {}, sessionDir, sessionId, addSessionCodeToContext } = this.#options;
      const signals = [this.#closing.signal, ...(options.signal ? [options.signal] : [])];
      const deps: RunDeps = {
        clock: this.#clock,
        ...(this.#ephemeral ? { ephemeralDir: this.#ephemeral.path } : {}),
      };
      return run({
        ...config,
        ...(sessionDir === undefined ? {} : { sessionDir }),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(addSessionCodeToContext === undefined ? {} : { addSessionCodeToContext }),
        ...options,
        prompt,
        signal: AbortSignal.any(signals),
      }, deps);
    });
  }

  /** The ledger: every query with its answer, oldest first. */
  async queries(): Promise<readonly QueryEntry[]> {
    return (await this.#manifest())?.queries ?? [];
  }

  /** The saved variables: type, preview, comment, note, size; no values. */
  async variables(): Promise<readonly Named<VariableEntry>[]> {
    return named((await this.#manifest())?.variables);
  }

  /** The saved functions and classes with their source. */
  async functions(): Promise<readonly Named<FunctionEntry>[]> {
    return named((await this.#manifest())?.functions);
  }

  /** What could not be saved, and why. */
  async dropped(): Promise<readonly Named<DroppedEntry>[]> {
    return named((await this.#manifest())?.dropped);
  }

  /** Forgets everything: state, ledger, transcripts. The directory stays. */
  clear(): Promise<void> {
    return this.#inOrder(async () => {
      // Before the first query there is nothing to forget.
      if (!await hasSession(this.#dir, denoFileSystem)) return;
      await clearSession(this.#dir, { clock: this.#clock });
    });
  }

  /** Interrupts a running query, waits for it, and removes an ephemeral directory. */
  async close(): Promise<void> {
    this.#closing.abort(closed(this.#dir));
    await this.#tail.catch(() => {});
    this.#ephemeral?.remove();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** As `close`, without waiting for a running query to end: the directory goes when it has. */
  [Symbol.dispose](): void {
    if (this.#open === 0) this.#ephemeral?.remove();
    void this.close();
  }

  async #manifest(): Promise<Manifest | undefined> {
    if (this.#closing.signal.aborted) throw closed(this.#dir);
    return await SessionStore.read(this.#dir);
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) return Promise.reject(closed(this.#dir));
    this.#open++;
    const result = this.#tail.then(() => {
      if (this.#closing.signal.aborted) throw closed(this.#dir);
      return work();
    }).finally(() => this.#open--);
    this.#tail = result.catch(() => {});
    return result;
  }
}

function closed(dir: string): RlmError {
  return new RlmError("session_closed", `Cannot use the session ${dir}: it was closed`);
}

function named<T>(entries: Readonly<Record<string, T>> | undefined): Named<T>[] {
  return Object.entries(entries ?? {}).map(([name, entry]) => ({ ...entry, name }));
}
