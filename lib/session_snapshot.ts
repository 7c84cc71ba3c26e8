import type {
  Payload,
  RestoreReport,
  Snapshot,
  SweptFunction,
  SweptVariable,
} from "../repl/snapshot.ts";
import type { FunctionEntry, Manifest, PayloadEntry, VariableEntry } from "./session_format.ts";
import type { ValueFiles } from "./session_values.ts";

/** What a restore gets: the state with payload texts, and the names whose payload cannot be had. */
export interface LoadedSnapshot extends Snapshot {
  readonly failed: RestoreReport["failed"];
}

/** The saved state as it was read, before its payloads are hashed. */
export interface ReadSnapshot {
  /** Without the names whose payload is missing. */
  readonly snapshot: LoadedSnapshot;
  /** Says what of it is as it was saved. */
  check(): Promise<CheckedSnapshot>;
}

/** The saved state once it is known to be what was saved. */
export interface CheckedSnapshot {
  /** The same snapshot, or one without the names whose payload is damaged. */
  readonly snapshot: LoadedSnapshot;
  /**
   * Inline payloads that the manifest's sum vouches for: nothing is damaged, but who wrote the sum may
   * have put any text under any id. Before an id stands for a text again, its own hash is to be seen.
   */
  readonly unproved: readonly string[];
}

/** Payloads that are read or hashed at once, which is the work of other threads. */
const AT_ONCE = 64;

/** The saved state with its payload texts; names whose payload is missing or damaged are `failed`. */
export async function loadSnapshot(
  manifest: Manifest,
  values: ValueFiles,
): Promise<LoadedSnapshot> {
  const { check } = await readSnapshot(manifest, values, () => Promise.resolve(false));
  return (await check()).snapshot;
}

/**
 * Reads the saved state; names whose payload is missing are `failed`.
 *
 * @param isVouched whether the manifest's sum says that no inline payload is damaged
 */
export async function readSnapshot(
  manifest: Manifest,
  values: ValueFiles,
  isVouched: () => Promise<boolean>,
): Promise<ReadSnapshot> {
  const { variables, functions, dropped, payloads } = manifest;
  const found = new Map<string, Payload>();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const faults = new Map<string, string>();
  const filed: [string, PayloadEntry][] = [];
  for (const [id, entry] of Object.entries(payloads)) {
    if (entry.text === undefined) filed.push([id, entry]);
    else found.set(id, { id, bytes: entry.bytes, text: entry.text });
  }
  await batched(filed, async ([id, entry]) => {
    const read = await values.read(id, entry);
    if ("fault" in read) faults.set(id, read.fault);
    else {
      files.set(id, read.utf8);
      found.set(id, fromFile(id, entry.bytes, read.utf8));
    }
  });
  const stored = ({ value }: VariableEntry | FunctionEntry) => found.has(value.payload);
  const names = [...Object.entries(variables), ...Object.entries(functions)];
  const snapshot: LoadedSnapshot = {
    variables: Object.entries(variables).filter(([, entry]) => stored(entry)).map(sweptVariable),
    functions: Object.entries(functions).filter(([, entry]) => stored(entry)).map(sweptFunction)
      .sort((a, b) => a.order - b.order),
    dropped: Object.entries(dropped).map(([name, { type, reason }]) => ({ name, type, reason })),
    payloads: [...found.values()],
    failed: names.filter(([, entry]) => !stored(entry)).map(([name, { value }]) => ({
      name,
      reason: faults.get(value.payload) ?? "state.json does not hold its value",
    })),
  };
  const check = async (): Promise<CheckedSnapshot> => {
    const vouched = await isVouched();
    const ids = [...found.keys()];
    const damaged = new Map<string, string>();
    await batched(vouched ? [...files.keys()] : ids, async (id) => {
      const fault = await values.check(id, payloads[id]!, files.get(id));
      if (fault !== undefined) damaged.set(id, fault);
    });
    return {
      snapshot: damaged.size === 0 ? snapshot : without(snapshot, damaged),
      unproved: vouched ? ids.filter((id) => !files.has(id)) : [],
    };
  };
  return { snapshot, check };
}

/** Hashes inline payloads that only a sum has vouched for; `values` knows of those that are not true. */
export async function proveInline(
  ids: readonly string[],
  { payloads }: Manifest,
  values: ValueFiles,
): Promise<void> {
  await batched(ids.filter((id) => payloads[id]?.text !== undefined), async (id) => {
    await values.check(id, payloads[id]!);
  });
}

function fromFile(id: string, bytes: number, utf8: Uint8Array): Payload {
  return {
    id,
    utf8,
    bytes,
    get text() {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8);
    },
  };
}

/** Work on all, not too many at a time. */
async function batched<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map(work));
  }
}

function without(
  { variables, functions, payloads, failed, ...rest }: LoadedSnapshot,
  damaged: ReadonlyMap<string, string>,
): LoadedSnapshot {
  const whole = ({ ref }: SweptVariable | SweptFunction): boolean => !damaged.has(ref.payload);
  const lost = [...variables, ...functions].filter((entry) => !whole(entry));
  return {
    ...rest,
    variables: variables.filter(whole),
    functions: functions.filter(whole),
    payloads: payloads.filter(({ id }) => !damaged.has(id)),
    failed: [
      ...failed,
      ...lost.map(({ name, ref }) => ({ name, reason: damaged.get(ref.payload)! })),
    ],
  };
}

function sweptVariable([name, entry]: [string, VariableEntry]): SweptVariable {
  return { ...swept(name, entry), type: entry.type };
}

function sweptFunction([name, entry]: [string, FunctionEntry]): SweptFunction {
  const { kind, source, order } = entry;
  return { ...swept(name, entry), kind, source, order };
}

function swept(name: string, entry: VariableEntry | FunctionEntry): Omit<SweptVariable, "type"> {
  const { bytes, preview, value, loss, committed, note } = entry;
  return {
    name,
    bytes,
    preview,
    ref: value,
    ...(loss && { loss }),
    ...(committed && { committed }),
    ...(note !== undefined && { note }),
  };
}
