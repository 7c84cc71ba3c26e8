import type { Clock } from "./clock.ts";

/** A private directory that lives as long as the session in it. */
export interface EphemeralDir extends AsyncDisposable, Disposable {
  readonly path: string;
}

/** How often a removal is tried where Windows still holds a file in it. */
const removeTries = 5;

/**
 * Makes a temporary directory for the owner alone (0700). It is removed when it is disposed, and,
 * where that never happens, when the process ends; disposing twice is fine.
 */
export async function createEphemeral(clock: Clock): Promise<EphemeralDir> {
  const path = await Deno.makeTempDir({ prefix: "fast-rlm-" });
  const removeNow = () => {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch {
      // It is gone, or the system's own cleaning of temporary files gets it.
    }
  };
  globalThis.addEventListener("unload", removeNow);
  return {
    path,
    [Symbol.dispose]: () => {
      globalThis.removeEventListener("unload", removeNow);
      removeNow();
    },
    [Symbol.asyncDispose]: async () => {
      await removeWithRetries(path, clock);
      globalThis.removeEventListener("unload", removeNow);
    },
  };
}

async function removeWithRetries(path: string, clock: Clock): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await Deno.remove(path, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      if (attempt === removeTries) throw error;
      await clock.sleep(20 * 2 ** attempt);
    }
  }
}
