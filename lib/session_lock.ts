import { join } from "@std/path";
import type { Clock } from "./clock.ts";
import { diskError } from "./disk_error.ts";
import { SessionBusyError } from "./errors.ts";
import type { FileSystem, LockedFile } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";

/** The name of the lock file in a session directory. */
export const LOCK_FILE = "session.lock";

/** Who holds the lock, as `session.lock` tells while a query runs. */
export interface LockHolder {
  readonly pid?: number;
  readonly host?: string;
  /** ISO 8601. */
  readonly started?: string;
  /** The query, at most 200 characters. */
  readonly query?: string;
}

/** What taking the lock needs. */
export interface LockOptions {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly query: string;
  /** Seconds to wait for a holder to end. @default {0} */
  readonly wait?: number;
  readonly signal?: AbortSignal;
  /** The way out that a refusal tells. @default {"wait for it with --wait", longer where it did} */
  readonly advice?: string;
}

/** The way out of a busy session for commands that do not wait. */
export const BUSY_COMMAND = "try again when it has ended";

/** Milliseconds between two tries while waiting. */
const pollMs = 100;

/**
 * Takes the lock of a session directory. The operating system holds it, so that it ends with its
 * process however that dies; the text in the file is only for people and messages.
 *
 * Throws a {@linkcode SessionBusyError} where another query holds it after `wait` seconds.
 */
export async function lockSession(dir: string, options: LockOptions): Promise<LockedFile> {
  const { fs, clock } = options;
  const path = join(dir, LOCK_FILE);
  const deadline = clock.now() + (options.wait ?? 0) * 1000;
  for (;;) {
    options.signal?.throwIfAborted();
    const lock = await tryLock(path, fs);
    if (lock) {
      await tellHolder(lock, options);
      return lock;
    }
    const left = deadline - clock.now();
    if (left <= 0) throw await busy(dir, path, options);
    await clock.sleep(Math.min(pollMs, left), options.signal);
  }
}

/** Gives the lock back; the file stays, empty, so that nobody locks a removed one. */
export async function unlockSession(lock: LockedFile): Promise<void> {
  try {
    await lock.write(new Uint8Array());
  } catch {
    // A full disk must not keep the lock.
  } finally {
    await lock.release();
  }
}

/** Who holds the lock of a directory now, as far as the file tells. Takes no lock. */
export async function readHolder(dir: string, fs: FileSystem): Promise<LockHolder> {
  try {
    const text = new TextDecoder().decode(await fs.readFile(join(dir, LOCK_FILE)));
    const holder: unknown = JSON.parse(text);
    if (typeof holder !== "object" || holder === null) return {};
    const { pid, host, started, query } = holder as Record<keyof LockHolder, unknown>;
    return {
      ...(Number.isSafeInteger(pid) && { pid: pid as number }),
      ...(typeof host === "string" && { host: inertLine(host, 100) }),
      ...(typeof started === "string" && { started: inertLine(started, 40) }),
      ...(typeof query === "string" && { query: inertLine(query, 200) }),
    };
  } catch {
    // Windows refuses to read a locked file; then the holder stays unknown.
    return {};
  }
}

async function tryLock(path: string, fs: FileSystem): Promise<LockedFile | undefined> {
  try {
    return await fs.lock(path);
  } catch (cause) {
    throw diskError(path, "lock the session", cause, "");
  }
}

async function tellHolder(lock: LockedFile, options: LockOptions): Promise<void> {
  const holder: LockHolder = {
    pid: Deno.pid,
    ...hostName(),
    started: new Date(options.clock.now()).toISOString(),
    query: inertLine(options.query, 200),
  };
  try {
    await lock.write(new TextEncoder().encode(JSON.stringify(holder) + "\n"));
  } catch {
    // The lock holds without its note, also on a full disk.
  }
}

function hostName(): { host?: string } {
  // Asked first, since on a terminal Deno would ask the user.
  const permission = Deno.permissions.querySync({ name: "sys", kind: "hostname" });
  return permission.state === "granted" ? { host: Deno.hostname() } : {};
}

async function busy(dir: string, path: string, options: LockOptions): Promise<SessionBusyError> {
  const { query: _query, ...holder } = await readHolder(dir, options.fs);
  const who = holder.pid === undefined ? "another process" : `process ${holder.pid}`;
  const where = holder.host === undefined ? "" : ` on ${holder.host}`;
  const since = holder.started === undefined ? "" : ` since ${holder.started}`;
  const waited = options.wait ? ` after ${options.wait} s of waiting` : "";
  const wait = options.wait ? "wait longer with --wait=SECONDS" : "wait for it with --wait";
  return new SessionBusyError(
    `Cannot use the session${waited}: ${path} is held by ${who}${where}${since}; ` +
      (options.advice ?? wait),
    holder,
  );
}
