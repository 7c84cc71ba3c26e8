import { join } from "@std/path";
import { linkAtomic, writeAtomic, type WriteContext } from "./atomic_write.ts";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import type { FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import { listCheckpoints, readCheckpoint } from "./session_checkpoint.ts";
import { DEVALUE_VERSION, emptyManifest, FORMAT, type Manifest } from "./session_format.ts";
import { referencedPayloads } from "./session_merge.ts";
import { type ParsedManifest, parseManifest, unreadable } from "./session_parse.ts";
import { ManifestText } from "./session_text.ts";
import { inlineSum } from "./session_values.ts";
import { VERSION } from "./version.ts";

/** The manifest of a session directory. */
export const STATE_FILE = "state.json";

/** The manifest before the newest one, for repair. */
export const PREVIOUS_FILE = "state.prev.json";

/** The largest state file that is read; V8 holds no much longer text. */
const maxBytes = 400 * 1024 * 1024;

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
  }

  /** Writes the manifest with this engine's versions in it. Resolves to what was written. */
  async write(manifest: Manifest): Promise<{ manifest: Manifest; bytes: number }> {
    const { sum: _, ...state } = manifest;
    if (this.#sum?.of !== state.payloads) {
      this.#sum = { of: state.payloads, sum: await inlineSum(state.payloads) };
    }
    const { sum } = this.#sum;
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
  /** The file's content, where there is one. */
  readonly bytes?: Uint8Array;
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
    const bytes = info && await fs.readFile(path);
    if (bytes && before?.bytes && sameBytes(bytes, before.bytes)) return before;
    if (bytes) return { ...parseManifest(bytes, path, dir), exists: true, bytes };
    if (await fs.stat(join(dir, PREVIOUS_FILE)) || (await listCheckpoints(dir, fs)).length > 0) {
      throw unreadable(path, dir, "is missing, but there is an earlier state");
    }
    return { manifest: emptyManifest(), exists: false };
  } catch (error) {
    throw diskError(dir, "read the session", error);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // By words: of a long session these are a million bytes, in a loop that V8 has not compiled yet.
  const words = a.length >> 2;
  const [x, y] = [a, b].map(({ buffer, byteOffset }) =>
    byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, words) : undefined
  );
  let at = 0;
  if (x && y) {
    while (at < words && x[at] === y[at]) at++;
    if (at < words) return false;
    at *= 4;
  }
  while (at < a.length && a[at] === b[at]) at++;
  return at === a.length;
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
