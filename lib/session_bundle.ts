/**
 * A session as one file: JSON lines, a header, then one record a manifest, checkpoint, value or
 * transcript, then a count, so that a torn file is noticed. An imported file is checked like any
 * state from elsewhere, whole, before anything is created.
 *
 * @module
 */
import { basename, join, resolve } from "@std/path";
import { writeAtomic, type WriteContext } from "./atomic_write.ts";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import { denoFileSystem, type FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import {
  type AdminOptions,
  checkFree,
  existing,
  type ForkReport,
  isInside,
  removeHalfMade,
  withLock,
} from "./session_admin.ts";
import {
  type Checkpoint,
  CHECKPOINT_DIR,
  listCheckpoints,
  parseCheckpoint,
  readCheckpoint,
} from "./session_checkpoint.ts";
import { emptyRecord, type Manifest } from "./session_format.ts";
import { referencedPayloads } from "./session_merge.ts";
import { checkManifest, StateFault } from "./session_parse.ts";
import { segmentFault } from "./session_path.ts";
import { StateFile } from "./session_state_file.ts";
import { payloadId, VALUES_DIR } from "./session_values.ts";

/** The version of the bundle format that this engine writes and reads. */
const BUNDLE_VERSION = 1;

/** Writes the session in `dir` to the new file `file` (0600), with its checkpoints and transcripts. */
export async function exportSession(
  dir: string,
  file: string,
  options: AdminOptions,
): Promise<void> {
  const fs = options.fs ?? denoFileSystem;
  const [from, to] = [resolve(dir), resolve(file)];
  const there = await fs.stat(to).catch((error) => {
    throw diskError(to, "export the session", error);
  });
  if (there) {
    const fault = there.isDirectory
      ? "it is a directory; name a new file"
      : "the file exists already; name a new file, or remove that one first";
    throw new RlmError("input", `Cannot export to ${inertLine(to, 500)}: ${fault}`);
  }
  await withLock(from, options, async () => {
    const manifest = await existing(from, fs);
    try {
      await writeAtomic(to, lines(records(from, manifest, fs)), { fs, clock: options.clock });
    } catch (error) {
      throw diskError(to, "export the session", error);
    }
  });
}

/** Makes the new session directory `dest` from an exported file. */
export async function importSession(
  file: string,
  dest: string,
  options: AdminOptions,
): Promise<ForkReport> {
  const fs = options.fs ?? denoFileSystem;
  const [from, to] = [resolve(file), resolve(dest)];
  await checkFree(to, fs);
  const bytes = await fs.readFile(from).catch((error) => {
    throw diskError(from, "import a session", error, "; name a file that session export wrote");
  });
  if (bytes === undefined) {
    throw new RlmError("input", `Cannot import ${inertLine(from, 500)}: there is no such file`);
  }
  const manifest = await checkBundle(bytes, from);
  try {
    return await unpack(bytes, manifest, to, { fs, clock: options.clock });
  } catch (error) {
    await removeHalfMade(to, fs);
    throw diskError(to, "import the session", error);
  }
}

async function* records(dir: string, manifest: Manifest, fs: FileSystem): AsyncGenerator<unknown> {
  yield { fast_rlm_session: BUNDLE_VERSION };
  const values = referencedPayloads(manifest);
  for (const number of await listCheckpoints(dir, fs)) {
    // A damaged checkpoint is no part of what can be resumed.
    const checkpoint = await readCheckpoint(dir, number, fs).catch(() => undefined);
    if (checkpoint === undefined) continue;
    referencedPayloads(checkpoint).forEach((id) => values.add(id));
    yield { checkpoint: await withoutDamage(checkpoint) };
  }
  for (const id of values) {
    const bytes = await fs.readFile(join(dir, VALUES_DIR, id));
    if (bytes && await payloadId(bytes as Uint8Array<ArrayBuffer>) === id) {
      yield { value: id, text: new TextDecoder().decode(bytes) };
    }
  }
  // A link may lead anywhere; what is exported is the session's own.
  const linked = async (path: string) => await fs.isLink?.(join(dir, path)) === true;
  const foreign = await linked("logs");
  for (const { log } of manifest.queries) {
    if (log === undefined || !isInside(log) || foreign || await linked(log)) continue;
    const bytes = await fs.readFile(join(dir, log));
    if (bytes) yield { log, text: new TextDecoder().decode(bytes) };
  }
  yield { manifest: await withoutDamage(manifest) };
}

/** Without the texts that are not what their hash says: an import would refuse them all. */
async function withoutDamage<State extends Pick<Manifest, "payloads">>(
  state: State,
): Promise<State> {
  const damaged = new Set(await damagedTexts(state));
  if (damaged.size === 0) return state;
  const payloads: Record<string, Manifest["payloads"][string]> = emptyRecord();
  for (const [id, entry] of Object.entries(state.payloads)) {
    const { text: _damaged, ...rest } = entry;
    payloads[id] = damaged.has(id) ? rest : entry;
  }
  return { ...state, payloads };
}

/** Ids of the payloads whose text is in the state and is not what the id says. */
async function damagedTexts({ payloads }: Pick<Manifest, "payloads">): Promise<string[]> {
  const encoder = new TextEncoder();
  const damaged: string[] = [];
  for (const [id, { text }] of Object.entries(payloads)) {
    if (text !== undefined && await payloadId(encoder.encode(text)) !== id) damaged.push(id);
  }
  return damaged;
}

async function* lines(records: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let count = 0;
  for await (const record of records) {
    count++;
    yield encoder.encode(JSON.stringify(record) + "\n");
  }
  yield encoder.encode(JSON.stringify({ end: count }) + "\n");
}

/** A record of a bundle after its checks. */
type BundleRecord =
  | { readonly kind: "header" }
  | { readonly kind: "end"; readonly count: number }
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly kind: "value"; readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "log"; readonly log: string; readonly text: string };

