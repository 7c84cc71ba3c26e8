import type { RestoreReport, Snapshot, SweptFunction, SweptVariable } from "../repl/snapshot.ts";
import type { FunctionEntry, Manifest, VariableEntry } from "./session_format.ts";
import type { ValueFiles } from "./session_values.ts";

/** What a restore gets: the state with payload texts, and the names whose payload cannot be had. */
export interface LoadedSnapshot extends Snapshot {
  readonly failed: RestoreReport["failed"];
}

/** The saved state as it was read, before its payloads are hashed. */
export interface ReadSnapshot {
  /** Without the names whose payload is missing. */
  readonly snapshot: LoadedSnapshot;
  /**
   * Hashes every payload. Resolves to the same snapshot, or to one without the names whose payload is
   * not what was saved.
   */
  check(): Promise<LoadedSnapshot>;
}

/** Payloads that are read or hashed at once, which is the work of other threads. */
const AT_ONCE = 64;

/** The saved state with its payload texts; names whose payload is missing or damaged are `failed`. */
export async function loadSnapshot(
  manifest: Manifest,
  values: ValueFiles,
): Promise<LoadedSnapshot> {
  return await (await readSnapshot(manifest, values)).check();
}

/** Reads the saved state; names whose payload is missing are `failed`. */
export async function readSnapshot(manifest: Manifest, values: ValueFiles): Promise<ReadSnapshot> {
  const { variables, functions, dropped, payloads } = manifest;
  const texts = new Map<string, Uint8Array<ArrayBuffer>>();
  const faults = new Map<string, string>();
  await batched(Object.entries(payloads), async ([id, entry]) => {
    const read = await values.read(id, entry);
    if ("utf8" in read) texts.set(id, read.utf8);
    else faults.set(id, read.fault);
  });
  const stored = ({ value }: VariableEntry | FunctionEntry) => texts.has(value.payload);
  const names = [...Object.entries(variables), ...Object.entries(functions)];
  const snapshot: LoadedSnapshot = {
    variables: Object.entries(variables).filter(([, entry]) => stored(entry)).map(sweptVariable),
    functions: Object.entries(functions).filter(([, entry]) => stored(entry)).map(sweptFunction)
      .sort((a, b) => a.order - b.order),
    dropped: Object.entries(dropped).map(([name, { type, reason }]) => ({ name, type, reason })),
    payloads: [...texts].map(([id, utf8]) => ({
      id,
      utf8,
      bytes: payloads[id]?.bytes ?? 0,
      get text() {
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8);
      },
    })),
    failed: names.filter(([, entry]) => !stored(entry)).map(([name, { value }]) => ({
      name,
      reason: faults.get(value.payload) ?? "state.json does not hold its value",
    })),
  };
  const check = async (): Promise<LoadedSnapshot> => {
    const damaged = new Map<string, string>();
    await batched([...texts], async ([id, utf8]) => {
      const fault = await values.check(id, payloads[id]!, utf8);
      if (fault !== undefined) damaged.set(id, fault);
    });
    return damaged.size === 0 ? snapshot : without(snapshot, damaged);
  };
  return { snapshot, check };
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
