import { type Entry, readTime, readUsage } from "./entry.ts";
import { AgentBuilder, readStatus } from "./agent_builder.ts";
import type { AgentModel, Detail, TranscriptModel } from "./model.ts";
import type { Skipped } from "./reader.ts";
import { TallyBuilder } from "./tally.ts";

/** Agents that a model with `detail: "counts"` lists. */
const AGENTS_LISTED = 10_000;

/**
 * Builds the model of a transcript entry by entry. With `detail: "counts"` its memory does not grow
 * with the file: texts are not held, and ended agents beyond the first 10,000 leave only their count.
 */
export class TranscriptBuilder {
  readonly #detail: Detail;
  readonly #agents = new Map<string, AgentBuilder>();
  readonly #events = new Map<string, number>();
  readonly #tally = new TallyBuilder();
  #folded = 0;
  #entries = 0;
  #depth = 0;
  #steps = 0;
  #probes = 0;
  #start: Entry | undefined;
  #end: Entry | undefined;
  #first: number | undefined;
  #last: number | undefined;
  #format: number | undefined;

  constructor(detail: Detail) {
    this.#detail = detail;
  }

  /** Takes the next entry. */
  add(entry: Entry): void {
    const time = readTime(entry.time);
    this.#entries++;
    this.#events.set(entry.event_type, (this.#events.get(entry.event_type) ?? 0) + 1);
    this.#depth = Math.max(this.#depth, entry.depth);
    this.#format ??= entry.format;
    if (time !== undefined) {
      this.#first = Math.min(this.#first ?? time, time);
      this.#last = Math.max(this.#last ?? time, time);
    }
    const agent = this.#agentOf(entry);
    const isStep = entry.event_type === "code_generated" || entry.event_type === "execution_result";
    const usage = entry.usage !== undefined || (isStep && this.#format === undefined)
      ? readUsage(entry.usage, isStep && entry.step === 0 ? 0 : 1)
      : undefined;
    if (usage !== undefined) this.#tally.add(usage);
    if (isStep && entry.step === 0) this.#probes++;
    if (agent.add(entry, time, usage)) this.#steps++;
    if (entry.event_type === "run_start") this.#start ??= entry;
    if (entry.event_type === "run_end") this.#end = entry;
    if (this.#detail === "counts") this.#fold(agent);
  }

  /** The model of what was read so far. */
  build(path: string, skipped: Skipped, bytes: number): TranscriptModel {
    const models = new Map<string, AgentModel>();
    const children = new Map<string, AgentModel[]>();
    const roots: AgentModel[] = [];
    const agents: AgentModel[] = [];
    for (const builder of this.#agents.values()) {
      const kin: AgentModel[] = [];
      children.set(builder.runId, kin);
      models.set(builder.runId, builder.build(kin));
    }
    for (const model of models.values()) {
      agents.push(model);
      const kin = descends(model, models) ? children.get(model.parentRunId ?? "") : undefined;
      (kin ?? roots).push(model);
    }
    const root = roots[0];
    const ended = readTime(this.#end?.time);
    return {
      path,
      format: this.#format,
      engine: this.#start?.engine,
      prompt: this.#start?.prompt,
      query: this.#start?.query,
      config: this.#start?.config,
      status: this.#end !== undefined ? readStatus(this.#end.status) : root?.status ?? "unknown",
      error: this.#end?.error ?? root?.error,
      started: this.#first,
      ended: ended ?? (root?.status === "running" ? undefined : this.#last),
      entries: this.#entries,
      bytes,
      events: Object.fromEntries(this.#events),
      skipped,
      runs: this.#agents.size + this.#folded,
      depth: this.#depth,
      steps: this.#steps,
      probes: this.#probes,
      tally: this.#tally.get(),
      roots,
      agents: this.#detail === "counts" ? agents.slice(0, AGENTS_LISTED) : agents,
      ...(root !== undefined && "final" in root && { final: root.final }),
      detail: this.#detail,
    };
  }

  #agentOf(entry: Entry): AgentBuilder {
    const known = this.#agents.get(entry.run_id);
    if (known !== undefined) {
      // Python's final_result has no parent, and a buffered log may put it first.
      known.parentRunId ??= entry.parent_run_id;
      return known;
    }
    const parent = entry.parent_run_id === undefined
      ? undefined
      : this.#agents.get(entry.parent_run_id);
    const path = entry.agent ?? parent?.nextChildPath() ??
      (this.#agents.size === 0 ? "0" : `0.${this.#agents.size - 1}`);
    const agent = new AgentBuilder(entry, path, this.#detail);
    this.#agents.set(entry.run_id, agent);
    parent?.childBegan(entry.run_id);
    return agent;
  }

  #fold(agent: AgentBuilder): void {
    if (this.#agents.size <= AGENTS_LISTED || !agent.ended) return;
    this.#agents.delete(agent.runId);
    this.#folded++;
  }
}

/** Whether the agent's parents lead to a root. In a damaged log they may be missing or form a ring. */
function descends(model: AgentModel, models: ReadonlyMap<string, AgentModel>): boolean {
  const seen = new Set<string>();
  let at: AgentModel | undefined = model;
  while (at?.parentRunId !== undefined) {
    if (seen.has(at.runId)) return false;
    seen.add(at.runId);
    at = models.get(at.parentRunId);
  }
  return model.parentRunId !== undefined && models.has(model.parentRunId);
}
