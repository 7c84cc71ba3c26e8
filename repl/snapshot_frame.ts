/**
 * A snapshot as one frame: metadata in the header, payload texts one after another in the body.
 * The host checks what comes; the worker's own packing uses the same layout.
 */
import { checkCount, checkList, checkObject, checkText, plainText } from "./check.ts";
import { ProtocolError, type RestoreHeader, type SnapshotHeader } from "./protocol.ts";
import { jsonBytes } from "./table.ts";
import type {
  DroppedName,
  Loss,
  Payload,
  Snapshot,
  SweptFunction,
  SweptVariable,
} from "./snapshot.ts";

/** Most names a snapshot may hold. */
const MAX_NAMES = 100_000;
const MAX_SOURCE = 4 * 1024 * 1024;
const KINDS: ReadonlySet<string> = new Set([
  "function",
  "async function",
  "generator",
  "async generator",
  "class",
  "method",
]);

/** Texts that are this long, characters, are not joined with others. */
const LARGE = 1024 * 1024;

/** Splits a snapshot into header and body; the body comes in parts, so that large ones stay put. */
export function packSnapshot(
  snapshot: Snapshot,
): { header: SnapshotHeader; body: readonly Uint8Array[] } {
  const encoder = new TextEncoder();
  const body: Uint8Array[] = [];
  let small: string[] = [];
  let length = 0;
  const join = () => {
    if (length > 0) body.push(encoder.encode(small.join("")));
    small = [];
    length = 0;
  };
  const payloads = snapshot.payloads.map((payload) => {
    const { id, bytes, utf8 } = payload;
    // The text is made only where there are no bytes; as these would hold it.
    const text = utf8 === undefined ? payload.text?.toWellFormed() : undefined;
    if (text !== undefined && text.length < LARGE) {
      small.push(text);
      length += text.length;
      if (length > LARGE) join();
      return { id, bytes, sent: jsonBytes(text) };
    }
    const large = utf8 ?? (text === undefined ? undefined : encoder.encode(text));
    if (large) {
      join();
      body.push(large);
    }
    return { id, bytes, sent: large?.length ?? 0 };
  });
  join();
  return { header: { ...snapshot, payloads }, body };
}

/**
 * Splits what a restore needs into header and body. The rest, which is most of a header, and names
 * of payloads that are longer than many a payload would be read and written again on their way.
 */
export function packRestore(
  snapshot: Snapshot,
): { header: RestoreHeader; body: readonly Uint8Array[] } {
  const { header, body } = packSnapshot(snapshot);
  const places = new Map(header.payloads.map(({ id }, place) => [id, String(place)]));
  const named = ({ name, ref, loss }: SweptVariable | SweptFunction) => ({
    name,
    ref: { payload: places.get(ref.payload) ?? "", slot: ref.slot },
    ...(loss && { loss }),
  });
  return {
    header: {
      variables: snapshot.variables.map(named),
      functions: snapshot.functions.map((entry) => ({ ...named(entry), order: entry.order })),
      sent: header.payloads.map(({ sent }) => sent),
    },
    body,
  };
}

/**
 * Checks a snapshot that came out of a sandbox.
 *
 * @throws {ProtocolError} on anything that is no snapshot
 */
export function unpackSnapshot(value: unknown, body: Uint8Array): Snapshot {
  const header = checkObject(value, "snapshot");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let at = 0;
  const payloads = checkList(header["payloads"], "payloads", MAX_NAMES * 2).map(
    (entry): Payload => {
      const { id, bytes, sent } = checkObject(entry, "payload");
      if (typeof id !== "string" || !/^[0-9a-f]{64}$/.test(id)) {
        throw new ProtocolError("payload id");
      }
      const length = checkCount(sent, "sent");
      const base = { id, bytes: checkCount(bytes, "bytes") };
      if (length === 0) return base;
      if (at + length > body.length) throw new ProtocolError("payload beyond the body");
      const text = decoder.decode(body.subarray(at, at + length));
      at += length;
      return { ...base, text };
    },
  );
  const ids = new Set(payloads.map(({ id }) => id));
  return {
    payloads,
    variables: checkList(header["variables"], "variables", MAX_NAMES)
      .map((entry) => checkVariable(entry, ids)),
    functions: checkList(header["functions"], "functions", MAX_NAMES)
      .map((entry) => checkFunction(entry, ids)),
    dropped: checkList(header["dropped"], "dropped", MAX_NAMES).map(checkDropped),
  };
}

function checkName(value: unknown): string {
  if (typeof value !== "string" || value.length > 500) throw new ProtocolError("name");
  return value;
}

const oneLine = (text: string): string => text.replaceAll("\n", " ");

function checkEntry(entry: Record<string, unknown>, ids: ReadonlySet<string>) {
  const ref = checkObject(entry["ref"], "ref");
  const payload = ref["payload"];
  if (typeof payload !== "string" || !ids.has(payload)) throw new ProtocolError("unknown payload");
  const { loss, note } = entry;
  return {
    name: checkName(entry["name"]),
    bytes: checkCount(entry["bytes"], "bytes"),
    preview: oneLine(checkText(entry["preview"], "preview", 1_000)),
    ref: { payload, slot: checkCount(ref["slot"], "slot") },
    ...(loss === undefined ? {} : { loss: checkList(loss, "loss", 1_000).map(checkLoss) }),
    ...(entry["committed"] === true ? { committed: true as const } : {}),
    ...(note === undefined ? {} : { note: checkText(note, "note", 2_000) }),
  };
}

function checkLoss(value: unknown): Loss {
  const { path, reason } = checkObject(value, "loss");
  return {
    path: oneLine(checkText(path, "path", 300)),
    reason: oneLine(checkText(reason, "reason", 300)),
  };
}

function checkVariable(value: unknown, ids: ReadonlySet<string>): SweptVariable {
  const entry = checkObject(value, "variable");
  return { ...checkEntry(entry, ids), type: oneLine(checkText(entry["type"], "type", 200)) };
}

function checkFunction(value: unknown, ids: ReadonlySet<string>): SweptFunction {
  const entry = checkObject(value, "function");
  const { kind, source } = entry;
  if (typeof kind !== "string" || !KINDS.has(kind)) throw new ProtocolError("kind of function");
  if (typeof source !== "string" || source.length > MAX_SOURCE) throw new ProtocolError("source");
  return {
    ...checkEntry(entry, ids),
    kind: kind as SweptFunction["kind"],
    source,
    order: checkCount(entry["order"], "order"),
  };
}

function checkDropped(value: unknown): DroppedName {
  const { name, type, reason, bytes } = checkObject(value, "dropped");
  return {
    name: checkName(name),
    type: oneLine(checkText(type, "type", 200)),
    reason: oneLine(plainText(checkText(reason, "reason", 500))),
    ...(bytes === undefined ? {} : { bytes: checkCount(bytes, "bytes") }),
  };
}
