import { join } from "@std/path";
import { linkAtomic, writeAtomic, type WriteContext } from "./atomic_write.ts";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import type { FileSystem, PathInfo } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import { listCheckpoints, readCheckpoint } from "./session_checkpoint.ts";
import {
  DEVALUE_VERSION,
  emptyManifest,
  FORMAT,
  type Manifest,
  SUM_FROM,
} from "./session_format.ts";
import { referencedPayloads } from "./session_merge.ts";
import { type ParsedManifest, parseManifest, unreadable } from "./session_parse.ts";
import { ManifestText } from "./session_text.ts";
import { payloadId } from "./session_values.ts";
import { VERSION } from "./version.ts";

/** The manifest of a session directory. */
export const STATE_FILE = "state.json";

/** The manifest before the newest one, for repair. */
export const PREVIOUS_FILE = "state.prev.json";

/** The largest state file that is read; V8 holds no much longer text. */
const maxBytes = 400 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Writes `state.json`, and keeps the one before it as `state.prev.json`. */
export class StateFile {
  /** Whether there is a `state.json` to keep. */
  #exists = false;
  readonly #path: string;
  readonly #previous: string;
  readonly #context: WriteContext;
  readonly #text = new ManifestText();
  #sum: { readonly of: Manifest["payloads"]; readonly sum: string | undefined } | undefined;
  #bytes: Uint8Array | undefined;

  constructor(dir: string, context: WriteContext) {
    this.#path = join(dir, STATE_FILE);
    this.#previous = join(dir, PREVIOUS_FILE);
    this.#context = context;
  }

  /** Takes what was read from the file, so that parts that stay as they are cost nothing to write. */
  read({ manifest, exists, fields }: ReadManifest): void {
    this.#exists = exists;
    if (fields) this.#text.remember(manifest, fields);
    this.#sum = { of: manifest.payloads, sum: manifest.sum };
  }

  /**
   * Writes the manifest with this engine's versions in it. Resolves to what was written.
   *
   * @param areWhole whether the hashes of all its payloads were seen: a sum vouches for no others
   */
  async write(
    manifest: Manifest,
    areWhole = false,
  ): Promise<{ manifest: Manifest; bytes: number }> {
    const { sum: _, ...state } = manifest;
    const sum = await this.#sumOf(manifest, areWhole);
    const next: Manifest = {
      ...state,
      format: FORMAT,
      devalue: DEVALUE_VERSION,
      engine: VERSION,
      ...(sum === undefined ? {} : { sum }),
    };
    const bytes = this.#text.encode(next);
    if (this.#exists) await this.#keepPrevious();
    await writeAtomic(this.#path, bytes, this.#context);
    this.#exists = true;
    this.#bytes = bytes;
    return { manifest: next, bytes: bytes.length };
  }

  /**
   * Whether the manifest's sum says that no inline payload is damaged: one hash in the place of one
   * for each.
   */
  async vouchesFor({ payloads, sum }: Manifest): Promise<boolean> {
    if (typeof sum !== "string") return false;
    return await payloadId(this.#text.bytesOf("payloads", payloads) as Bytes) === sum;
  }

  async #sumOf({ payloads }: Manifest, areWhole: boolean): Promise<string | undefined> {
    if (this.#sum?.of === payloads) return this.#sum.sum;
    const inline = Object.values(payloads).filter(({ text }) => text !== undefined).length;
    const sum = areWhole && inline > SUM_FROM
      ? await payloadId(this.#text.bytesOf("payloads", payloads) as Bytes)
      : undefined;
    this.#sum = { of: payloads, sum };
    return sum;
  }

  /** A second name for the file is enough, since the next write makes a new file. */
  async #keepPrevious(): Promise<void> {
    try {
      await linkAtomic(this.#path, this.#previous, this.#context);
    } catch {
      // A file system without hard links gets a copy.
      const bytes = this.#bytes ?? await this.#context.fs.readFile(this.#path);
      if (bytes) await writeAtomic(this.#previous, bytes, this.#context);
    }
  }
}

/** What `readManifest` found. */
export interface ReadManifest extends ParsedManifest {
  readonly exists: boolean;
  /** What told the file when it was read. */
  readonly info?: PathInfo;
}

/**
 * The manifest of a session directory, an empty one where there is no session. Throws
 * `session_unreadable` where it is damaged, newer, or lost while its companions are there. A file
 * that holds what it held `before` is not parsed again.
 */
export async function readManifest(
  dir: string,
  fs: FileSystem,
  before?: ReadManifest,
): Promise<ReadManifest> {
  const path = join(dir, STATE_FILE);
  try {
    if ((await fs.stat(dir))?.isDirectory === false) {
      throw new RlmError("config", `Cannot use sessionDir: ${inertLine(dir, 500)} is no directory`);
    }
    const info = await fs.stat(path);
    if (info?.isFile === false) throw unreadable(path, dir, "is no regular file");
    if (info && info.size > maxBytes) {
      const size = Math.round(info.size / 1_048_576);
      throw unreadable(path, dir, `has ${size} MB, at most ${maxBytes / 1_048_576} are read`);
    }
    if (info && before?.info && isSameFile(info, before.info)) return before;
    const bytes = info && await fs.readFile(path);
    if (info && bytes) return { ...parseManifest(bytes, path, dir), exists: true, info };
    if (await fs.stat(join(dir, PREVIOUS_FILE)) || (await listCheckpoints(dir, fs)).length > 0) {
      throw unreadable(path, dir, "is missing, but there is an earlier state");
    }
    return { manifest: emptyManifest(), exists: false };
  } catch (error) {
    throw diskError(dir, "read the session", error);
  }
}

/** A manifest is never changed, only replaced by another file: an earlier one still has its inode. */
function isSameFile(a: PathInfo, b: PathInfo): boolean {
  return a.inode !== undefined && a.inode === b.inode && a.size === b.size &&
    a.modified === b.modified;
}

/** Payloads that any manifest in the directory names; `undefined` where one cannot be read. */
export async function neededPayloads(
  dir: string,
  fs: FileSystem,
): Promise<Set<string> | undefined> {
  const needed = new Set<string>();
  const add = (state: Pick<Manifest, "variables" | "functions">) =>
    referencedPayloads(state).forEach((id) => needed.add(id));
  try {
    for (const file of [STATE_FILE, PREVIOUS_FILE]) {
      const path = join(dir, file);
      const bytes = await fs.readFile(path);
      if (bytes) add(parseManifest(bytes, path, dir).manifest);
    }
    for (const number of await listCheckpoints(dir, fs)) {
      const checkpoint = await readCheckpoint(dir, number, fs);
      if (checkpoint) add(checkpoint);
    }
    return needed;
  } catch {
    return undefined;
  }
}
