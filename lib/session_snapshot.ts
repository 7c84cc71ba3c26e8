import type { RestoreReport, Snapshot, SweptFunction, SweptVariable } from "../repl/snapshot.ts";
import type { FunctionEntry, Manifest, VariableEntry } from "./session_format.ts";
import type { ValueFiles } from "./session_values.ts";

/** What a restore gets: the state with payload texts, and the names whose payload cannot be had. */
export interface LoadedSnapshot extends Snapshot {
  readonly failed: RestoreReport["failed"];
}

/** Payloads that are read and hashed at once, which is the work of other threads. */
const AT_ONCE = 64;

/** The saved state with its payload texts; names whose payload is missing or damaged are `failed`. */
export async function loadSnapshot(
  manifest: Manifest,
  values: ValueFiles,
): Promise<LoadedSnapshot> {
  const { variables, functions, dropped, payloads } = manifest;
  const texts = new Map<string, Uint8Array>();
  const faults = new Map<string, string>();
  const stored = Object.entries(payloads);
  for (let at = 0; at < stored.length; at += AT_ONCE) {
    const some = stored.slice(at, at + AT_ONCE);
    const loaded = await Promise.all(some.map(([id, entry]) => values.load(id, entry)));
    loaded.forEach((one, index) => {
      const [id] = some[index]!;
      if ("utf8" in one) texts.set(id, one.utf8);
      else faults.set(id, one.fault);
    });
  }
  const failed: { name: string; reason: string }[] = [];
  const usable = ([name, { value }]: [string, { value: { payload: string } }]): boolean => {
    if (texts.has(value.payload)) return true;
    const reason = faults.get(value.payload) ?? "state.json does not hold its value";
    failed.push({ name, reason });
    return false;
  };
  return {
    variables: Object.entries(variables).filter(usable).map(sweptVariable),
    functions: Object.entries(functions).filter(usable).map(sweptFunction)
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
    failed,
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
