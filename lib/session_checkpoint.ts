/**
 * Checkpoints: the state at the end of every query, without the ledger before it, so that a long
 * session does not store its history again with each query.
 *
 * @module
 */
import { join } from "@std/path";
import { writeAtomic, type WriteContext } from "./atomic_write.ts";
import type { FileSystem } from "./file_system.ts";
import { DEVALUE_VERSION, FORMAT, type Manifest, SMALL_BYTES } from "./session_format.ts";
import { checkNames, checkQuery, checkSteps, checkVersions, parseJson } from "./session_parse.ts";
import type { ValueFiles } from "./session_values.ts";
import { VERSION } from "./version.ts";

/** The directory of checkpoints in a session directory. */
export const CHECKPOINT_DIR = "checkpoints";

/** `checkpoints/<n>.json`: named state after query n, with that query's own ledger entries. */
export type Checkpoint =
  & Pick<Manifest, "format" | "devalue" | "engine" | "steps">
  & Pick<Manifest, "variables" | "functions" | "dropped" | "payloads">
  & { readonly query: Manifest["queries"][number] };

/** Writes the checkpoint of the last query of the manifest. Resolves to the bytes written. */
export async function writeCheckpoint(
  dir: string,
  manifest: Manifest,
  values: ValueFiles,
  context: WriteContext,
): Promise<number> {
  const query = manifest.queries.at(-1);
  if (query === undefined) return 0;
  let written = 0;
  const payloads: Record<string, Manifest["payloads"][string]> = Object.create(null);
  for (const [id, entry] of Object.entries(manifest.payloads)) {
    if (entry.text === undefined || values.isDamaged(entry)) payloads[id] = entry;
    else {
      const stored = await values.store(id, entry.text, SMALL_BYTES);
      payloads[id] = stored.entry;
      written += stored.written;
    }
  }
  const { variables, functions, dropped } = manifest;
  const steps = manifest.steps.filter((step) => step.query === query.number);
  const versions = { format: FORMAT, devalue: DEVALUE_VERSION, engine: VERSION };
  const checkpoint: Checkpoint = {
    ...versions,
    query,
    steps,
    variables,
    functions,
    dropped,
    payloads,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(checkpoint) + "\n");
  await context.fs.makeDir(join(dir, CHECKPOINT_DIR));
  await writeAtomic(checkpointPath(dir, query.number), bytes, context);
  return written + bytes.length;
}

/** Numbers of the queries that have a checkpoint, ascending. */
export async function listCheckpoints(dir: string, fs: FileSystem): Promise<number[]> {
  const names = await fs.list(join(dir, CHECKPOINT_DIR));
  const numbers = names.flatMap((name) => /^([1-9]\d{0,8})\.json$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}

/** The checkpoint of a query; `undefined` where there is none. Throws where it is damaged. */
export async function readCheckpoint(
  dir: string,
  query: number,
  fs: FileSystem,
): Promise<Checkpoint | undefined> {
  const bytes = await fs.readFile(checkpointPath(dir, query));
  return bytes && parseCheckpoint(parseJson(bytes));
}

/** The value as a checkpoint. Throws a `StateFault`. */
export function parseCheckpoint(value: unknown): Checkpoint {
  const state = checkVersions(value);
  return {
    ...state,
    ...checkNames(state),
    query: checkQuery(state["query"]),
    steps: checkSteps(state),
  } as unknown as Checkpoint;
}

/** The manifest at a checkpoint, its ledger taken from a later manifest or from earlier entries. */
export function manifestAt(
  checkpoint: Checkpoint,
  ledger: Pick<Manifest, "queries" | "steps">,
): Manifest {
  const { query, steps, variables, functions, dropped, payloads, format, devalue, engine } =
    checkpoint;
  return {
    format,
    devalue,
    engine,
    queries: [...ledger.queries.filter((entry) => entry.number < query.number), query],
    steps: [...ledger.steps.filter((entry) => entry.query < query.number), ...steps],
    variables,
    functions,
    dropped,
    payloads,
  };
}

function checkpointPath(dir: string, query: number): string {
  return join(dir, CHECKPOINT_DIR, `${query}.json`);
}
