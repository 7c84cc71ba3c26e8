import type { LogModel, QueryModel, TranscriptModel } from "./model.ts";
import { inertJson } from "./inert_json.ts";
import { durationOf } from "./queries.ts";
import type { Amount, Tally } from "./tally.ts";
import { isoTime } from "./entry.ts";

/** A tally in JSON: unknown figures are null, `floors` names those that are only a lower bound. */
export interface JsonTally {
  readonly calls: number;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly cost: number | null;
  readonly floors: readonly string[];
}

/** The model as JSON text, two spaces deep. Texts are whole; escapes keep them from acting. */
export function renderJson(model: LogModel): string {
  return `${inertJson(JSON.stringify(toJson(model), null, 2))}\n`;
}

/** The model as a plain JSON value, with the names of the transcript's fields. */
export function toJson(model: LogModel): Record<string, unknown> {
  return {
    kind: model.kind,
    path: model.path,
    format: model.format ?? null,
    engine: model.engine ?? null,
    totals: {
      queries: model.totals.queries,
      answered: model.totals.answered,
      steps: model.totals.steps,
      seconds: seconds(model.totals.ms.value),
      skipped_lines: model.totals.skipped,
      usage: jsonTally(model.totals.tally),
    },
    queries: model.queries.map(jsonQuery),
    ...(model.memory !== undefined && { memory: model.memory }),
  };
}

/** A tally as JSON. */
export function jsonTally(tally: Tally): JsonTally {
  const value = ({ value }: Amount): number | null => value ?? null;
  const fields = {
    prompt_tokens: tally.prompt,
    completion_tokens: tally.completion,
    total_tokens: tally.total,
    cached_tokens: tally.cached,
    reasoning_tokens: tally.reasoning,
    cost: tally.cost,
  };
  return {
    calls: tally.calls,
    prompt_tokens: value(fields.prompt_tokens),
    completion_tokens: value(fields.completion_tokens),
    total_tokens: value(fields.total_tokens),
    cached_tokens: value(fields.cached_tokens),
    reasoning_tokens: value(fields.reasoning_tokens),
    cost: value(fields.cost),
    floors: Object.entries(fields).flatMap(([name, amount]) => amount.partial ? [name] : []),
  };
}

const seconds = (ms: number | undefined): number | null => ms === undefined ? null : ms / 1000;
const iso = (ms: number | undefined): string | null => ms === undefined ? null : isoTime(ms);

function jsonQuery(query: QueryModel): Record<string, unknown> {
  return {
    number: query.number,
    query: query.query,
    status: query.status,
    ...("final" in query && { final: query.final ?? null }),
    error: query.error ?? null,
    started: iso(query.started),
    ended: iso(query.ended),
    seconds: seconds(durationOf(query)),
    steps: query.steps,
    usage: jsonTally(query.tally),
    transcript: query.transcript === undefined ? null : jsonTranscript(query.transcript),
    ...(query.missing !== undefined && { missing: query.missing }),
  };
}

function jsonTranscript(transcript: TranscriptModel): Record<string, unknown> {
  return {
    path: transcript.path,
    format: transcript.format ?? null,
    status: transcript.status,
    entries: transcript.entries,
    events: transcript.events,
    runs: transcript.runs,
    depth: transcript.depth,
    steps: transcript.steps,
    probes: transcript.probes,
    skipped: transcript.skipped,
    // Of a transcript that is too large to be held, steps are counted and not listed.
    steps_listed: transcript.detail === "full",
    usage: jsonTally(transcript.tally),
    config: transcript.config ?? null,
    agents: transcript.agents.map((agent) => ({
      run_id: agent.runId,
      parent_run_id: agent.parentRunId ?? null,
      agent: agent.path,
      depth: agent.depth,
      model: agent.model ?? null,
      task: agent.task ?? null,
      status: agent.status,
      ...("final" in agent && { final: agent.final ?? null }),
      error: agent.error ?? null,
      seconds: seconds(durationOf(agent)),
      steps: agent.stepCount,
      errors: agent.errorCount,
      usage: jsonTally(agent.tally),
      ...(transcript.detail === "full" && {
        step_list: agent.steps.map((step) => ({
          step: step.step,
          code: step.code,
          output: step.output ?? null,
          hasError: step.hasError,
          reasoning: step.reasoning ?? null,
          text: step.text ?? null,
          usage: jsonTally(step.tally),
          children: step.children,
          notes: step.notes.map(({ kind, text }) => ({ kind, text })),
        })),
      }),
    })),
  };
}
