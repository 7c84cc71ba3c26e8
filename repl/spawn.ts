/**
 * How a sandbox process is started: no network, no environment, no writes, no subprocesses, read
 * access to the engine's own modules only, whatever the caller's folder holds.
 */
import { dirname, fromFileUrl, join } from "@std/path";

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

/** Where Deno keeps its cache: the only variables that a child is given point there. */
function cacheLocation(): Record<string, string> {
  const kept: Record<string, string> = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
  for (const name of ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE"]) {
    const value = env(name);
    if (value) kept[name] = value;
  }
  return kept;
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
    return { path, args: [SANDBOX_COMMAND], env: cacheLocation() };
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
    return { path, args: [...flags, entry.href], env: cacheLocation() };
  }
  const folder = dirname(fromFileUrl(entry));
  const config = join(dirname(folder), "deno.json");
  return {
    path,
    args: [...flags, "--no-remote", `--allow-read=${folder}`, `--config=${config}`, entry.href],
    env: cacheLocation(),
  };
}
