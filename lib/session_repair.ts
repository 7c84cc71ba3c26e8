import { join, resolve } from "@std/path";
import { removeStaleTemporaries } from "./atomic_write.ts";
import type { Clock } from "./clock.ts";
import { RlmError } from "./errors.ts";
import { denoFileSystem, type FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import { listCheckpoints, manifestAt, readCheckpoint } from "./session_checkpoint.ts";
import type { Manifest, QueryEntry, StepEntry } from "./session_format.ts";
import { checkSession } from "./session_identity.ts";
import { BUSY_COMMAND, lockSession, unlockSession } from "./session_lock.ts";
import { checkManifest, NewerFormat, parseJson, StateFault, unreadable } from "./session_parse.ts";
import { loadSnapshot } from "./session_snapshot.ts";
import { PREVIOUS_FILE, STATE_FILE, StateFile } from "./session_state_file.ts";
import { ValueFiles } from "./session_values.ts";

/** What a repair found and did. */
export interface RepairReport {
  /** Absolute path of the session. */
  readonly dir: string;
  /** What was wrong with `state.json`; absent where nothing was and nothing was written. */
  readonly fault?: string;
  /** The file that the state was restored from, relative to the directory. */
  readonly restoredFrom?: string;
  /** Where the damaged `state.json` was put, relative to the directory; absent where it was gone. */
  readonly keptAs?: string;
  /** The last query that the session holds now; 0 where there is none. */
  readonly query: number;
  /** The last step of that query that it holds now. */
  readonly step: number;
  /** One line each: steps known to be gone, names whose value cannot be had, damaged checkpoints. */
  readonly lost: readonly string[];
}

/** What a repair needs. */
export interface RepairOptions {
  readonly clock: Clock;
  readonly fs?: FileSystem;
}

/**
 * Restores the newest good manifest of a damaged session: `state.prev.json`, or the newest
 * checkpoint with the ledger put together from the checkpoints before it. The damaged file is kept
 * beside it. Throws `session_unreadable` where no good one is left, and for a newer format.
 */
export async function repairSession(dir: string, options: RepairOptions): Promise<RepairReport> {
  const path = resolve(dir);
  const { clock, fs = denoFileSystem } = options;
  // Asked first: where nothing can be repaired, not even a lock is left.
  await checkSession(path, fs);
  await restorable(path, fs);
  const query = "session repair";
  const lock = await lockSession(path, { fs, clock, query, advice: BUSY_COMMAND });
  try {
    await removeStaleTemporaries(path, fs);
    return await repairLocked(path, { clock, fs });
  } finally {
    await unlockSession(lock);
  }
}

async function repairLocked(dir: string, context: Required<RepairOptions>): Promise<RepairReport> {
  const { fs, clock } = context;
  const state = await restorable(dir, fs);
  if (state.fault === undefined) {
    const { manifest } = state;
    return { dir, ...position(manifest), lost: await lostNames(dir, manifest, context) };
  }
  const { fault, found, bytes, exists } = state;
  const statePath = join(dir, STATE_FILE);
  let keptAs: string | undefined;
  if (exists) {
    const stamp = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
    keptAs = `state.damaged-${stamp}.json`;
    await fs.rename(statePath, join(dir, keptAs));
  }
  await new StateFile(dir, context).write(found.manifest);
  return {
    dir,
    fault,
    restoredFrom: found.from,
    ...(keptAs !== undefined && { keptAs }),
    ...position(found.manifest),
    lost: [...lostSteps(bytes, found.manifest), ...await lostNames(dir, found.manifest, context)],
  };
}

interface Found {
  readonly manifest: Manifest;
  readonly from: string;
}

/** The state as it is, or its fault and what can take its place. */
type Restorable =
  | { readonly fault: undefined; readonly manifest: Manifest }
  | {
    readonly fault: string;
    readonly found: Found;
    readonly bytes: Uint8Array | undefined;
    readonly exists: boolean;
  };

/** Reads only. Throws `session_unreadable` where nothing can take the place of a faulty state. */
async function restorable(dir: string, fs: FileSystem): Promise<Restorable> {
  const path = join(dir, STATE_FILE);
  const info = await fs.stat(path);
  const irregular = info?.isFile === false;
  const bytes = irregular ? undefined : await fs.readFile(path);
  const fault = irregular ? "is no regular file" : faultOf(bytes, dir);
  if (fault === undefined) return { fault, manifest: checkManifest(parseJson(bytes!)) };
  const found = best(await previous(dir, fs), await fromCheckpoints(dir, fs));
  if (found) return { fault, found, bytes, exists: info !== undefined };
  throw new RlmError(
    "session_unreadable",
    `Cannot repair the session: ${inertLine(path, 500)} ${fault}, and no earlier state is left ` +
      "to restore; nothing was changed; use another session directory",
  );
}

/** What is wrong with the bytes of `state.json`. Throws where a newer engine wrote them. */
function faultOf(bytes: Uint8Array | undefined, dir: string): string | undefined {
  if (bytes === undefined) return "is missing";
  try {
    checkManifest(parseJson(bytes));
    return undefined;
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    if (error instanceof NewerFormat) {
      throw unreadable(join(dir, STATE_FILE), dir, error.message, true);
    }
    return error.message;
  }
}

async function previous(dir: string, fs: FileSystem): Promise<Found | undefined> {
  try {
    const bytes = await fs.readFile(join(dir, PREVIOUS_FILE));
    return bytes && { manifest: checkManifest(parseJson(bytes)), from: PREVIOUS_FILE };
  } catch (error) {
    if (error instanceof StateFault) return undefined;
    throw error;
  }
}

async function fromCheckpoints(dir: string, fs: FileSystem): Promise<Found | undefined> {
  const queries: QueryEntry[] = [];
  const steps: StepEntry[] = [];
  let found: Found | undefined;
  for (const number of await listCheckpoints(dir, fs)) {
    try {
      const checkpoint = await readCheckpoint(dir, number, fs);
      if (checkpoint === undefined) continue;
      found = {
        manifest: manifestAt(checkpoint, { queries, steps }),
        from: `checkpoints/${number}.json`,
      };
      queries.push(checkpoint.query);
      steps.push(...checkpoint.steps);
    } catch (error) {
      // A damaged checkpoint leaves a gap in the ledger, not the end of the repair.
      if (!(error instanceof StateFault)) throw error;
    }
  }
  return found;
}

function best(a: Found | undefined, b: Found | undefined): Found | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [one, other] = [position(a.manifest), position(b.manifest)];
  const ended = (found: Found) => found.manifest.queries.at(-1)?.status === "running" ? 0 : 1;
  const ahead = one.query - other.query || one.step - other.step || ended(a) - ended(b);
  return ahead >= 0 ? a : b;
}

