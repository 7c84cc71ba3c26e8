import { join } from "@std/path";
import { writeAtomic, type WriteContext } from "./atomic_write.ts";
import { reasonOf } from "./disk_error.ts";
import type { PayloadEntry } from "./session_format.ts";

/** The directory of payload files in a session directory. */
export const VALUES_DIR = "values";

/** SHA-256 of a text's UTF-8, hexadecimal. */
export async function payloadId(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The files in `values/`: written once, named by what they hold, checked when read. */
export class ValueFiles {
  readonly dir: string;
  readonly #sessionDir: string;
  #made = false;
  readonly #context: WriteContext;
  /** Files known to be whole, so that a step does not ask the disk for each. */
  readonly #present = new Set<string>();
  readonly #faulty = new Set<string>();
  /** Entries of those: another entry of the same payload may hold what was saved. */
  readonly #damaged = new WeakSet<PayloadEntry>();
  /** Files that this object created: nobody else can need them but by their id. */
  readonly #created = new Set<string>();

  constructor(sessionDir: string, context: WriteContext) {
    this.dir = join(sessionDir, VALUES_DIR);
    this.#sessionDir = sessionDir;
    this.#context = context;
  }

  /**
   * The entry of a payload, its text inline where it has up to `inlineBytes`, else in a file.
   * `written` counts the bytes written to files.
   */
  async store(
    id: string,
    text: string,
    inlineBytes: number,
  ): Promise<{ entry: PayloadEntry; written: number }> {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= inlineBytes) return { entry: { bytes: bytes.length, text }, written: 0 };
    const entry = { bytes: bytes.length };
    if (await this.#has(id, bytes.length)) return { entry, written: 0 };
    await this.#makeDir();
    await writeAtomic(join(this.dir, id), bytes, this.#context);
    this.#present.add(id);
    // What replaces a missing or damaged file may be named by checkpoints.
    if (!this.#faulty.delete(id)) this.#created.add(id);
    return { entry, written: bytes.length };
  }

  /** The UTF-8 in a payload's file, not checked yet, or why it cannot be had; one line. */
  async read(
    id: string,
    entry: PayloadEntry,
  ): Promise<{ utf8: Uint8Array<ArrayBuffer> } | { fault: string }> {
    try {
      const utf8 = await this.#context.fs.readFile(join(this.dir, id));
      return utf8
        ? { utf8: utf8 as Uint8Array<ArrayBuffer> }
        : { fault: this.#fault(id, entry, "is missing") };
    } catch (error) {
      return { fault: this.#fault(id, entry, `cannot be read: ${reasonOf(error as Error)}`) };
    }
  }

  /**
   * What is wrong with a payload, in one line; undefined: nothing.
   *
   * @param utf8 what was read from its file @default its inline text
   */
  async check(
    id: string,
    entry: PayloadEntry,
    utf8: Uint8Array<ArrayBuffer> = new TextEncoder().encode(entry.text),
  ): Promise<string | undefined> {
    if (await payloadId(utf8) !== id) {
      return this.#fault(id, entry, `is damaged (${utf8.length} bytes, wrong hash)`);
    }
    this.#damaged.delete(entry);
    if (entry.text === undefined) this.#present.add(id);
    return undefined;
  }

  /** Whether a payload can be had and is what was saved. */
  async isWhole(id: string, entry: PayloadEntry): Promise<boolean> {
    if (entry.text !== undefined) return await this.check(id, entry) === undefined;
    const read = await this.read(id, entry);
    return "utf8" in read && await this.check(id, entry, read.utf8) === undefined;
  }

  #fault(id: string, entry: PayloadEntry, what: string): string {
    this.#faulty.add(id);
    this.#damaged.add(entry);
    const where = entry.text === undefined
      ? `file values/${id.slice(0, 12)}…`
      : "value in state.json";
    return `its ${where} ${what}`;
  }

  /** Whether the last reading of this entry found its payload missing or damaged. */
  isDamaged(entry: PayloadEntry): boolean {
    return this.#damaged.has(entry);
  }

  /** Removes files that this object created and that are not in `needed`. */
  async collectCreated(needed: ReadonlySet<string>): Promise<void> {
    for (const id of this.#created) {
      if (!needed.has(id)) await this.#discard(id);
    }
  }

  /** What was created so far belongs to a checkpoint now and is no longer collected by step. */
  settle(): void {
    this.#created.clear();
  }

  /** Removes every file named by a hash that is not in `needed`; others are left. */
  async collectAll(needed: ReadonlySet<string>): Promise<number> {
    let removed = 0;
    for (const name of await this.#context.fs.list(this.dir)) {
      if (!/^[0-9a-f]{64}$/.test(name) || needed.has(name)) continue;
      await this.#discard(name);
      removed++;
    }
    return removed;
  }

  /** The directory's own name must be on the device before a manifest counts on it. */
  async #makeDir(): Promise<void> {
    if (this.#made) return;
    await this.#context.fs.makeDir(this.dir);
    await this.#context.fs.syncDir(this.#sessionDir);
    this.#made = true;
  }

  async #has(id: string, bytes: number): Promise<boolean> {
    if (this.#faulty.has(id)) return false;
    if (this.#present.has(id)) return true;
    const info = await this.#context.fs.stat(join(this.dir, id));
    const whole = info?.isFile === true && info.size === bytes;
    if (whole) this.#present.add(id);
    return whole;
  }

  async #discard(id: string): Promise<void> {
    this.#present.delete(id);
    this.#created.delete(id);
    try {
      await this.#context.fs.remove(join(this.dir, id));
    } catch {
      // A file too many costs disk, never state; the next collection tries again.
    }
  }
}
