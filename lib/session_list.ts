import { join, resolve } from "@std/path";
import { denoFileSystem, type FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import { CHECKPOINT_DIR } from "./session_checkpoint.ts";
import { LOCK_FILE } from "./session_lock.ts";
import { PREVIOUS_FILE, readManifest, STATE_FILE } from "./session_state_file.ts";
import { VALUES_DIR } from "./session_values.ts";

/** A session found below a directory. */
export interface SessionListing {
  /** Absolute path. */
  readonly dir: string;
  /** Why it cannot be opened; absent where it can, and then the counts are there. */
  readonly fault?: string;
  /** How many queries its ledger has. */
  readonly queries?: number;
  /** How many variables it holds. */
  readonly variables?: number;
  /** How many functions and classes it holds. */
  readonly functions?: number;
  /** How many names were not saved. */
  readonly dropped?: number;
  /** The newest query, at most 200 characters. */
  readonly lastQuery?: string;
  /** How the newest query ended. */
  readonly lastStatus?: string;
  /** Bytes of everything in the directory. */
  readonly bytes: number;
  /** When state was last written, milliseconds since the epoch. */
  readonly modified: number | undefined;
}

/** How deep below the given directory sessions are looked for. */
const maxDepth = 6;
const ownDirs = new Set([VALUES_DIR, CHECKPOINT_DIR, "logs"]);

/** All sessions at and below `dir`, sorted by path. Bad ones are marked and hide no others. */
export async function listSessions(
  dir: string,
  fs: FileSystem = denoFileSystem,
): Promise<SessionListing[]> {
  const found: SessionListing[] = [];
  await collect(resolve(dir), 0, fs, found);
  return found.sort((a, b) => (a.dir < b.dir ? -1 : 1));
}

async function collect(
  dir: string,
  depth: number,
  fs: FileSystem,
  found: SessionListing[],
): Promise<void> {
  const names = await fs.list(dir).catch((): string[] => []);
  const isSession = names.includes(STATE_FILE) || names.includes(PREVIOUS_FILE) ||
    (names.includes(CHECKPOINT_DIR) && names.includes(LOCK_FILE));
  if (isSession) found.push(await describe(dir, fs));
  if (depth === maxDepth) return;
  for (const name of names) {
    if (name.startsWith(".") || name === "node_modules" || (isSession && ownDirs.has(name))) {
      continue;
    }
    const path = join(dir, name);
    if ((await fs.stat(path).catch(() => undefined))?.isDirectory) {
      await collect(path, depth + 1, fs, found);
    }
  }
}

async function describe(dir: string, fs: FileSystem): Promise<SessionListing> {
  const state = await fs.stat(join(dir, STATE_FILE)).catch(() => undefined);
  const disk = { dir, bytes: await bytesBelow(dir, fs, 2), modified: state?.modified };
  try {
    const { manifest } = await readManifest(dir, fs);
    const last = manifest.queries.at(-1);
    return {
      ...disk,
      queries: manifest.queries.length,
      variables: Object.keys(manifest.variables).length,
      functions: Object.keys(manifest.functions).length,
      dropped: Object.keys(manifest.dropped).length,
      ...(last && { lastQuery: inertLine(last.query, 200), lastStatus: last.status }),
    };
  } catch (error) {
    return { ...disk, fault: inertLine((error as Error).message, 500) };
  }
}

async function bytesBelow(dir: string, fs: FileSystem, depth: number): Promise<number> {
  let bytes = 0;
  for (const name of await fs.list(dir).catch((): string[] => [])) {
    const info = await fs.stat(join(dir, name)).catch(() => undefined);
    if (info?.isFile) bytes += info.size;
    else if (info?.isDirectory && depth > 0 && ownDirs.has(name)) {
      bytes += await bytesBelow(join(dir, name), fs, depth - 1);
    }
  }
  return bytes;
}
