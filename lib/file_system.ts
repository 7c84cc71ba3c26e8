/**
 * The file operations that a session needs, as a port: tests inject a failure at any of them, and
 * record the sequence to cut it at any point.
 *
 * @module
 */

/** An open file that is written to. */
export interface WritableFile {
  /** Writes all of it. */
  write(data: Uint8Array): Promise<void>;
  /** Returns when the content is on the device. */
  sync(): Promise<void>;
  close(): void;
}

/** A file with an operating-system lock on it. */
export interface LockedFile {
  /** Replaces the content. */
  write(data: Uint8Array): Promise<void>;
  /** Gives the lock back and closes the file, which stays. */
  release(): Promise<void>;
}

/** What is at a path. */
export interface PathInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number | undefined;
  /** What tells a file from the one that replaces it; undefined where a system has no such number. */
  readonly inode?: number | undefined;
}

/** File operations. All reject with the errors of `Deno.errors`. */
export interface FileSystem {
  /** `undefined` where there is no file. Rejects for what has no end: a pipe, a device. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** `undefined` where there is nothing. Follows links. */
  stat(path: string): Promise<PathInfo | undefined>;
  /** Whether the path itself is a symbolic link. @default none is */
  isLink?(path: string): Promise<boolean>;
  /** Names in the directory, sorted; empty where there is none. */
  list(dir: string): Promise<string[]>;
  /** Creates the directory and its parents for the owner alone (0700). */
  makeDir(dir: string): Promise<void>;
  /** Creates a file for the owner alone (0600); fails where one exists. */
  create(path: string): Promise<WritableFile>;
  /** A second name for the same file; fails where the name exists. */
  link(from: string, to: string): Promise<void>;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a directory with what it holds; fine where there is none. */
  remove(path: string): Promise<void>;
  /** Returns when the names in the directory are on the device; nothing where that is not possible. */
  syncDir(dir: string): Promise<void>;
  /** Takes the exclusive lock of a file, created where absent; `undefined` where it is held. */
  lock(path: string): Promise<LockedFile | undefined>;
}

/**
 * The file system of the machine. What only makes a name is called directly: it takes a fifth of the
 * time of handing it to another thread and back, and each step of an agent does some of these. What
 * moves, flushes or replaces data never holds up the rest of the program.
 */
export const denoFileSystem: FileSystem = {
  readFile: async (path) => {
    const info = await orUndefined(Deno.stat(path));
    if (info === undefined) return undefined;
    if (!info.isFile) throw new Error("it is no regular file");
    return await orUndefined(Deno.readFile(path));
  },
  stat: async (path) => {
    const info = await orUndefined(Deno.stat(path));
    return info && {
      isFile: info.isFile,
      isDirectory: info.isDirectory,
      size: info.size,
      modified: info.mtime?.getTime(),
      inode: info.ino ?? undefined,
    };
  },
  isLink: async (path) => (await orUndefined(Deno.lstat(path)))?.isSymlink === true,
  list: async (dir) => {
    const names = await orUndefined(Array.fromAsync(Deno.readDir(dir), (entry) => entry.name));
    return (names ?? []).sort();
  },
  makeDir: (dir) => Deno.mkdir(dir, { recursive: true, mode: 0o700 }),
  create: (path) =>
    Promise.try(() => {
      const file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
      return {
        write: (data) => writeAll(file, data),
        sync: () => file.sync(),
        close: () => file.close(),
      };
    }),
  link: (from, to) => Promise.try(() => Deno.linkSync(from, to)),
  rename: (from, to) => Deno.rename(from, to),
  remove: async (path) => {
    await orUndefined(Deno.remove(path, { recursive: true }));
  },
  syncDir: async (dir) => {
    // Windows has no handle of a directory that could be flushed; NTFS journals its names.
    if (Deno.build.os === "windows") return;
    using handle = Deno.openSync(dir, { read: true });
    await handle.sync();
  },
  lock: lockFile,
};

async function lockFile(path: string): Promise<LockedFile | undefined> {
  // A session from elsewhere must not make us write its holder into a file outside it.
  const info = await orUndefined(Deno.lstat(path));
  if (info !== undefined && !info.isFile) throw new Error("it is no regular file; remove it");
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  try {
    if (!await file.tryLock(true)) {
      file.close();
      return undefined;
    }
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    write: async (data) => {
      await file.truncate(0);
      await file.seek(0, Deno.SeekMode.Start);
      await writeAll(file, data);
    },
    release: async () => {
      try {
        await file.unlock();
      } finally {
        file.close();
      }
    },
  };
}

async function writeAll(file: Deno.FsFile, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.length;) at += await file.write(data.subarray(at));
}

async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
