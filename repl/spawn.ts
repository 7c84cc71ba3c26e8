/**
 * How a sandbox process is started: no network, no environment, no writes, no subprocesses, read
 * access to the engine's own modules only, whatever the caller's folder holds.
 */
import { dirname, fromFileUrl, join, resolve } from "@std/path";

/** Hidden command that makes the compiled binary (or `main.ts`) a sandbox process. */
export const SANDBOX_COMMAND = "__sandbox";

/** A process that speaks the protocol of a sandbox. */
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

/**
 * The cache that a package in it was resolved from, which tells also a program that may not read the
 * environment. Undefined for a package that lies elsewhere.
 */
export function cacheOf(resolved: string): string | undefined {
  const [, root] = /^(file:.*)\/npm\/[^/]+\/devalue\/[^/]+\//.exec(resolved) ?? [];
  return root === undefined ? undefined : fromFileUrl(root);
}

/** The whole environment of a child. */
function childEnv(): Record<string, string> {
  const told = cacheDir(Deno.build.os, env);
  const dir = env("DENO_DIR") ? told : ownCache() ?? told;
  return { DENO_NO_UPDATE_CHECK: "1", ...(dir === undefined ? {} : { DENO_DIR: dir }) };
}

function ownCache(): string | undefined {
  try {
    return cacheOf(import.meta.resolve("devalue"));
  } catch {
    return undefined; // The name means nothing to this program, as for an engine from JSR.
  }
}

/**
 * This program itself. Where Deno was reached through a link, `--allow-run=deno` permits the name
 * and not the file behind it.
 */
function executable(): string {
  const path = Deno.execPath();
  const granted = (command: string) =>
    Deno.permissions.querySync({ name: "run", command }).state === "granted";
  return !Deno.build.standalone && !granted(path) && granted("deno") ? "deno" : path;
}

/**
 * The command that starts a sandbox.
 *
 * @param memoryLimitMb heap limit of the process in MB; the relay watches resident memory besides
 */
export function sandboxCommand(memoryLimitMb: number): SandboxCommand {
  const path = executable();
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
  const own = entry.protocol === "file:" ? localFlags(entry) : remoteFlags(entry);
  return { path, args: [...flags, ...own, entry.href], env: childEnv() };
}

/** The engine's folder and its configuration, whatever the caller's folder holds. */
function localFlags(entry: URL): string[] {
  const folder = dirname(fromFileUrl(entry));
  const config = join(dirname(folder), "deno.json");
  return ["--no-remote", `--allow-read=${folder}`, `--config=${config}`];
}

/**
 * An engine that was imported by URL has no configuration file. Its modules are in the cache, as
 * `prefetch.ts` sees to, which tells of packages by name too.
 */
function remoteFlags(entry: URL): string[] {
  const map = encodeURIComponent(JSON.stringify({ imports: prefetched?.SANDBOX_IMPORTS }));
  return [
    "--no-config",
    `--allow-import=${entry.host}`,
    `--import-map=data:application/json,${map}`,
  ];
}

// Here, before the first sandbox is asked for, and only where modules have to be fetched.
const prefetched = import.meta.url.startsWith("file:")
  ? undefined
  : await import(import.meta.resolve("./prefetch.ts")) as typeof import("./prefetch.ts");
