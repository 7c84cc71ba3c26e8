import { join, resolve } from "@std/path";
import { removeStaleTemporaries, type WriteContext } from "./atomic_write.ts";
import { diskError } from "./disk_error.ts";
import { denoFileSystem, type FileSystem } from "./file_system.ts";
import { type AdminOptions, isInside, withLock } from "./session_admin.ts";
import { CHECKPOINT_DIR } from "./session_checkpoint.ts";
import { emptyManifest } from "./session_format.ts";
import { proveSession } from "./session_identity.ts";
import { PREVIOUS_FILE, StateFile } from "./session_state_file.ts";
import { VALUES_DIR } from "./session_values.ts";

/** What the store writes into each of its directories, by name. */
const ownNames: Readonly<Record<string, RegExp>> = {
  [CHECKPOINT_DIR]: /^[1-9]\d{0,8}\.json$/,
  [VALUES_DIR]: /^[0-9a-f]{64}$/,
};

/** Damaged states that a repair has kept. */
const keptDamage = /^state\.damaged-[0-9TZ]+\.json$/;

/**
 * Empties a session: names, ledger, checkpoints, value files, the transcripts that its ledger
 * links. Files that the store did not name stay. A damaged session is emptied too; a newer one, and
 * a directory that nothing shows to be a session, are refused untouched.
 */
export async function clearSession(
  dir: string,
  options: AdminOptions & {
    /** Called once it is sure that there is a session; what it throws leaves all as it is. */
    readonly agree?: () => void;
  },
): Promise<void> {
  const context: WriteContext = { fs: options.fs ?? denoFileSystem, clock: options.clock };
  const { fs } = context;
  const path = resolve(dir);
  await proveSession(path, fs);
  options.agree?.();
  await withLock(path, options, async () => {
    // Read again: until the lock was taken, a query may have ended.
    const queries = await proveSession(path, fs);
    const logs = new Set(queries.flatMap(({ log }) => isTranscript(log) ? [log] : []));
    try {
      await new StateFile(path, context).write(emptyManifest());
      for (const name of await fs.list(path)) {
        if (name === PREVIOUS_FILE || keptDamage.test(name)) await removeFile(join(path, name), fs);
      }
      for (const log of logs) await removeFile(join(path, log), fs);
      for (const [name, own] of Object.entries(ownNames)) await empty(join(path, name), own, fs);
      await removeStaleTemporaries(path, fs);
      await fs.syncDir(path);
    } catch (error) {
      throw diskError(path, "clear the session", error, "");
    }
  });
}

function isTranscript(log: string | undefined): log is string {
  return log !== undefined && isInside(log) && log.endsWith(".jsonl");
}

/** Removes a file; a directory of that name is none of ours. */
async function removeFile(path: string, fs: FileSystem): Promise<void> {
  if ((await fs.stat(path))?.isDirectory === true) return;
  await fs.remove(path);
}

/** Removes our files in a directory, and the directory where nothing else is in it. */
async function empty(dir: string, own: RegExp, fs: FileSystem): Promise<void> {
  // What a link leads to lies outside the session.
  if (await fs.isLink?.(dir)) return await fs.remove(dir);
  if (!(await fs.stat(dir))?.isDirectory) return;
  await removeStaleTemporaries(dir, fs);
  for (const name of await fs.list(dir)) {
    if (own.test(name)) await removeFile(join(dir, name), fs);
  }
  if ((await fs.list(dir)).length === 0) await fs.remove(dir);
}
