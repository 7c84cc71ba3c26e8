/**
 * What a step makes of the state: pure, from the manifest before and the sweep after it.
 *
 * @module
 */
import type { RestoreReport, Snapshot, SweptFunction, SweptVariable } from "../repl/snapshot.ts";
import { RlmError } from "./errors.ts";
import {
  type DroppedEntry,
  emptyRecord,
  type FunctionEntry,
  type Manifest,
  type Origin,
  type PayloadEntry,
  type VariableEntry,
} from "./session_format.ts";

/** The state part of a step; everything bounded already. */
export interface StateChange extends Origin {
  readonly snapshot: Snapshot;
  /** Top-level names that the step assigned. */
  readonly assigned: readonly string[];
  /** Top-level names that the step read or wrote. @default none */
  readonly used?: readonly string[];
  readonly comments: ReadonlyMap<string, string>;
  /** Names whose saved value could not be restored: they are carried forward. */
  readonly failed: RestoreReport["failed"];
  /** Names that were dropped before this process began, and that no sweep since has shown. */
  readonly lost?: readonly string[];
  /** Payloads that the manifest before does not have, or not whole; checked. */
  readonly fresh: ReadonlyMap<string, PayloadEntry>;
}

type NamedState = Pick<Manifest, "variables" | "functions" | "dropped" | "payloads">;
type Stored = VariableEntry | FunctionEntry;

const namedKeys = [
  "query",
  "step",
  "preview",
  "bytes",
  "comment",
  "note",
  "committed",
  "used",
  "loss",
  "value",
  "failed",
  "type",
  "kind",
  "source",
  "order",
];
const droppedKeys = ["query", "step", "type", "reason", "bytes"];

/** The named state after the step. Throws `sandbox` where the sweep names a payload nobody has. */
export function mergeState(before: Manifest, change: StateChange): NamedState {
  const variables = emptyRecord<VariableEntry>();
  const functions = emptyRecord<FunctionEntry>();
  const dropped = emptyRecord<DroppedEntry>();
  const assigned = new Set(change.assigned);
  const used = withCalled(change);
  for (const swept of change.snapshot.variables) {
    const old = before.variables[swept.name];
    const changed = assigned.has(swept.name) || old?.value.payload !== swept.ref.payload;
    const { type } = swept;
    variables[swept.name] = { ...common(swept, before, changed, used, change), type };
  }
  for (const swept of change.snapshot.functions) {
    const old = before.functions[swept.name];
    const changed = assigned.has(swept.name) || old?.source !== swept.source ||
      old.value.payload !== swept.ref.payload;
    const { kind, source, order } = swept;
    const entry = common(swept, before, changed, used, change);
    functions[swept.name] = { ...entry, kind, source, order };
  }
  for (const { name, ...entry } of change.snapshot.dropped) {
    const old = before.dropped[name];
    const same = old?.reason === entry.reason && !assigned.has(name);
    const { query, step } = same ? old : change;
    dropped[name] = { ...entry, query, step, ...unknownKeys(old, droppedKeys) };
  }
  const alive = (name: string) => name in variables || name in functions || name in dropped;
  for (const { name, reason } of change.failed) {
    if (alive(name)) continue;
    if (name in before.variables) variables[name] = withFailure(before.variables[name]!, reason);
    if (name in before.functions) functions[name] = withFailure(before.functions[name]!, reason);
  }
  for (const name of change.lost ?? []) {
    const entry = before.dropped[name];
    if (entry !== undefined && !alive(name) && !assigned.has(name)) dropped[name] = entry;
  }
  const entries = [...Object.values(variables), ...Object.values(functions)];
  return { variables, functions, dropped, payloads: payloadsOf(entries, before, change) };
}

/** Ids of the payloads that the entries of a state name. */
export function referencedPayloads(
  state: Pick<Manifest, "variables" | "functions">,
): Set<string> {
  const entries = [...Object.values(state.variables), ...Object.values(state.functions)];
  return new Set(entries.map((entry) => entry.value.payload));
}

/** Characters of a function's source in which names are looked for. */
const MAX_LOOKED_AT = 50_000;

/** The names that a step used, and those in the sources of the functions that it used. */
function withCalled({ used = [], snapshot }: StateChange): ReadonlySet<string> {
  const sources = new Map(snapshot.functions.map(({ name, source }) => [name, source]));
  const found = new Set(used);
  // A set that grows while it is walked: functions call functions.
  for (const name of found) {
    const source = sources.get(name)?.slice(0, MAX_LOOKED_AT) ?? "";
    for (const [word] of source.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)) found.add(word);
  }
  return found;
}

function common(
  swept: SweptVariable | SweptFunction,
  before: Manifest,
  changed: boolean,
  used: ReadonlySet<string>,
  change: StateChange,
): Omit<VariableEntry, "type"> {
  const old: Stored | undefined = before.variables[swept.name] ?? before.functions[swept.name];
  const comment = change.comments.get(swept.name) ?? old?.comment;
  const note = swept.note ?? old?.note;
  const isNew = changed || old === undefined;
  const { query, step } = isNew ? change : old;
  const lastUse = isNew
    ? undefined
    : used.has(swept.name)
    ? { query: change.query, step: change.step }
    : old.used;
  return {
    preview: swept.preview,
    bytes: swept.bytes,
    ...(comment !== undefined && { comment }),
    // The sandbox knows the commits of its own query; those of earlier ones stay.
    ...(note !== undefined && { note }),
    ...((swept.committed || old?.committed) && { committed: true }),
    ...(lastUse && { used: lastUse }),
    ...(swept.loss && { loss: swept.loss }),
    value: { payload: swept.ref.payload, slot: swept.ref.slot },
    query,
    step,
    ...unknownKeys(old, namedKeys),
  };
}

function withFailure<T extends Stored>(entry: T, failed: string): T {
  return { ...entry, failed };
}

/** Keys of a newer minor version or of another tool, kept as they are. */
function unknownKeys(entry: object | undefined, known: readonly string[]): object {
  if (entry === undefined) return {};
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !known.includes(key)));
}

function payloadsOf(
  entries: readonly Stored[],
  before: Manifest,
  change: StateChange,
): Record<string, PayloadEntry> {
  const payloads = emptyRecord<PayloadEntry>();
  for (const { value: { payload }, failed } of entries) {
    const entry = change.fresh.get(payload) ?? before.payloads[payload];
    if (entry === undefined) {
      // What could not be restored because nobody has its value is carried forward as it is.
      if (failed !== undefined) continue;
      throw new RlmError(
        "sandbox",
        "Cannot save the step: the sandbox named a payload whose text it never sent",
      );
    }
    payloads[payload] = entry;
  }
  return payloads;
}
