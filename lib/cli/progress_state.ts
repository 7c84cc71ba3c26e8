import { lineOfOutput } from "../../log/step_output.ts";
import type { RunEvent, RunStatus } from "../events.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";

/** What an agent is doing now. */
export type Phase = "starting" | "thinking" | "retrying" | "running" | "waiting";

/** An agent that has not ended. */
export interface LiveAgent {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly path: string;
  readonly depth: number;
  readonly model: string;
  readonly phase: Phase;
  /** Sub-agents that it waits for. */
  readonly waitingFor: number;
  readonly step: number;
  /** Its own calls, sub-agents not counted. */
  readonly usage: Usage;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** The last line of what its code printed. Not inert. */
  readonly lastLine: string;
  /** The line that the streaming reply is at; empty when none streams. Not inert. */
  readonly streaming: string;
  /** Sub-agents of this agent that ended with an answer. */
  readonly answered: number;
  /** Sub-agents of this agent that ended without one. */
  readonly unanswered: number;
}

/** A run as far as its progress shows it. */
export interface ProgressState {
  /** Agents that have not ended, by run id. */
  readonly agents: ReadonlyMap<string, LiveAgent>;
  /** The whole run, sub-agents counted. */
  readonly usage: Usage;
  /** Root steps that were begun. */
  readonly steps: number;
  /** Agents that were ever started. */
  readonly started: number;
  /** Milliseconds since the epoch; `undefined` before the first event. */
  readonly since: number | undefined;
  readonly end: { readonly status: RunStatus; readonly time: number } | undefined;
}

/** The state before the first event. */
export const noProgress: ProgressState = {
  agents: new Map(),
  usage: noUsage,
  steps: 0,
  started: 0,
  since: undefined,
  end: undefined,
};

/** Characters of a line that are kept; more fits on no terminal. */
const LINE_LIMIT = 400;

/** The state after one more event. Events of agents that never started are taken as their start. */
export function reduceProgress(state: ProgressState, event: RunEvent): ProgressState {
  const since = state.since ?? event.time;
  switch (event.type) {
    case "run_start":
    case "warning":
    case "sweep":
    case "tool_call":
      return { ...state, since };
    case "run_end":
      return {
        ...state,
        since,
        agents: new Map(),
        usage: event.usage,
        steps: event.steps,
        end: { status: event.status, time: event.time },
      };
    case "agent_end":
      return endAgent({ ...state, since }, event);
    default:
      return changeAgent({ ...state, since }, event);
  }
}

/** Counts an agent that ended on its parent and takes it out of the tree. */
function endAgent(
  state: ProgressState,
  event: RunEvent & { type: "agent_end" },
): ProgressState {
  const agents = new Map(state.agents);
  agents.delete(event.agent.runId);
  const parent = agents.get(event.agent.parentRunId ?? "");
  if (parent !== undefined) {
    const answered = event.status === "answered";
    agents.set(parent.runId, {
      ...parent,
      answered: parent.answered + (answered ? 1 : 0),
      unanswered: parent.unanswered + (answered ? 0 : 1),
    });
  }
  return { ...state, agents };
}

function changeAgent(state: ProgressState, event: RunEvent): ProgressState {
  const { runId, parentRunId, path, depth, model } = event.agent;
  const known = state.agents.get(runId);
  const before: LiveAgent = known ?? {
    runId,
    parentRunId,
    path,
    depth,
    model,
    phase: "starting",
    waitingFor: 0,
    step: 0,
    usage: noUsage,
    started: event.time,
    lastLine: "",
    streaming: "",
    answered: 0,
    unanswered: 0,
  };
  const agents = new Map(state.agents);
  agents.set(runId, { ...before, ...agentChange(before, event) });
  const cost = event.type === "code_generated" || event.type === "completion"
    ? event.usage
    : noUsage;
  return {
    ...state,
    agents,
    usage: addUsage(state.usage, cost),
    steps: depth === 0 && "step" in event ? Math.max(state.steps, event.step) : state.steps,
    started: state.started + (known === undefined ? 1 : 0),
  };
}

function agentChange(agent: LiveAgent, event: RunEvent): Partial<LiveAgent> {
  switch (event.type) {
    case "model_start":
      return { phase: "thinking", step: event.step, waitingFor: 0, streaming: "" };
    case "model_text":
      return {
        phase: "thinking",
        step: event.step,
        streaming: streamedLine(agent.streaming, event.delta),
      };
    case "model_retry":
      return {
        phase: "retrying",
        step: event.step,
        streaming: event.reason.slice(0, LINE_LIMIT),
      };
    case "code_generated":
      return {
        phase: "running",
        step: event.step,
        streaming: "",
        usage: addUsage(agent.usage, event.usage),
      };
    case "execution_result":
      return {
        phase: "thinking",
        step: event.step,
        waitingFor: 0,
        lastLine: lineOfOutput(event.output, event.hasError).slice(0, LINE_LIMIT),
      };
    case "waiting":
      return {
        phase: event.children > 0 ? "waiting" : "running",
        step: event.step,
        waitingFor: event.children,
      };
    case "completion":
      return { usage: addUsage(agent.usage, event.usage) };
    case "restart":
      return { lastLine: `restarted: ${event.reason}`.slice(0, LINE_LIMIT) };
    default:
      return {};
  }
}

/** The line that a stream is at: what follows its last line break that has text after it. */
function streamedLine(before: string, delta: string): string {
  const text = (before + delta).slice(-2 * LINE_LIMIT);
  const end = text.trimEnd();
  return text.slice(end.lastIndexOf("\n") + 1);
}
