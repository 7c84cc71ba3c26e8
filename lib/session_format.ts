import type { FunctionKind, Loss, PayloadRef } from "../repl/snapshot.ts";
import type { RunStatus } from "./events.ts";
import type { Usage } from "./model/usage.ts";
import { VERSION } from "./version.ts";

/** The format that this engine writes; it reads every earlier one. */
export const FORMAT = 1;

/** The devalue package that this engine writes payloads with; it reads those of earlier majors. */
export const DEVALUE_VERSION = "6.0.3";

/** Payloads of up to this many bytes may lie in `state.json`, larger ones are in `values/`. */
export const INLINE_BYTES = 65_536;

/** Where in the session a name got its value. */
export interface Origin {
  /** Query number, from 1. */
  readonly query: number;
  /** Step within the query, from 1. */
  readonly step: number;
}

/** A variable in `state.json`. */
export interface VariableEntry extends Origin {
  /** Real type with its size: `Map(12)`, `string(1,204)`, `Doc`. */
  readonly type: string;
  /** What a resumed agent is shown of the value. */
  readonly preview: string;
  /** Encoded UTF-8 bytes. */
  readonly bytes: number;
  /** The comment beside its newest assignment. */
  readonly comment?: string;
  /** The note given to `commit`. */
  readonly note?: string;
  /** Set where the agent committed the name. */
  readonly committed?: true;
  /** The last step that used the name; absent where that is the one that gave it its value. */
  readonly used?: Origin;
  /** What was not kept exactly. */
  readonly loss?: readonly Loss[];
  /** Where the value lies. */
  readonly value: PayloadRef;
  /** Set while a value that could not be restored is carried forward. */
  readonly failed?: string;
}

/** A function or class in `state.json`. */
export interface FunctionEntry extends Origin {
  /** What was defined. */
  readonly kind: FunctionKind;
  /** As the agent wrote it. */
  readonly source: string;
  /** First line of the source, or its signature. */
  readonly preview: string;
  /** Encoded UTF-8 bytes. */
  readonly bytes: number;
  /** Definitions are executed again in this order. */
  readonly order: number;
  /** The comment beside the definition. */
  readonly comment?: string;
  /** The note given to `commit`. */
  readonly note?: string;
  /** Set where the agent committed the name. */
  readonly committed?: true;
  /** The last step that used the name; absent where that is the one that defined it. */
  readonly used?: Origin;
  /** What was not kept exactly. */
  readonly loss?: readonly Loss[];
  /** Where its state lies: captured values, own properties. */
  readonly value: PayloadRef;
  /** Set while a definition that could not be restored is carried forward. */
  readonly failed?: string;
}

/** A payload: text of up to 64 KiB inline, else a file in `values/` named by its id. */
export interface PayloadEntry {
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Absent where it is in a file. */
  readonly text?: string;
}

/** A name that was not saved. */
export interface DroppedEntry extends Origin {
  /** Real type of the value. */
  readonly type: string;
  /** Why it was not saved. */
  readonly reason: string;
  /** Encoded size, where that was the reason. */
  readonly bytes?: number;
}

/** One query in the ledger. `final` and its text form are absent where there was no answer. */
export interface QueryEntry {
  /** Query number, from 1. */
  readonly number: number;
  /** The question. */
  readonly query: string;
  /** `running` until the run ends: found by a later run, it means the query was interrupted. */
  readonly status: RunStatus | "running";
  /** The answer, as JSON where it can be, else as the text an agent would see. */
  readonly final?: unknown;
  /** ISO 8601. */
  readonly started: string;
  /** ISO 8601; absent while it runs, and where it was killed. */
  readonly ended?: string;
  /** Steps of the root agent. */
  readonly steps: number;
  /** The whole run, sub-agents counted. */
  readonly usage: Usage;
  /** Transcript, relative to the session directory. */
  readonly log?: string;
  /** One line, where the query failed. */
  readonly error?: string;
}

/** The code of one root step. */
export interface StepEntry extends Origin {
  readonly code: string;
  /** One line, where the step failed. */
  readonly error?: string;
  /** Top-level names that the step assigned. */
  readonly names: readonly string[];
}

/** `state.json`. Keys that this engine does not know survive a rewrite. */
export interface Manifest {
  readonly format: number;
  /** Version of the devalue package that wrote the payloads. */
  readonly devalue: string;
  /** Version of fast-rlm that wrote the file. */
  readonly engine: string;
  readonly variables: Readonly<Record<string, VariableEntry>>;
  readonly functions: Readonly<Record<string, FunctionEntry>>;
  readonly dropped: Readonly<Record<string, DroppedEntry>>;
  readonly payloads: Readonly<Record<string, PayloadEntry>>;
  /** SHA-256 of the bytes of `payloads` in the file, where many of them are inline. */
  readonly sum?: string;
  readonly queries: readonly QueryEntry[];
  readonly steps: readonly StepEntry[];
}

/** Once the texts in `state.json` have this many bytes in all, only small ones are added to it. */
export const INLINE_TOTAL_BYTES = 1_048_576;

/** What is small enough to be in the manifest, and repeated in checkpoints, in all cases. */
export const SMALL_BYTES = 1_024;

/** With more inline payloads than this the manifest has a sum of them. */
export const SUM_FROM = 50;

/** The state of a new session. */
export function emptyManifest(): Manifest {
  return {
    format: FORMAT,
    devalue: DEVALUE_VERSION,
    engine: VERSION,
    variables: emptyRecord(),
    functions: emptyRecord(),
    dropped: emptyRecord(),
    payloads: emptyRecord(),
    queries: [],
    steps: [],
  };
}

/** A record without a prototype, so that `__proto__` and `constructor` are names like others. */
export function emptyRecord<T>(): Record<string, T> {
  return Object.create(null);
}
