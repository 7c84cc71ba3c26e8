import { byPath } from "../by_path.ts";
import {
  finalText,
  formatAmount,
  formatCount,
  formatDuration,
  formatMoney,
  UNKNOWN,
} from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { AgentModel, QueryModel, StepModel } from "../model.ts";
import { durationOf } from "../queries.ts";
import { headAndTail } from "../shorten.ts";
import { type OutputPart, outputParts } from "../step_output.ts";
import type { CodeLanguage } from "./highlight.ts";

/** What the page needs to draw a query once it is opened; every text is inert. */
export interface QueryData {
  readonly language: CodeLanguage;
  readonly prompt: string;
  readonly final?: string;
  readonly error?: string;
  /** Why there are no steps to show. */
  readonly missing?: string;
  readonly agents: readonly AgentData[];
  readonly lanes: readonly LaneData[];
  /** Labels of the time axis: its whole length. */
  readonly span: string;
}

/** One agent; `children` are indexes into `QueryData.agents`. */
export interface AgentData {
  readonly path: string;
  readonly title: string;
  readonly model: string;
  readonly status: string;
  readonly facts: string;
  readonly error?: string;
  readonly final?: string;
  readonly notes: readonly string[];
  readonly steps: readonly StepData[];
  /** Sub-agents that belong to no step. */
  readonly children: readonly number[];
}

/** One step. */
export interface StepData {
  readonly step: number;
  /** First line of code that says something. */
  readonly head: string;
  readonly code: string;
  /** What came out of it, in parts: printed text, the value, the error, remarks of the engine. */
  readonly output: readonly (readonly [OutputPart["kind"], string])[];
  readonly failed?: true;
  readonly reasoning?: string;
  readonly text?: string;
  readonly tokens: string;
  readonly cost: string;
  readonly time: string;
  /** Tokens and cost against the dearest step of the query, in hundredths. */
  readonly share: readonly [number, number];
  readonly notes: readonly string[];
  readonly children: readonly number[];
}

/** One agent on the time axis, in thousandths of it: start, end, and its parts. */
export interface LaneData {
  readonly agent: number;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /**
   * Start, end, and whether the model thought, code ran, or the log has only the whole step; last,
   * where it waited for sub-agents.
   */
  readonly parts: readonly (readonly [number, number, "think" | "run" | "step" | "hold"])[];
}

/** Lanes that the time axis shows. */
const LANES = 60;

/** The data of a query. `limit` is the number of characters kept of one text. */
export function queryData(query: QueryModel, limit: number): QueryData {
  const { transcript } = query;
  const cut = (text: string): string => headAndTail(inert(text), limit, "left out of this report");
  const most = dearest(transcript?.agents ?? []);
  const agents: AgentData[] = [];
  const order: AgentModel[] = [];
  const put = (agent: AgentModel): number => {
    // The place is taken first: a parent comes before its sub-agents.
    const place = order.push(agent) - 1;
    const kids = new Map(
      agent.children.toSorted(byPath).map((child) => [child.runId, put(child)]),
    );
    const steps = agent.steps.map((step, at) =>
      stepData(step, agent.steps[at - 1]?.time, kids, cut, most)
    );
    const placed = new Set(steps.flatMap((step) => step.children));
    agents[place] = {
      path: inertLine(agent.path),
      title: inertLine(agent.task ?? agent.runId).slice(0, 300),
      model: inertLine(agent.model ?? ""),
      status: agent.status,
      facts: agentFacts(agent),
      ...(agent.error !== undefined && { error: cut(agent.error) }),
      ...("final" in agent && { final: cut(finalText(agent.final)) }),
      notes: agent.notes.map((note) => inertLine(note.text).slice(0, 500)),
      steps,
      children: [...kids.values()].filter((index) => !placed.has(index)),
    };
    return place;
  };
  for (const root of transcript?.roots ?? []) put(root);
  return {
    language: transcript !== undefined && transcript.format === undefined ? "python" : "js",
    prompt: cut(query.query),
    ...("final" in query && { final: cut(pretty(query.final)) }),
    ...(query.error !== undefined && { error: cut(query.error) }),
    ...(query.missing !== undefined && { missing: `No transcript: ${inertLine(query.missing)}` }),
    ...(transcript?.detail === "counts" &&
      { missing: "The transcripts are too large to show their steps here" }),
    agents,
    ...lanesOf(order),
  };
}

