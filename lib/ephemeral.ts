/**
 * Private directories of sessions that end with their owner: removed when closed, when the owner is
 * collected, and when the process exits.
 */

import { diskError } from "./disk_error.ts";

/** A private directory. */
export interface EphemeralDir {
  readonly path: string;
  /** Removes it. Safe to call twice. */
  remove(): void;
}

const live = new Set<string>();

function removeNow(path: string): void {
  if (!live.delete(path)) return;
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Somebody else removed it, or may: nothing of value is in it.
  }
}

function removeAll(): void {
  for (const path of [...live]) removeNow(path);
}

const collected = new FinalizationRegistry<string>(removeNow);

/**
 * Makes a private directory (0700) below the system's for temporary files.
 *
 * @throws {RlmError} `disk`
 */
export function makePrivateDir(): string {
  try {
    return Deno.makeTempDirSync({ prefix: "fast-rlm-" });
  } catch (cause) {
    throw diskError("the temporary directory", "make a private session", cause, "");
  }
}

/** Makes a private directory (0700) that lives no longer than `owner`. */
export function ephemeralDir(owner: object): EphemeralDir {
  const path = makePrivateDir();
  if (live.size === 0) globalThis.addEventListener("unload", removeAll, { once: true });
  live.add(path);
  collected.register(owner, path, owner);
  return {
    path,
    remove() {
      collected.unregister(owner);
      removeNow(path);
      if (live.size === 0) globalThis.removeEventListener("unload", removeAll);
    },
  };
}
