/**
 * The transcript's format: one JSON object a line, with the names of fast-rlm's own logs.
 *
 * Rules that every reader may rely on:
 * - The first entry carries `format`; this is format 1. fast-rlm's Python logs carry none.
 * - The sum of `usage` over all lines is what the run used. So a step's usage stands in its
 *   `code_generated` (written when the reply arrives, so a kill during the evaluation loses no
 *   figure) and not again in its `execution_result`; `agent_end` and `run_end` repeat sums under
 *   the name `total_usage`. In Python logs a step has one entry, of either kind, with its usage.
 * - A figure that is unknown is absent, never 0.
 * - The prompt stands in `run_start` and nowhere else; other texts hold a marker in its place.
 *   Only `result` is left as the agent gave it.
 * - `result` is the value itself, or what `result_type` says.
 * - A text over 64 Ki characters is cut; `cut` then maps its field to its true length.
 */
import type { StepTimestamps } from "../lib/events.ts";
import type { UsageFields } from "./usage_fields.ts";

/** The format that the writer writes. */
export const LOG_FORMAT = 1;

/** When the parts of a step began and ended, ISO 8601. */
export interface TimestampFields {
  readonly llm_call_start?: string;
  readonly llm_call_end?: string;
  readonly execution_start?: string;
  readonly execution_end?: string;
}

/** One line of a transcript. Which fields there are depends on `event_type`. */
export interface Entry {
  /** ISO 8601. */
  readonly time: string;
  /** The agent; Python fast-rlm gives every agent a run id. */
  readonly run_id: string;
  readonly parent_run_id?: string;
  readonly depth: number;
  /** The agent's path in the tree, `0.2`. */
  readonly agent?: string;
  readonly step?: number;
  readonly event_type: string;
  readonly format?: number;
  readonly engine?: string;
  readonly prompt?: string;
  readonly query?: number;
  readonly session_dir?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly model?: string;
  /** Absent for the root agent of a run whose task is the prompt. */
  readonly task?: string;
  readonly context?: string;
  readonly probe?: string;
  readonly code?: string;
  /** What the model wrote around its code. */
  readonly text?: string;
  readonly output?: string;
  readonly hasError?: boolean;
  readonly reasoning?: string;
  readonly finish?: string;
  readonly usage?: UsageFields;
  readonly total_usage?: UsageFields;
  readonly timestamps?: TimestampFields;
  readonly result?: unknown;
  /**
   * Set where `result` is not the value itself: `undefined`; `text`, as Deno prints a value that JSON
   * cannot keep; `json`, the beginning and end of long JSON.
   */
  readonly result_type?: string;
  readonly status?: string;
  readonly steps?: number;
  readonly error?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly attempt?: number;
  readonly wait_ms?: number;
  readonly tool?: string;
  readonly ms?: number;
  /** Names that the session gave back to the REPL, and those that it could not. */
  readonly restored?: number;
  readonly failed?: number;
  readonly failed_names?: readonly string[];
  readonly dropped_names?: readonly string[];
  readonly saved?: number;
  readonly dropped?: number;
  readonly bytes_written?: number;
  /** True lengths, in characters, of the fields that were cut. */
  readonly cut?: Readonly<Record<string, number>>;
}

const STRINGS: readonly (keyof Entry)[] = [
  "parent_run_id",
  "agent",
  "engine",
  "prompt",
  "session_dir",
  "model",
  "task",
  "context",
  "probe",
  "code",
  "text",
  "output",
  "reasoning",
  "finish",
  "result_type",
  "status",
  "error",
  "message",
  "reason",
  "tool",
];
const NUMBERS: readonly (keyof Entry)[] = [
  "step",
  "format",
  "query",
  "steps",
  "attempt",
  "wait_ms",
  "ms",
  "restored",
  "failed",
  "saved",
  "dropped",
  "bytes_written",
];
const OBJECTS: readonly (keyof Entry)[] = ["config", "usage", "total_usage", "timestamps", "cut"];

const NAMES: readonly (keyof Entry)[] = ["failed_names", "dropped_names"];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads a parsed line as an entry: any dialect with a `run_id` and an `event_type`. Fields of the
 * wrong type are left out; unknown fields are ignored.
 *
 * @returns undefined where the value is no entry
 */
export function parseEntry(value: unknown): Entry | undefined {
  if (!isObject(value)) return undefined;
  const { run_id, event_type, depth, time } = value as Record<keyof Entry, unknown>;
  if (typeof run_id !== "string" || typeof event_type !== "string") return undefined;
  const entry: Record<string, unknown> = {
    time: typeof time === "string" ? time : typeof time === "number" ? isoTime(time) : "",
    run_id,
    depth: typeof depth === "number" && depth >= 0 ? depth : 0,
    event_type,
  };
  for (const key of STRINGS) if (typeof value[key] === "string") entry[key] = value[key];
  for (const key of NUMBERS) if (Number.isFinite(value[key])) entry[key] = value[key];
  for (const key of OBJECTS) if (isObject(value[key])) entry[key] = value[key];
  for (const key of NAMES) {
    const names = value[key];
    if (Array.isArray(names)) entry[key] = names.filter((name) => typeof name === "string");
  }
  if (typeof value["hasError"] === "boolean") entry["hasError"] = value["hasError"];
  if ("result" in value) entry["result"] = value["result"];
  return entry as unknown as Entry;
}

/** Milliseconds → ISO 8601; empty where the number is no time. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** ISO 8601 → milliseconds; undefined where it is no time. */
export function readTime(iso: string | undefined): number | undefined {
  if (iso === undefined || iso === "") return undefined;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The timestamps of a step, for an entry. */
export function writeTimestamps(timestamps: StepTimestamps): TimestampFields {
  const { modelStart, modelEnd, codeStart, codeEnd } = timestamps;
  return {
    llm_call_start: isoTime(modelStart),
    llm_call_end: isoTime(modelEnd),
    ...(codeStart !== undefined && { execution_start: isoTime(codeStart) }),
    ...(codeEnd !== undefined && { execution_end: isoTime(codeEnd) }),
  };
}
