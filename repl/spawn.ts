/**
 * How a sandbox process is started: no network, no environment, no writes, no subprocesses, read
 * access to the engine's own modules only, whatever the caller's folder holds.
 */
import { dirname, fromFileUrl, join, resolve } from "@std/path";

/** Hidden command that makes the compiled binary (or `main.ts`) a sandbox process. */
export const SANDBOX_COMMAND = "__sandbox";

/** A process to start. */
export interface SandboxCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Reads a variable; a variable that may not be read is one that is not set. */
function env(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/**
 * Where Deno keeps its cache, by its own rules: the one thing that a child must know of its host.
 * Undefined where that cannot be told; then Deno asks the operating system for the home directory.
 *
 * @param os as in `Deno.build.os`
 */
export function cacheDir(
  os: string,
  env: (name: string) => string | undefined,
): string | undefined {
  const given = env("DENO_DIR");
  if (given) return resolve(given);
  const from = (name: string, ...below: string[]) => {
    const base = env(name);
    return base ? join(base, ...below) : undefined;
  };
  if (os === "windows") return from("LOCALAPPDATA", "deno");
  if (os === "darwin") return from("HOME", "Library", "Caches", "deno");
  return from("XDG_CACHE_HOME", "deno") ?? from("HOME", ".cache", "deno");
}

/** The whole environment of a child. */
function childEnv(): Record<string, string> {
  const dir = cacheDir(Deno.build.os, env);
  return { DENO_NO_UPDATE_CHECK: "1", ...(dir === undefined ? {} : { DENO_DIR: dir }) };
}

/**
 * The command that starts a sandbox.
 *
 * @param memoryLimitMb heap limit of the process in MB; the relay watches resident memory besides
 */
export function sandboxCommand(memoryLimitMb: number): SandboxCommand {
  const path = Deno.execPath();
  const heap = `--max-old-space-size=${Math.max(64, Math.floor(memoryLimitMb))}`;
  if (Deno.build.standalone) {
    return { path, args: [SANDBOX_COMMAND], env: childEnv() };
  }
  const entry = new URL("./sandbox.ts", import.meta.url);
  const flags = [
    "run",
    "--quiet",
    "--no-prompt",
    "--cached-only",
    "--no-lock",
    "--unstable-worker-options",
    // The worker's one permission can only be named to a worker; the relay drops it for itself.
    "--allow-sys",
    `--v8-flags=${heap}`,
  ];
  if (entry.protocol !== "file:") {
    return { path, args: [...flags, entry.href], env: childEnv() };
  }
  const folder = dirname(fromFileUrl(entry));
  const config = join(dirname(folder), "deno.json");
  return {
    path,
    args: [...flags, "--no-remote", `--allow-read=${folder}`, `--config=${config}`, entry.href],
    env: childEnv(),
  };
}
