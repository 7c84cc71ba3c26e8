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
import type { Usage } from "../lib/model/usage.ts";

/** The format that the writer writes. */
export const LOG_FORMAT = 1;

/** When the parts of a step began and ended, ISO 8601. */
export interface TimestampFields {
  readonly llm_call_start?: string;
  readonly llm_call_end?: string;
  readonly execution_start?: string;
  readonly execution_end?: string;
}

/** Usage as a transcript writes it: the names of fast-rlm's logs; what is unknown is left out. */
export interface UsageFields {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly cached_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cost?: number;
  /** Model calls that the figures cover; absent in fast-rlm's Python logs, where it is one. */
  readonly calls?: number;
  /** Calls whose token counts are unknown. */
  readonly unknown_calls?: number;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === "string";
const isNames: Test = Array.isArray;

/** What the fields that not every entry has must be; a line has few of them. */
const FIELDS: ReadonlyMap<string, Test> = new Map<keyof Entry, Test>([
  ["parent_run_id", isText],
  ["agent", isText],
  ["engine", isText],
  ["prompt", isText],
  ["session_dir", isText],
  ["model", isText],
  ["task", isText],
  ["context", isText],
  ["probe", isText],
  ["code", isText],
  ["text", isText],
  ["output", isText],
  ["reasoning", isText],
  ["finish", isText],
  ["result_type", isText],
  ["status", isText],
  ["error", isText],
  ["message", isText],
  ["reason", isText],
  ["tool", isText],
  ["step", Number.isFinite],
  ["format", Number.isFinite],
  ["query", Number.isFinite],
  ["steps", Number.isFinite],
  ["attempt", Number.isFinite],
  ["wait_ms", Number.isFinite],
  ["ms", Number.isFinite],
  ["restored", Number.isFinite],
  ["failed", Number.isFinite],
  ["saved", Number.isFinite],
  ["dropped", Number.isFinite],
  ["bytes_written", Number.isFinite],
  ["hasError", (value) => typeof value === "boolean"],
  ["result", () => true],
  ["config", isObject],
  ["usage", isObject],
  ["total_usage", isObject],
  ["timestamps", isObject],
  ["cut", isObject],
  ["failed_names", isNames],
  ["dropped_names", isNames],
]);

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
  for (const key in value) {
    const field = value[key];
    if (FIELDS.get(key)?.(field) !== true) continue;
    entry[key] = Array.isArray(field) && key !== "result" ? field.filter(isText) : field;
  }
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

/** `Usage` → the fields of an entry. */
export function writeUsage(usage: Usage): UsageFields {
  return {
    ...(usage.promptTokens !== undefined && { prompt_tokens: usage.promptTokens }),
    ...(usage.completionTokens !== undefined && { completion_tokens: usage.completionTokens }),
    ...(usage.totalTokens !== undefined && { total_tokens: usage.totalTokens }),
    ...(usage.cachedTokens !== undefined && { cached_tokens: usage.cachedTokens }),
    ...(usage.reasoningTokens !== undefined && { reasoning_tokens: usage.reasoningTokens }),
    ...(usage.cost !== undefined && { cost: usage.cost }),
    calls: usage.calls,
    ...(usage.unknownCalls > 0 && { unknown_calls: usage.unknownCalls }),
  };
}

const figure = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

/** The fields of an entry → `Usage`; anything that is no finite number from 0 is unknown. */
export function readUsage(value: unknown, defaultCalls: number): Usage {
  const fields = typeof value === "object" && value !== null
    ? value as Record<keyof UsageFields, unknown>
    : {} as Partial<Record<keyof UsageFields, unknown>>;
  return {
    promptTokens: figure(fields.prompt_tokens),
    completionTokens: figure(fields.completion_tokens),
    totalTokens: figure(fields.total_tokens),
    cachedTokens: figure(fields.cached_tokens),
    reasoningTokens: figure(fields.reasoning_tokens),
    cost: figure(fields.cost),
    calls: figure(fields.calls) ?? defaultCalls,
    unknownCalls: figure(fields.unknown_calls) ?? 0,
  };
}
