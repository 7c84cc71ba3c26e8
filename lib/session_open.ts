import { join, resolve } from "@std/path";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import { makePrivateDir, removePrivateDir } from "./ephemeral.ts";
import { SessionStore } from "./session_store.ts";

/** How a run gets its session. */
export interface OpenSessionOptions {
  readonly query: string;
  readonly clock: Clock;
  readonly wait?: number;
  readonly signal?: AbortSignal;
  /** A private directory that the caller owns and removes. */
  readonly ephemeralDir?: string;
}

/** A session that a run holds. */
export interface OpenedSession {
  readonly store: SessionStore;
  /** Whether the directory outlives the run. */
  readonly resumable: boolean;
  /** Removes what the run made for itself; to be disposed after the store. */
  readonly cleanup: AsyncDisposable;
}

/** Where the session of these settings lives; undefined for an ephemeral one. */
export function sessionPath(
  config: Pick<ResolvedConfig, "sessionDir" | "sessionId">,
): string | undefined {
  if (config.sessionDir === undefined) return undefined;
  const dir = resolve(config.sessionDir);
  return config.sessionId === undefined ? dir : join(dir, config.sessionId);
}

/** Opens the session that the settings name, or a private one that ends with the run. */
export async function openSession(
  config: ResolvedConfig,
  options: OpenSessionOptions,
): Promise<OpenedSession> {
  const { ephemeralDir, ...open } = options;
  const named = sessionPath(config) ?? ephemeralDir;
  if (named !== undefined) {
    return {
      store: await SessionStore.open(named, open),
      resumable: true,
      cleanup: { [Symbol.asyncDispose]: () => Promise.resolve() },
    };
  }
  const dir = makePrivateDir();
  return {
    store: await SessionStore.open(dir, open),
    resumable: false,
    cleanup: {
      [Symbol.asyncDispose]: () => {
        removePrivateDir(dir);
        return Promise.resolve();
      },
    },
  };
}
