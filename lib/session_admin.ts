/**
 * Whole sessions: forked from any query.
 *
 * @module
 */
import { dirname, join, resolve } from "@std/path";
import { writeAtomic, type WriteContext } from "./atomic_write.ts";
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
import type { Manifest } from "./session_format.ts";
import { checkDirectory, checkSession } from "./session_identity.ts";
import { BUSY_COMMAND, lockSession, unlockSession } from "./session_lock.ts";
import { referencedPayloads } from "./session_merge.ts";
import { StateFault, unreadable } from "./session_parse.ts";
import { readManifest, STATE_FILE, StateFile } from "./session_state_file.ts";
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

/** The manifest of a session that must be there. Throws `input` where there is none. */
export async function existing(dir: string, fs: FileSystem): Promise<Manifest> {
  await checkDirectory(dir, fs);
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
  const fault = info.isDirectory ? "is not empty" : "is a file";
  const message = `Cannot make a session: ${inertLine(dir, 500)} ${fault}; name a new directory`;
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

/** Does the work with the lock of an existing session. Throws `input` where there is none. */
export async function withLock<T>(
  dir: string,
  options: AdminOptions,
  work: () => Promise<T>,
): Promise<T> {
  const fs = options.fs ?? denoFileSystem;
  // Asked first: where there is no session, not even a lock is left.
  await checkSession(dir, fs);
  const query = "session command";
  const lock = await lockSession(dir, { ...options, fs, query, advice: BUSY_COMMAND });
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