/** Checks every line; resolves to the manifest. */
async function checkBundle(bytes: Uint8Array, path: string): Promise<Manifest> {
  let manifest: Manifest | undefined;
  let count = 0;
  let ended = false;
  for (const line of splitLines(bytes)) {
    try {
      const record = parseRecord(line);
      if (count === 0 && record.kind !== "header") throw new StateFault("is no bundle header");
      if (ended) throw new StateFault("comes after the end");
      if (record.kind === "end") {
        if (record.count !== count) throw new StateFault(`tells of ${record.count} records`);
        ended = true;
        continue;
      }
      if (await isDamaged(record)) throw new StateFault("holds a value under a wrong hash");
      if (record.kind === "manifest") manifest = record.manifest;
      count++;
    } catch (error) {
      if (!(error instanceof StateFault)) throw error;
      if (count === 0 && !isHeader(line)) {
        throw new RlmError(
          "input",
          `Cannot import ${
            inertLine(path, 500)
          }: it is no export of a session; nothing was created; ` +
            "name a file that fast-rlm session export made",
        );
      }
      throw notImportable(path, `line ${count + 1} ${error.message}`);
    }
  }
  if (!ended || manifest === undefined) throw notImportable(path, `it ends after ${count} records`);
  return manifest;
}

/** Whether a line begins as an export does, of whatever version. */
function isHeader(line: Uint8Array): boolean {
  return /^\{"fast_rlm_session":/.test(new TextDecoder().decode(line.subarray(0, 40)));
}

async function isDamaged(record: BundleRecord): Promise<boolean> {
  switch (record.kind) {
    case "value":
      return await payloadId(record.bytes) !== record.id;
    case "manifest":
      return (await damagedTexts(record.manifest)).length > 0;
    case "checkpoint":
      return (await damagedTexts(record.checkpoint)).length > 0;
    default:
      return false;
  }
}

function parseRecord(line: Uint8Array): BundleRecord {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (cause) {
    throw new StateFault("is no valid JSON", { cause });
  }
  if (typeof value !== "object" || value === null) throw new StateFault("is no record");
  const { text } = value;
  if (value["fast_rlm_session"] === BUNDLE_VERSION) return { kind: "header" };
  if (typeof value["end"] === "number") return { kind: "end", count: value["end"] };
  if ("manifest" in value) return { kind: "manifest", manifest: checkManifest(value["manifest"]) };
  if ("checkpoint" in value) {
    return { kind: "checkpoint", checkpoint: parseCheckpoint(value["checkpoint"]) };
  }
  if (typeof value["value"] === "string" && typeof text === "string") {
    return { kind: "value", id: value["value"], bytes: new TextEncoder().encode(text) };
  }
  if (typeof value["log"] === "string" && typeof text === "string") {
    const log = value["log"];
    const fault = isInside(log) ? segmentFault(basename(log)) : "it is not in logs/";
    if (fault !== undefined) {
      throw new StateFault(`names a transcript that cannot be one: ${fault}`);
    }
    return { kind: "log", log, text };
  }
  throw new StateFault("is a record that this engine does not know");
}

/** Writes what was checked; the manifest last, so that a torn import is no session. */
async function unpack(
  bytes: Uint8Array,
  manifest: Manifest,
  dir: string,
  context: WriteContext,
): Promise<ForkReport> {
  const { fs } = context;
  for (const sub of ["", VALUES_DIR, CHECKPOINT_DIR, "logs"]) await fs.makeDir(join(dir, sub));
  const checkpoints: Checkpoint[] = [];
  for (const line of splitLines(bytes)) {
    const record = parseRecord(line);
    if (record.kind === "value") {
      await writeAtomic(join(dir, VALUES_DIR, record.id), record.bytes, context);
    } else if (record.kind === "log") {
      await writeAtomic(join(dir, record.log), new TextEncoder().encode(record.text), context);
    } else if (record.kind === "checkpoint") checkpoints.push(record.checkpoint);
  }
  await fs.syncDir(dir);
  // A path out of the session would lead its reader to a file that it never wrote.
  const queries = manifest.queries.map((query) => {
    const { log, ...rest } = query;
    return log === undefined || isInside(log) ? query : rest;
  });
  await new StateFile(dir, context).write({ ...manifest, queries });
  for (const checkpoint of checkpoints) {
    const path = join(dir, CHECKPOINT_DIR, `${checkpoint.query.number}.json`);
    await writeAtomic(path, new TextEncoder().encode(JSON.stringify(checkpoint) + "\n"), context);
  }
  return {
    dir,
    query: manifest.queries.at(-1)?.number ?? 0,
    variables: Object.keys(manifest.variables).length,
    functions: Object.keys(manifest.functions).length,
  };
}

function* splitLines(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function notImportable(path: string, fault: string): RlmError {
  return new RlmError(
    "session_unreadable",
    `Cannot import ${
      inertLine(path, 500)
    }: ${fault}; nothing was created; export the session again`,
  );
}
