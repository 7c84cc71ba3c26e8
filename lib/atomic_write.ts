/**
 * Replacing a file so that a reader, also after a crash, finds the old content or the new, never a
 * part: a temporary file beside it, flushed, renamed over it, the directory flushed.
 *
 * @module
 */
import { basename, dirname, join } from "@std/path";
import type { Clock } from "./clock.ts";
import type { FileSystem } from "./file_system.ts";

/** The form of a temporary name: `.NAME.<12 hex digits>.rlm-tmp`. */
const temporary = /^\..+\.[0-9a-f]{12}\.rlm-tmp$/;

/** How often a rename is tried where another program holds the target (virus scanners do). */
const renameTries = 6;

/** What writing needs of the world. */
export interface WriteContext {
  readonly fs: FileSystem;
  readonly clock: Clock;
}

/** Writes `data`, or all its parts, to `path` whole or not at all, for the owner alone (0600). */
export async function writeAtomic(
  path: string,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  context: WriteContext,
): Promise<void> {
  const temp = temporaryName(path);
  try {
    await writeFlushed(temp, data, context.fs);
    await renameWithRetries(temp, path, context);
  } catch (error) {
    await removeQuietly(temp, context.fs);
    throw error;
  }
  await context.fs.syncDir(dirname(path));
}

/** Gives the file at `from` the second name `to`, replacing what was there, without copying it. */
export async function linkAtomic(from: string, to: string, context: WriteContext): Promise<void> {
  const temp = temporaryName(to);
  try {
    await context.fs.link(from, temp);
    await renameWithRetries(temp, to, context);
  } catch (error) {
    await removeQuietly(temp, context.fs);
    throw error;
  }
}

/**
 * Removes temporary files that a killed run left in `dir`, where it can; files of other programs
 * stay. To be called by who holds the directory's lock alone.
 */
export async function removeStaleTemporaries(dir: string, fs: FileSystem): Promise<void> {
  const names = await fs.list(dir).catch(() => []);
  for (const name of names) {
    if (temporary.test(name)) await removeQuietly(join(dir, name), fs);
  }
}

function temporaryName(path: string): string {
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
  return join(dirname(path), `.${basename(path)}.${id}.rlm-tmp`);
}

async function writeFlushed(
  path: string,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  fs: FileSystem,
): Promise<void> {
  const file = await fs.create(path);
  try {
    if (data instanceof Uint8Array) await file.write(data);
    else for await (const part of data) await file.write(part);
    await file.sync();
  } finally {
    file.close();
  }
}

async function renameWithRetries(from: string, to: string, context: WriteContext): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await context.fs.rename(from, to);
    } catch (error) {
      if (attempt === renameTries || !isMomentary(error)) throw error;
      await context.clock.sleep(10 * 2 ** attempt);
    }
  }
}

function isMomentary(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.Busy;
}

async function removeQuietly(path: string, fs: FileSystem): Promise<void> {
  try {
    await fs.remove(path);
  } catch {
    // The error that led here says more than a temporary file that stays.
  }
}
