import type { FunctionEntry, Manifest, VariableEntry } from "../lib/session_format.ts";
import type { MemoryItem, MemoryModel } from "./model.ts";

/** What a session's manifest says it remembers. */
export function memoryOf(manifest: Manifest): MemoryModel {
  const variables: MemoryItem[] = [];
  const functions: MemoryItem[] = [];
  const dropped: MemoryItem[] = [];
  const failed: MemoryItem[] = [];
  for (const [name, entry] of Object.entries(manifest.variables)) {
    const item = saved(name, entry, "variable", entry.type, entry.preview);
    if (entry.failed === undefined) variables.push(item);
    else failed.push({ ...item, kind: "failed", detail: entry.failed });
  }
  for (const [name, entry] of Object.entries(manifest.functions)) {
    const item = saved(name, entry, "function", entry.kind, entry.source);
    if (entry.failed === undefined) functions.push(item);
    else failed.push({ ...item, kind: "failed", detail: entry.failed });
  }
  for (const [name, entry] of Object.entries(manifest.dropped)) {
    dropped.push({
      name,
      kind: "dropped",
      type: entry.type,
      committed: false,
      detail: entry.reason,
      comment: undefined,
      note: undefined,
      bytes: entry.bytes,
      query: entry.query,
      step: entry.step,
      loss: [],
    });
  }
  for (const list of [variables, functions, dropped, failed]) list.sort(byWorth);
  return { variables, functions, dropped, failed };
}

const byWorth = (a: MemoryItem, b: MemoryItem): number =>
  Number(b.committed) - Number(a.committed) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function saved(
  name: string,
  entry: VariableEntry | FunctionEntry,
  kind: MemoryItem["kind"],
  type: string,
  detail: string,
): MemoryItem {
  return {
    name,
    kind,
    type,
    committed: entry.committed === true,
    detail,
    comment: entry.comment,
    note: entry.note,
    bytes: entry.bytes,
    query: entry.query,
    step: entry.step,
    loss: (entry.loss ?? []).map(({ path, reason }) => `${path}: ${reason}`),
  };
}
