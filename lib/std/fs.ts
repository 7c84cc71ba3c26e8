/**
 * `@std/fs` served by `Deno.*`: the same names and signatures, so that a switch to the real package
 * is one line of `deno.json`.
 *
 * @module
 */
import { join } from "./path.ts";

/** Options of {@linkcode exists}. */
export interface ExistsOptions {
  /** Only a readable path counts. @default {false} */
  isReadable?: boolean;
  /** Only a directory counts. @default {false} */
  isDirectory?: boolean;
  /** Only a file counts. @default {false} */
  isFile?: boolean;
}

/** Whether something is at the path; a snapshot, so open rather than ask where that is possible. */
export async function exists(path: string | URL, options: ExistsOptions = {}): Promise<boolean> {
  if (options.isDirectory && options.isFile) {
    throw new TypeError(
      "ExistsOptions.options.isDirectory and ExistsOptions.options.isFile must not be true together",
    );
  }
  try {
    const info = await Deno.stat(path);
    if (options.isDirectory && !info.isDirectory) return false;
    if (options.isFile && !info.isFile) return false;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied && !options.isReadable) return true;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
}

/** Creates the directory and its parents where they are absent; throws where a file is in the way. */
export async function ensureDir(dir: string | URL): Promise<void> {
  try {
    await Deno.mkdir(dir, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    const info = await Deno.stat(dir);
    if (!info.isDirectory) {
      throw new Error(`Failed to ensure directory exists: expected 'dir', got 'file'`, {
        cause: error,
      });
    }
  }
}

/** An entry that {@linkcode walk} yields. */
export interface WalkEntry extends Deno.DirEntry {
  /** Path from the root that was given. */
  path: string;
}

/** Options of {@linkcode walk}. */
export interface WalkOptions {
  /** How deep to go; the root is 0. @default {Infinity} */
  maxDepth?: number;
  /** Whether files are yielded. @default {true} */
  includeFiles?: boolean;
  /** Whether directories are yielded. @default {true} */
  includeDirs?: boolean;
  /** Whether symbolic links are yielded; they are never followed here. @default {true} */
  includeSymlinks?: boolean;
}

/** Everything below `root`, the root first, directories before what they hold, sorted by name. */
export async function* walk(
  root: string | URL,
  options: WalkOptions = {},
): AsyncIterableIterator<WalkEntry> {
  const top = join(root);
  const info = await Deno.lstat(top);
  const entry = {
    path: top,
    name: top,
    isFile: info.isFile,
    isDirectory: info.isDirectory,
    isSymlink: info.isSymlink,
  };
  yield* walkEntry(entry, options, options.maxDepth ?? Infinity);
}

async function* walkEntry(
  entry: WalkEntry,
  options: WalkOptions,
  depth: number,
): AsyncIterableIterator<WalkEntry> {
  if (depth < 0) return;
  const { includeFiles = true, includeDirs = true, includeSymlinks = true } = options;
  if (entry.isSymlink ? includeSymlinks : entry.isDirectory ? includeDirs : includeFiles) {
    yield entry;
  }
  if (!entry.isDirectory || depth === 0) return;
  const children = await Array.fromAsync(Deno.readDir(entry.path));
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const child of children) {
    yield* walkEntry({ ...child, path: join(entry.path, child.name) }, options, depth - 1);
  }
}