function position(manifest: Manifest): { query: number; step: number } {
  const query = manifest.queries.at(-1)?.number ?? 0;
  const step = manifest.steps.findLast((entry) => entry.query === query)?.step ?? 0;
  return { query, step };
}

/** Steps that a torn file still tells of, since it has an entry a line. */
function lostSteps(bytes: Uint8Array | undefined, kept: Manifest): string[] {
  if (bytes === undefined) return [];
  const known = new Set(kept.steps.map(({ query, step }) => `${query}.${step}`));
  const lost: string[] = [];
  for (const [, query, step] of new TextDecoder().decode(bytes).matchAll(stepLine)) {
    if (!known.has(`${query}.${step}`)) lost.push(`step ${step} of query ${query}`);
  }
  return lost;
}

const stepLine = /^\{"query":(\d{1,9}),"step":(\d{1,9}),"code":"/gm;

async function lostNames(
  dir: string,
  manifest: Manifest,
  context: Required<RepairOptions>,
): Promise<string[]> {
  const values = new ValueFiles(dir, context);
  const { failed } = await loadSnapshot(manifest, values);
  return [
    ...failed.map(({ name, reason }) => `the value of ${name}: ${reason}`),
    ...await lostCheckpoints(dir, manifest, values, context.fs),
  ];
}

/** Earlier queries that cannot be forked whole; what the present state lacks too is told by name. */
async function lostCheckpoints(
  dir: string,
  manifest: Manifest,
  values: ValueFiles,
  fs: FileSystem,
): Promise<string[]> {
  const lost: string[] = [];
  const known = new Map<string, boolean>();
  for (const number of await listCheckpoints(dir, fs)) {
    try {
      const payloads = (await readCheckpoint(dir, number, fs))?.payloads ?? {};
      let gone = 0;
      for (const [id, entry] of Object.entries(payloads)) {
        if (Object.hasOwn(manifest.payloads, id)) continue;
        const whole = known.get(id) ?? await values.isWhole(id, entry);
        known.set(id, whole);
        if (!whole) gone++;
      }
      if (gone > 0) {
        lost.push(`${gone} earlier value${gone === 1 ? "" : "s"} of the end of query ${number}`);
      }
    } catch (error) {
      if (!(error instanceof StateFault)) throw error;
      lost.push(`the state at the end of query ${number}: its checkpoint ${error.message}`);
    }
  }
  return lost;
}
