/**
 * The one model of a session or a transcript. Every view (statistics, JSON, HTML, terminal) derives
 * its figures from here, so no two of them can differ.
 */
import type { RunStatus } from "../lib/events.ts";
import type { Skipped } from "./reader.ts";
import type { Amount, Tally } from "./tally.ts";

/**
 * How a run or an agent stands: as the engine says, `running` while it has not ended (or was
 * killed), `unknown` where the log does not tell.
 */
export type LogStatus = RunStatus | "running" | "unknown";

/** Something beside code and output that happened in a step. */
export interface StepNote {
  readonly kind: "retry" | "tool" | "completion" | "session" | "sweep" | "restart" | "warning";
  /** One line; not yet inert. */
  readonly text: string;
  readonly time: number | undefined;
}

/** One step: a model reply and what its code did. */
export interface StepModel {
  /** From 1; 0 is the probe of a Python transcript. */
  readonly step: number;
  /** Empty where the reply held no code that may run. */
  readonly code: string;
  /** Undefined while nothing was evaluated. */
  readonly output: string | undefined;
  readonly hasError: boolean;
  readonly reasoning: string | undefined;
  /** What the model wrote around its code. */
  readonly text: string | undefined;
  readonly finish: string | undefined;
  readonly tally: Tally;
  /** When it was logged first, milliseconds since the epoch. */
  readonly time: number | undefined;
  /** Milliseconds since the epoch. */
  readonly modelStart: number | undefined;
  readonly modelEnd: number | undefined;
  readonly codeStart: number | undefined;
  readonly codeEnd: number | undefined;
  /** Run ids of the sub-agents that began in this step. */
  readonly children: readonly string[];
  readonly notes: readonly StepNote[];
  /** True lengths of texts that the log cut, by field. */
  readonly cut: Readonly<Record<string, number>> | undefined;
}

/** One agent of a run. */
export interface AgentModel {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  /** `0.2`; made from the order of appearance where the log has none. */
  readonly path: string;
  readonly depth: number;
  readonly model: string | undefined;
  readonly task: string | undefined;
  readonly context: string | undefined;
  readonly probe: string | undefined;
  readonly status: LogStatus;
  readonly error: string | undefined;
  /** Milliseconds since the epoch. */
  readonly started: number | undefined;
  readonly ended: number | undefined;
  /** Steps from 1, the probe not counted. */
  readonly stepCount: number;
  /** Steps whose code failed. */
  readonly errorCount: number;
  /** This agent's own calls. */
  readonly tally: Tally;
  /** In order; empty in a model read with `detail: "counts"`. */
  readonly steps: readonly StepModel[];
  /** Notes outside any step. */
  readonly notes: readonly StepNote[];
  readonly children: readonly AgentModel[];
  /** Present where the agent gave an answer. */
  readonly final?: unknown;
}

/** A transcript: one run. */
export interface TranscriptModel {
  readonly path: string;
  /** The log's format; undefined for a Python transcript. */
  readonly format: number | undefined;
  readonly engine: string | undefined;
  readonly prompt: string | undefined;
  readonly query: number | undefined;
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly status: LogStatus;
  readonly error: string | undefined;
  readonly started: number | undefined;
  readonly ended: number | undefined;
  /** Lines that are entries. */
  readonly entries: number;
  readonly bytes: number;
  /** Entries by `event_type`, in order of appearance. */
  readonly events: Readonly<Record<string, number>>;
  readonly skipped: Skipped;
  /** Agents: every distinct `run_id`. */
  readonly runs: number;
  /** The greatest depth. */
  readonly depth: number;
  /** Steps of all agents, probes not counted. */
  readonly steps: number;
  /** Entries of step 0. */
  readonly probes: number;
  /** The sum of `usage` over all lines. */
  readonly tally: Tally;
  /** Agents without a parent in the log; normally one. */
  readonly roots: readonly AgentModel[];
  /** Agents in order of appearance; at most 10,000 with `detail: "counts"`. */
  readonly agents: readonly AgentModel[];
  readonly final?: unknown;
  readonly detail: Detail;
}

/** Whether steps and their texts are held (`full`), or only what counting needs (`counts`). */
export type Detail = "full" | "counts";

/** One query of a session, or the run of a transcript. */
export interface QueryModel {
  /** From 1. */
  readonly number: number;
  readonly query: string;
  readonly status: LogStatus;
  /** Present where there was an answer. */
  readonly final?: unknown;
  readonly error: string | undefined;
  readonly started: number | undefined;
  readonly ended: number | undefined;
  /** Root steps as the ledger counts them; of a transcript alone, steps of all agents. */
  readonly steps: number;
  readonly tally: Tally;
  readonly transcript: TranscriptModel | undefined;
  /** Why there is no transcript: `not linked`, or what is wrong with the file. */
  readonly missing: string | undefined;
}

/** A saved, dropped or failed name of a session. */
export interface MemoryItem {
  readonly name: string;
  readonly kind: "variable" | "function" | "dropped" | "failed";
  /** Type with size, or the kind of the function. */
  readonly type: string;
  readonly committed: boolean;
  /** Preview of the value, source of the function, or the reason. */
  readonly detail: string;
  readonly comment: string | undefined;
  readonly note: string | undefined;
  readonly bytes: number | undefined;
  readonly query: number;
  readonly step: number;
  /** `path: reason` of each part that was not kept. */
  readonly loss: readonly string[];
}

/** What a session remembers; each list with committed names first, then by name. */
export interface MemoryModel {
  readonly variables: readonly MemoryItem[];
  readonly functions: readonly MemoryItem[];
  readonly dropped: readonly MemoryItem[];
  readonly failed: readonly MemoryItem[];
}

/** Sums over all queries. */
export interface Totals {
  readonly queries: number;
  readonly answered: number;
  readonly steps: number;
  readonly tally: Tally;
  /** Milliseconds in runs; a floor where the end of some is unknown. */
  readonly ms: Amount;
  readonly skipped: number;
}

/** A session, a transcript, or a directory of transcripts. */
export interface LogModel {
  readonly kind: "session" | "transcript" | "directory";
  /** As it was opened. */
  readonly path: string;
  /** Of a session: the versions in its manifest. */
  readonly format: number | undefined;
  readonly engine: string | undefined;
  readonly queries: readonly QueryModel[];
  /** Only of a session. */
  readonly memory: MemoryModel | undefined;
  readonly totals: Totals;
}
