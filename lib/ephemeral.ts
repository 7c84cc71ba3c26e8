/**
 * Private directories of sessions that end with their owner: removed when closed, when the owner is
 * collected, and when the process exits.
 */

import { dirname, join } from "@std/path";
import { diskError } from "./disk_error.ts";

/** A private directory. */
export interface EphemeralDir {
  readonly path: string;
  /** Removes it. Safe to call twice. */
  remove(): void;
}

/** Open directories and the file whose lock says that their process lives. */
const live = new Map<string, Deno.FsFile>();

const PREFIX = "fast-rlm-private-";
const OWNER_FILE = "owner.lock";

/** Removes a private directory now. Safe to call twice. */
export function removePrivateDir(path: string): void {
  const owner = live.get(path);
  if (!owner) return;
  live.delete(path);
  owner.close();
  if (live.size === 0) globalThis.removeEventListener("unload", removeAll);
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Somebody else removed it, or may: nothing of value is in it.
  }
}

function removeAll(): void {
  for (const path of [...live.keys()]) removePrivateDir(path);
}

const collected = new FinalizationRegistry<string>(removePrivateDir);

/**
 * Makes a private directory (0700) below the system's for temporary files, which goes when the process
 * ends; those of processes that were killed go first.
 *
 * @throws {RlmError} `disk`
 */
export function makePrivateDir(): string {
  try {
    const path = Deno.makeTempDirSync({ prefix: PREFIX });
    removeAbandoned(path);
    const owner = Deno.openSync(join(path, OWNER_FILE), { create: true, write: true });
    owner.lockSync(true);
    // Only a file that was locked once is looked at by others.
    owner.writeSync(new TextEncoder().encode("held while its process lives\n"));
    if (live.size === 0) globalThis.addEventListener("unload", removeAll);
    live.set(path, owner);
    return path;
  } catch (cause) {
    throw diskError("the temporary directory", "make a private session", cause, "");
  }
}

/** Removes the directories of processes that could not do it: those whose lock nobody holds. */
function removeAbandoned(own: string): void {
  const parent = dirname(own);
  try {
    for (const { name, isDirectory } of Deno.readDirSync(parent)) {
      if (isDirectory && name.startsWith(PREFIX)) removeIfAbandoned(join(parent, name));
    }
  } catch {
    // Not to be listed: then there is nothing to be tidied either.
  }
}

function removeIfAbandoned(path: string): void {
  try {
    // Another user's does not open: it is theirs alone.
    using owner = Deno.openSync(join(path, OWNER_FILE), { read: true, write: true });
    if (owner.statSync().size === 0 || !owner.tryLockSync(true)) return;
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Just being made, or just being removed by somebody else.
  }
}

/** Makes a private directory (0700) that lives no longer than `owner`. */
export function ephemeralDir(owner: object): EphemeralDir {
  const path = makePrivateDir();
  collected.register(owner, path, owner);
  return {
    path,
    remove() {
      collected.unregister(owner);
      removePrivateDir(path);
    },
  };
}
