/**
 * `@std/path` served by `node:path`: the same names and signatures, so that a switch to the real
 * package is one line of `deno.json`.
 *
 * @module
 */
import * as nodePath from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The separator of path segments on this machine: `/`, on Windows `\`. */
export const SEPARATOR: "/" | "\\" = nodePath.sep;

/** A regular expression that matches one or more separators. */
export const SEPARATOR_PATTERN: RegExp = SEPARATOR === "\\" ? /[\\/]+/ : /\/+/;

/** The segments joined and normalised. */
export function join(path: string | URL, ...paths: string[]): string {
  return nodePath.join(toPath(path), ...paths);
}

/** The segments resolved to an absolute path, from the right. */
export function resolve(...pathSegments: string[]): string {
  return nodePath.resolve(...pathSegments);
}

/** The path without its last segment. */
export function dirname(path: string | URL): string {
  return nodePath.dirname(toPath(path));
}

/** The last segment, without `suffix` where it ends so. */
export function basename(path: string | URL, suffix = ""): string {
  return nodePath.basename(toPath(path), suffix);
}

/** The extension with its dot, or an empty string. */
export function extname(path: string | URL): string {
  return nodePath.extname(toPath(path));
}

/** The path from `from` to `to`. */
export function relative(from: string, to: string): string {
  return nodePath.relative(from, to);
}

/** The path with `.`, `..` and repeated separators resolved. */
export function normalize(path: string | URL): string {
  return nodePath.normalize(toPath(path));
}

/** Whether the path is absolute on this machine. */
export function isAbsolute(path: string): boolean {
  return nodePath.isAbsolute(path);
}

/** The path of a `file:` URL. Throws a `TypeError` for other schemes. */
export function fromFileUrl(url: string | URL): string {
  return fileURLToPath(url);
}

/** The `file:` URL of an absolute path. Throws a `TypeError` for a relative one. */
export function toFileUrl(path: string): URL {
  if (!nodePath.isAbsolute(path)) {
    throw new TypeError(`Path must be absolute: received "${path}"`);
  }
  return pathToFileURL(path);
}

function toPath(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path;
}