function stepData(
  step: StepModel,
  before: number | undefined,
  kids: ReadonlyMap<string, number>,
  cut: (text: string) => string,
  most: { readonly tokens: number; readonly cost: number },
): StepData {
  const code = cut(step.code);
  // A log without timestamps still has the time between its entries.
  const from = step.modelStart ?? before;
  const to = step.codeEnd ?? step.modelEnd ?? step.time;
  const ms = from === undefined || to === undefined ? undefined : to - from;
  return {
    step: step.step,
    head: headOf(code) || inertLine(step.text ?? "").slice(0, 160) || "(no code to run)",
    code,
    output: outputOf(step, cut),
    ...(step.hasError && { failed: true as const }),
    ...(step.reasoning !== undefined && { reasoning: cut(step.reasoning) }),
    ...(step.text !== undefined && { text: cut(step.text) }),
    tokens: step.tally.calls === 0 ? "" : formatAmount(step.tally.total, formatCount),
    cost: step.tally.calls === 0 ? "" : formatAmount(step.tally.cost, formatMoney),
    time: ms === undefined ? "" : formatDuration(ms),
    share: [
      hundredths(step.tally.total.value, most.tokens),
      hundredths(step.tally.cost.value, most.cost),
    ],
    notes: step.notes.map((note) => inertLine(note.text).slice(0, 500)),
    children: step.children.flatMap((id) => kids.get(id) ?? []).sort((a, b) => a - b),
  };
}

function outputOf(step: StepModel, cut: (text: string) => string): StepData["output"] {
  const parts = outputParts(step.output ?? "");
  // A log without frames tells only that the step failed.
  const isFramed = !step.hasError || parts.some(({ kind }) => kind === "error");
  return parts.map((
    { kind, text },
  ) => [!isFramed && kind === "output" ? "error" : kind, cut(text)]);
}

const hundredths = (value: number | undefined, most: number): number =>
  value === undefined || most === 0 ? 0 : Math.round((value / most) * 100);

function dearest(agents: readonly AgentModel[]): { tokens: number; cost: number } {
  const most = { tokens: 0, cost: 0 };
  for (const { steps } of agents) {
    for (const { tally } of steps) {
      most.tokens = Math.max(most.tokens, tally.total.value ?? 0);
      most.cost = Math.max(most.cost, tally.cost.value ?? 0);
    }
  }
  return most;
}

function agentFacts(agent: AgentModel): string {
  const ms = durationOf(agent);
  return [
    `${formatCount(agent.stepCount)} ${agent.stepCount === 1 ? "step" : "steps"}`,
    `${formatAmount(agent.tally.total, formatCount)} tokens`,
    agent.tally.cost.value === undefined
      ? `cost ${UNKNOWN}`
      : formatAmount(agent.tally.cost, formatMoney),
    ms === undefined ? `time ${UNKNOWN}` : formatDuration(ms),
  ].join(" · ");
}

/** The first line that is more than a bracket; a comment counts, it says what the step is for. */
function headOf(code: string): string {
  const line = code.split("\n").find((text) => /[\p{L}\p{N}]/u.test(text)) ?? "";
  return line.trim().slice(0, 160);
}

function pretty(value: unknown): string {
  if (typeof value !== "object" || value === null) return finalText(value);
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return finalText(value);
  }
}

function lanesOf(agents: readonly AgentModel[]): Pick<QueryData, "lanes" | "span"> {
  const timed = agents.flatMap((agent, index) => {
    const end = endOf(agent);
    return agent.started === undefined || end === undefined
      ? []
      : [{ agent, index, start: agent.started, end: Math.max(end, agent.started) }];
  }).slice(0, LANES);
  const first = Math.min(...timed.map(({ start }) => start));
  const length = Math.max(...timed.map(({ end }) => end)) - first;
  if (timed.length < 2 || !(length > 0)) return { lanes: [], span: "" };
  const place = (time: number): number =>
    Math.min(1000, Math.max(0, Math.round(((time - first) / length) * 1000)));
  return {
    span: formatDuration(length),
    lanes: timed.map(({ agent, index, start, end }) => ({
      agent: index,
      label: inertLine(agent.path),
      start: place(start),
      end: place(end),
      parts: [
        ...agent.steps.flatMap((step, at) =>
          partsOf(step, agent.steps[at - 1]?.time ?? agent.started, place)
        ),
        ...holdsOf(agent, place),
      ],
    })),
  };
}

const endOf = (agent: AgentModel): number | undefined =>
  agent.ended ?? agent.steps.at(-1)?.codeEnd ?? agent.steps.at(-1)?.time;

/** When an agent waited: the lives of its sub-agents, those that overlap as one. */
function holdsOf(agent: AgentModel, place: (time: number) => number): LaneData["parts"] {
  const lives = agent.children.flatMap((child) => {
    const end = endOf(child);
    return child.started === undefined || end === undefined
      ? []
      : [[place(child.started), place(end)] as const];
  }).sort(([a], [b]) => a - b);
  const holds: [number, number, "hold"][] = [];
  for (const [from, to] of lives) {
    const last = holds.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else holds.push([from, to, "hold"]);
  }
  return holds;
}

function partsOf(
  step: StepModel,
  before: number | undefined,
  place: (time: number) => number,
): LaneData["parts"] {
  const { modelStart, modelEnd, codeStart, codeEnd } = step;
  const parts = [
    ...(modelStart !== undefined && modelEnd !== undefined
      ? [[place(modelStart), place(modelEnd), "think"] as const]
      : []),
    ...(codeStart !== undefined && codeEnd !== undefined
      ? [[place(codeStart), place(codeEnd), "run"] as const]
      : []),
  ];
  if (parts.length > 0 || before === undefined || step.time === undefined) return parts;
  return [[place(before), place(step.time), "step"]];
}
