/**
 * Whole sessions: forked from any query, cleared.
 *
 * @module
 */
import { dirname, join, resolve } from "@std/path";
import { removeStaleTemporaries, writeAtomic, type WriteContext } from "./atomic_write.ts";
import type { Clock } from "./clock.ts";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import { denoFileSystem, type FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import {
  CHECKPOINT_DIR,
  listCheckpoints,
  manifestAt,
  readCheckpoint,
  writeCheckpoint,
} from "./session_checkpoint.ts";
import { emptyManifest, type Manifest } from "./session_format.ts";
import { lockSession, unlockSession } from "./session_lock.ts";
import { referencedPayloads } from "./session_merge.ts";
import { checkManifest, NewerFormat, parseJson, StateFault, unreadable } from "./session_parse.ts";
import { PREVIOUS_FILE, readManifest, STATE_FILE, StateFile } from "./session_state_file.ts";
import { ValueFiles, VALUES_DIR } from "./session_values.ts";

/** What an operation on a whole session needs. */
export interface AdminOptions {
  /** The time. */
  readonly clock: Clock;
  /** The files. @default {denoFileSystem} */
  readonly fs?: FileSystem;
}

/** What a fork holds. */
export interface ForkReport {
  /** Absolute path of the new session. */
  readonly dir: string;
  /** The last query that it holds. */
  readonly query: number;
  /** How many variables it holds. */
  readonly variables: number;
  /** How many functions and classes it holds. */
  readonly functions: number;
}

/**
 * Copies a session to the new directory `dest`, as it was at the end of query `at` (as it is now
 * where absent). Value files and transcripts are shared on the disk where it can share files.
 */
export async function forkSession(
  source: string,
  dest: string,
  options: AdminOptions & { readonly at?: number },
): Promise<ForkReport> {
  const context = contextOf(options);
  const { fs } = context;
  const [from, to] = [resolve(source), resolve(dest)];
  await checkFree(to, fs);
  // The end of a query does not change; the present state needs the lock.
  const manifest = options.at === undefined
    ? await withLock(from, options, () => existing(from, fs))
    : await at(from, options.at, fs);
  try {
    await fs.makeDir(to);
    for (const id of referencedPayloads(manifest)) {
      if (manifest.payloads[id]?.text !== undefined) continue;
      await copyFile(join(from, VALUES_DIR, id), join(to, VALUES_DIR, id), context);
    }
    const queries = [];
    for (const query of manifest.queries) {
      const { log, ...rest } = query;
      const copied = log !== undefined && isInside(log) &&
        await copyFile(join(from, log), join(to, log), context);
      const entry = copied ? query : rest;
      queries.push(
        entry.status === "running" ? { ...entry, status: "interrupted" as const } : entry,
      );
    }
    await fs.syncDir(to);
    const forked = { ...manifest, queries };
    await new StateFile(to, context).write(forked);
    await writeCheckpoint(to, forked, new ValueFiles(to, context), context);
    return {
      dir: to,
      query: queries.at(-1)?.number ?? 0,
      variables: Object.keys(manifest.variables).length,
      functions: Object.keys(manifest.functions).length,
    };
  } catch (error) {
    await removeHalfMade(to, fs);
    throw diskError(to, "fork the session", error);
  }
}

/**
 * Empties a session: names, ledger, checkpoints, value files, the transcripts that its ledger
 * links. A damaged one is emptied too; a newer one is refused.
 */
export async function clearSession(dir: string, options: AdminOptions): Promise<void> {
  const context = contextOf(options);
  const { fs } = context;
  const path = resolve(dir);
  const logs = await linkedLogs(path, fs);
  await withLock(path, options, async () => {
    const file = new StateFile(path, context);
    await file.write(emptyManifest());
    for (const name of [PREVIOUS_FILE, CHECKPOINT_DIR, VALUES_DIR, ...logs]) {
      await fs.remove(join(path, name));
    }
    await removeStaleTemporaries(path, fs);
    await fs.syncDir(path);
  });
}

/** The manifest of a session that must be there. Throws `input` where there is none. */
export async function existing(dir: string, fs: FileSystem): Promise<Manifest> {
  const { manifest, exists } = await readManifest(dir, fs);
  if (exists) return manifest;
  throw new RlmError(
    "input",
    `Cannot find a session: ${inertLine(join(dir, STATE_FILE), 500)} does not exist`,
  );
}

/** Throws `input` where the directory of a new session is in use already. */
export async function checkFree(dir: string, fs: FileSystem): Promise<void> {
  const info = await fs.stat(dir).catch(() => undefined);
  if (info === undefined || (info.isDirectory && (await fs.list(dir)).length === 0)) return;
  const message = `Cannot make a session: ${
    inertLine(dir, 500)
  } is not empty; name a new directory`;
  throw new RlmError("input", message);
}

/** Removes a directory that was to become a session, as far as that is possible. */
export async function removeHalfMade(dir: string, fs: FileSystem): Promise<void> {
  await fs.remove(dir).catch(() => {});
}

/** Whether a path that a manifest gives stays inside the session's `logs/`. */
export function isInside(log: string): boolean {
  return /^logs\/[^/\\]+$/.test(log) && !/^logs\/\.{1,2}$/.test(log);
}

function contextOf(options: AdminOptions): WriteContext {
  return { fs: options.fs ?? denoFileSystem, clock: options.clock };
}

/** Does the work with the lock of an existing session directory. */
export async function withLock<T>(
  dir: string,
  options: AdminOptions,
  work: () => Promise<T>,
): Promise<T> {
  const fs = options.fs ?? denoFileSystem;
  if (!(await fs.stat(dir))?.isDirectory) {
    const message = `Cannot find a session: ${inertLine(dir, 500)} does not exist`;
    throw new RlmError("input", message);
  }
  const lock = await lockSession(dir, { ...options, fs, query: "session command" });
  try {
    return await work();
  } finally {
    await unlockSession(lock);
  }
}

async function at(dir: string, query: number, fs: FileSystem): Promise<Manifest> {
  const manifest = await existing(dir, fs);
  try {
    const checkpoint = await readCheckpoint(dir, query, fs);
    if (checkpoint) return manifestAt(checkpoint, manifest);
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    throw unreadable(join(dir, CHECKPOINT_DIR, `${query}.json`), dir, error.message);
  }
  const numbers = await listCheckpoints(dir, fs);
  const there = numbers.length === 0
    ? "the session has no ended query"
    : `checkpoints are there for queries ${numbers[0]} to ${numbers.at(-1)}`;
  throw new RlmError("input", `Cannot fork at query ${query}: ${there}`);
}

/** Transcripts that the ledger links. A damaged session names none; a newer one is refused. */
async function linkedLogs(dir: string, fs: FileSystem): Promise<string[]> {
  const path = join(dir, STATE_FILE);
  try {
    const bytes = await fs.readFile(path);
    const queries = bytes === undefined ? [] : checkManifest(parseJson(bytes)).queries;
    return queries.flatMap(({ log }) => log !== undefined && isInside(log) ? [log] : []);
  } catch (error) {
    if (error instanceof NewerFormat) throw unreadable(path, dir, error.message, true);
    if (error instanceof StateFault) return [];
    throw error;
  }
}

/** Shares or copies a file; resolves to whether there was one. */
async function copyFile(from: string, to: string, context: WriteContext): Promise<boolean> {
  const { fs } = context;
  if (!(await fs.stat(from))?.isFile) return false;
  await fs.makeDir(dirname(to));
  try {
    await fs.link(from, to);
  } catch {
    const bytes = await fs.readFile(from);
    if (bytes) await writeAtomic(to, bytes, context);
  }
  await fs.syncDir(dirname(to));
  return true;
}
