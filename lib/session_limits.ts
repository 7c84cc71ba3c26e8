/**
 * What comes out of the sandbox, cut to size and made inert before it is stored. Generous for
 * honest state; a bound for hostile state.
 *
 * @module
 */
import type {
  DroppedName,
  Loss,
  Snapshot,
  SweptFunction,
  SweptVariable,
} from "../repl/snapshot.ts";
import { inertBlock } from "./inert_block.ts";
import { cut, inertLine } from "./inert_text.ts";

/** Bounds of what a session stores, in characters or counts. */
export const storedLimits = {
  names: 10_000,
  dropped: 2_000,
  name: 200,
  type: 120,
  preview: 1_000,
  comment: 500,
  note: 1_000,
  reason: 500,
  losses: 50,
  path: 300,
  source: 1_000_000,
  code: 65_536,
  error: 500,
  query: 16_384,
  final: 262_144,
} as const;

const limits = storedLimits;

/** The snapshot within the bounds. What exceeds them is moved to `dropped` with the reason. */
export function boundSnapshot(snapshot: Snapshot): Snapshot {
  const dropped: DroppedName[] = [];
  const seen = new Set<string>();
  const keep = (entry: SweptVariable | SweptFunction): boolean => {
    const reason = refusal(entry, seen);
    if (reason === undefined) seen.add(entry.name);
    else dropped.push({ name: inertLine(entry.name, limits.name), type: typeOf(entry), reason });
    return reason === undefined;
  };
  const variables = snapshot.variables.filter(keep).map((entry) => ({
    ...boundEntry(entry),
    type: inertLine(entry.type, limits.type),
  }));
  const functions = snapshot.functions.filter(keep).map((entry) => ({
    ...boundEntry(entry),
    order: Number.isSafeInteger(entry.order) && entry.order >= 0 ? entry.order : 0,
  }));
  for (const entry of snapshot.dropped) {
    if (!seen.has(entry.name)) dropped.push(boundDropped(entry));
  }
  return {
    variables,
    functions,
    dropped: dropped.slice(0, limits.dropped),
    payloads: snapshot.payloads,
  };
}

/** The code of a step as it is stored: line breaks kept, cut with a count. */
export function boundCode(code: string): string {
  return inertBlock(code, limits.code);
}

/** The text of a query as it is stored. */
export function boundQuery(query: string): string {
  return inertBlock(query, limits.query);
}

/** Top-level names that a step assigned, as they are stored. */
export function boundNames(names: readonly string[]): string[] {
  return names.filter(isStorableName).slice(0, limits.names);
}

/** A comment of a variable as it is stored. */
export function boundComment(comment: string): string {
  return inertLine(comment, limits.comment);
}

function refusal(entry: SweptVariable | SweptFunction, seen: Set<string>): string | undefined {
  if (!isStorableName(entry.name)) return "its name is too long or holds control characters";
  if (seen.has(entry.name)) return "the name came twice";
  if (seen.size >= limits.names) return `there are more than ${limits.names} names`;
  if ("source" in entry && entry.source.length > limits.source) {
    return `its source has ${entry.source.length} characters, at most ${limits.source} are saved`;
  }
  return undefined;
}

function isStorableName(name: string): boolean {
  return name.length > 0 && name === inertLine(name, limits.name);
}

function boundEntry<T extends SweptVariable | SweptFunction>(entry: T): T {
  return {
    ...entry,
    preview: inertLine(entry.preview, limits.preview),
    ...(entry.note !== undefined && { note: inertLine(entry.note, limits.note) }),
    ...(entry.loss && { loss: entry.loss.slice(0, limits.losses).map(boundLoss) }),
  };
}

function boundLoss({ path, reason }: Loss): Loss {
  return { path: inertLine(path, limits.path), reason: inertLine(reason, limits.reason) };
}

function boundDropped(entry: DroppedName): DroppedName {
  return {
    name: inertLine(entry.name, limits.name),
    type: inertLine(entry.type, limits.type),
    reason: inertLine(entry.reason, limits.reason),
    ...(entry.bytes !== undefined && { bytes: entry.bytes }),
  };
}

function typeOf(entry: SweptVariable | SweptFunction): string {
  return cut("source" in entry ? entry.kind : inertLine(entry.type, limits.type), limits.type);
}
