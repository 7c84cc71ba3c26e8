/**
 * What a sweep takes out of a REPL and a restore puts back: metadata by name, and payloads (devalue
 * text) that several names may share, because variables that share objects are encoded together.
 */

/** A part of a value that could not be kept, by its path inside the variable. */
export interface Loss {
  /** For example `rows[1].h`. */
  readonly path: string;
  /** What happened to it. */
  readonly reason: string;
}

/** Where an encoded value lies: the payload's id and the slot inside it. */
export interface PayloadRef {
  /** Id of the payload in the manifest. */
  readonly payload: string;
  /** Which of the values in it. */
  readonly slot: number;
}

/** What both kinds of entry tell. */
interface Entry {
  readonly name: string;
  /** Encoded UTF-8 bytes that this name accounts for. */
  readonly bytes: number;
  /** Present when something was not kept exactly. */
  readonly loss?: readonly Loss[];
  /** Present when the agent committed the name. */
  readonly committed?: true;
  /** The note given to `commit`. */
  readonly note?: string;
}

/** A saved variable. */
export interface SweptVariable extends Entry {
  /** Real type with its size: `Map(12)`, `string(1,204)`, `Array(40)`, `Doc`. */
  readonly type: string;
  /** What a resumed agent is shown of the value; one line, no control characters. */
  readonly preview: string;
  readonly ref: PayloadRef;
}

/** What a definition defines. */
export type FunctionKind =
  | "function"
  | "async function"
  | "generator"
  | "async generator"
  | "class"
  | "method";

/** A saved function or class. */
export interface SweptFunction extends Entry {
  readonly kind: FunctionKind;
  /** As written by the agent. */
  readonly source: string;
  /** First line of the source, or its signature. */
  readonly preview: string;
  /** Definitions are re-executed in this order. */
  readonly order: number;
  /** Own properties, static state and captured variables. */
  readonly ref: PayloadRef;
}

/** A global that was not saved. */
export interface DroppedName {
  readonly name: string;
  /** Real type, as in `SweptVariable.type`. */
  readonly type: string;
  /** One line, with the path inside the value where there is one. */
  readonly reason: string;
  /** Encoded size, where that is the reason. */
  readonly bytes?: number;
}

/** One encoded group of values. `text` is absent when the host already has this id. */
export interface Payload {
  /** SHA-256 of the text's UTF-8, hexadecimal. */
  readonly id: string;
  readonly bytes: number;
  readonly text?: string;
  /** The text as the bytes that it was read as, so that a large one need not be encoded again. */
  readonly utf8?: Uint8Array;
}

/** Everything a sweep found; complete, also for what did not change. */
export interface Snapshot {
  readonly variables: readonly SweptVariable[];
  readonly functions: readonly SweptFunction[];
  readonly dropped: readonly DroppedName[];
  readonly payloads: readonly Payload[];
}

/** What a restore needs of a snapshot. */
export interface Restorable {
  readonly variables: readonly Pick<SweptVariable, "name" | "ref" | "loss">[];
  readonly functions: readonly Pick<SweptFunction, "name" | "ref" | "loss" | "order">[];
  readonly payloads: readonly Pick<Payload, "id" | "text">[];
}

/** What a restore did with each name. */
export interface RestoreReport {
  readonly restored: readonly string[];
  readonly degraded: readonly { readonly name: string; readonly reason: string }[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** An empty snapshot, the state of a new session. */
export const emptySnapshot: Snapshot = { variables: [], functions: [], dropped: [], payloads: [] };
