/**
 * `@std/path` as far as it is used here: the same names and signatures, so that a switch to the real
 * package is one line of `deno.json`. On Windows `node:path` does the work.
 *
 * @module
 */
import * as posix from "./path_posix.ts";

interface Windows {
  readonly path: typeof import("node:path");
  readonly url: typeof import("node:url");
}

/** Node's modules, where they are needed: loading them takes 6 ms. */
function loadWindows(): Windows {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(id: string): unknown };
  };
  const get = (id: string) => process.getBuiltinModule(id);
  return { path: get("node:path"), url: get("node:url") } as Windows;
}

const windows: Windows | undefined = Deno.build.os === "windows" ? loadWindows() : undefined;
const paths = windows?.path ?? posix;
const pathOfUrl = windows?.url.fileURLToPath ?? posix.fromFileUrl;
const urlOfPath = windows?.url.pathToFileURL ?? posix.toFileUrl;

/** The separator of path segments on this machine: `/`, on Windows `\`. */
export const SEPARATOR: "/" | "\\" = windows ? "\\" : "/";

/** A regular expression that matches one or more separators. */
export const SEPARATOR_PATTERN: RegExp = SEPARATOR === "\\" ? /[\\/]+/ : /\/+/;

/** The segments joined and normalised. */
export function join(path: string | URL, ...more: string[]): string {
  return paths.join(toPath(path), ...more);
}

/** The segments resolved to an absolute path, from the right. */
export function resolve(...pathSegments: string[]): string {
  return paths.resolve(...pathSegments);
}

/** The path without its last segment. */
export function dirname(path: string | URL): string {
  return paths.dirname(toPath(path));
}

/** The last segment, without `suffix` where it ends so. */
export function basename(path: string | URL, suffix = ""): string {
  return paths.basename(toPath(path), suffix);
}

/** The extension of the last segment with its dot; empty where there is none. */
export function extname(path: string | URL): string {
  return paths.extname(toPath(path));
}

/** The path from `from` to `to`. */
export function relative(from: string, to: string): string {
  return paths.relative(from, to);
}

/** The path with `.`, `..` and repeated separators resolved. */
export function normalize(path: string | URL): string {
  return paths.normalize(toPath(path));
}

/** Whether the path is absolute on this machine. */
export function isAbsolute(path: string): boolean {
  return paths.isAbsolute(path);
}

/** The path of a `file:` URL. Throws a `TypeError` for other schemes. */
export function fromFileUrl(url: string | URL): string {
  return pathOfUrl(url);
}

/** The `file:` URL of an absolute path. Throws a `TypeError` for a relative one. */
export function toFileUrl(path: string): URL {
  if (!isAbsolute(path)) throw new TypeError(`Path must be absolute: received "${path}"`);
  return urlOfPath(path);
}

function toPath(path: string | URL): string {
  return path instanceof URL ? pathOfUrl(path) : path;
}
