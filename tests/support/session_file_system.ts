/** File systems that fail on purpose, and one that records so that a test can cut the power. */
import { dirname } from "@std/path";
import { denoFileSystem, type FileSystem, type WritableFile } from "../../lib/file_system.ts";

/** Which operation fails, and how. */
export interface Fault {
  /** The number of the operation, from 1. */
  readonly at: number;
  /** Whether everything after it fails too, as when the process died there. */
  readonly forGood: boolean;
  readonly error: () => Error;
}

/** The error of a full disk, as Deno throws it. */
export function diskFull(): Error {
  return Object.assign(new Error("No space left on device (os error 28)"), { code: "ENOSPC" });
}

/** The machine's file system with one fault; `operations()` counts what was asked so far. */
export function faultyFileSystem(fault: Fault): FileSystem & { operations(): number } {
  let count = 0;
  const guard = () => {
    count++;
    if (count === fault.at || (fault.forGood && count > fault.at)) throw fault.error();
  };
  const real = denoFileSystem;
  const guarded = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => (...args: A) => {
    try {
      guard();
    } catch (error) {
      return Promise.reject(error);
    }
    return work(...args);
  };
  return {
    operations: () => count,
    readFile: guarded(real.readFile),
    stat: guarded(real.stat),
    list: guarded(real.list),
    makeDir: guarded(real.makeDir),
    link: guarded(real.link),
    rename: guarded(real.rename),
    remove: guarded(real.remove),
    syncDir: guarded(real.syncDir),
    lock: real.lock,
    create: guarded(async (path: string): Promise<WritableFile> => {
      const file = await real.create(path);
      return {
        // A write that fails leaves a part of the data, as a full disk does.
        write: async (data) => {
          try {
            guard();
          } catch (error) {
            await file.write(data.subarray(0, data.length >> 1));
            throw error;
          }
          await file.write(data);
        },
        sync: guarded(() => file.sync()),
        close: () => file.close(),
      };
    }),
  };
}

interface Inode {
  data: Uint8Array;
  durable: Uint8Array;
}

/** How much of what was not flushed a power cut takes away. */
export type Loss = "nothing" | "contents" | "names" | "contents and names";

type Operation = (disk: Disk) => void;

/** A disk in memory that knows what was flushed. Paths are keys. */
class Disk {
  readonly names = new Map<string, Inode>();
  readonly durableNames = new Map<string, Inode>();

  syncDir(dir: string): void {
    const inside = (path: string) => dirname(path) === dir;
    for (const path of [...this.durableNames.keys()].filter(inside)) this.durableNames.delete(path);
    for (const [path, inode] of this.names) if (inside(path)) this.durableNames.set(path, inode);
  }

  files(loss: Loss): Map<string, Uint8Array> {
    const names = loss.includes("names") ? this.durableNames : this.names;
    const content = (inode: Inode) => loss.includes("contents") ? inode.durable : inode.data;
    return new Map([...names].map(([path, inode]) => [path, content(inode)]));
  }
}

/** Works on the real directory and remembers every change, to be played back up to any point. */
export class RecordingFileSystem implements FileSystem {
  readonly operations: Operation[] = [];
  readonly readFile = denoFileSystem.readFile;
  readonly stat = denoFileSystem.stat;
  readonly list = denoFileSystem.list;
  readonly makeDir = denoFileSystem.makeDir;
  readonly lock = denoFileSystem.lock;

  /** The files that a power cut after `count` operations leaves. */
  cutAfter(count: number, loss: Loss): Map<string, Uint8Array> {
    const disk = new Disk();
    for (const operation of this.operations.slice(0, count)) operation(disk);
    return disk.files(loss);
  }

  async create(path: string): Promise<WritableFile> {
    const file = await denoFileSystem.create(path);
    const inodeIn = new WeakMap<Disk, Inode>();
    this.operations.push((disk) => {
      const inode = { data: new Uint8Array(), durable: new Uint8Array() };
      inodeIn.set(disk, inode);
      disk.names.set(path, inode);
    });
    return {
      write: async (data) => {
        const copy = data.slice();
        this.operations.push((disk) => void (inodeIn.get(disk)!.data = copy));
        await file.write(data);
      },
      sync: async () => {
        this.operations.push((disk) => {
          const inode = inodeIn.get(disk)!;
          inode.durable = inode.data;
        });
        await file.sync();
      },
      close: () => file.close(),
    };
  }

  link(from: string, to: string): Promise<void> {
    this.operations.push((disk) => void disk.names.set(to, disk.names.get(from)!));
    return denoFileSystem.link(from, to);
  }

  rename(from: string, to: string): Promise<void> {
    this.operations.push((disk) => {
      disk.names.set(to, disk.names.get(from)!);
      disk.names.delete(from);
    });
    return denoFileSystem.rename(from, to);
  }

  remove(path: string): Promise<void> {
    this.operations.push((disk) => void disk.names.delete(path));
    return denoFileSystem.remove(path);
  }

  syncDir(dir: string): Promise<void> {
    this.operations.push((disk) => disk.syncDir(dir));
    return denoFileSystem.syncDir(dir);
  }
}
