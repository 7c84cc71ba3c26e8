import type { FinishReason } from "./model/model.ts";
import type { Usage } from "./model/usage.ts";

/** How a run ended. */
export type RunStatus = "answered" | "limit" | "failed" | "interrupted";

/** An agent in the tree of a run. */
export interface AgentInfo {
  /** Unique in the run; the log's `run_id` (Python fast-rlm gives every agent a run id). */
  readonly runId: string;
  /** Absent for the root agent. */
  readonly parentRunId?: string;
  /** The agent's path in the tree: "0" is the root, "0.2" its third sub-agent. */
  readonly path: string;
  /** 0 for the root agent. */
  readonly depth: number;
  /** As the user named it. */
  readonly model: string;
}

/** When the parts of a step began and ended, milliseconds since the epoch. */
export interface StepTimestamps {
  /** The model was asked. */
  readonly modelStart: number;
  /** Its reply was complete. */
  readonly modelEnd: number;
  /** Evaluation began; absent where there was nothing to evaluate. */
  readonly codeStart?: number;
  /** Evaluation ended. */
  readonly codeEnd?: number;
}

/** What happened, without who and when. Steps count from 1; step 0 is the probe. */
export type EventBody =
  /** The first event of a transcript. `config` holds effective values, never a key. */
  | {
    readonly type: "run_start";
    readonly engine: string;
    readonly prompt: string;
    readonly query?: number;
    readonly sessionDir?: string;
    readonly config: Readonly<Record<string, unknown>>;
  }
  | {
    readonly type: "agent_start";
    readonly task: string;
    /** One line: type and size of the context. */
    readonly context: string;
    /** The probe as the agent sees it. */
    readonly probe: string;
  }
  | { readonly type: "model_start"; readonly step: number; readonly promptChars: number }
  /** Text as it streams in; for progress only, never logged. */
  | { readonly type: "model_text"; readonly step: number; readonly delta: string }
  | {
    readonly type: "model_retry";
    readonly step: number;
    readonly attempt: number;
    readonly waitMs: number;
    readonly reason: string;
  }
  /** A reply arrived. `code` is empty where it held none that may run. */
  | {
    readonly type: "code_generated";
    readonly step: number;
    readonly code: string;
    readonly text: string;
    readonly reasoning?: string;
    readonly finish: FinishReason;
    readonly usage: Usage;
    readonly timestamps: StepTimestamps;
  }
  /** The code was evaluated; `output` is what the agent sees of it. */
  | {
    readonly type: "execution_result";
    readonly step: number;
    readonly code: string;
    readonly output: string;
    readonly hasError: boolean;
    readonly reasoning?: string;
    readonly usage: Usage;
    readonly timestamps: StepTimestamps;
  }
  /** How many sub-agents this agent waits for now. */
  | { readonly type: "waiting"; readonly step: number; readonly children: number }
  /** One `llm_complete` call. */
  | { readonly type: "completion"; readonly step: number; readonly usage: Usage }
  /** A host-side tool was called. */
  | {
    readonly type: "tool_call";
    readonly step: number;
    readonly tool: string;
    readonly ms: number;
    readonly error?: string;
  }
  /** The session was opened: what an earlier query left, or a new one. */
  | {
    readonly type: "session_open";
    readonly query: number;
    readonly restored: number;
    readonly failed: number;
    readonly dropped: number;
    /** Some of these names, the first ones. */
    readonly failedNames?: readonly string[];
    readonly droppedNames?: readonly string[];
  }
  /** State was written after a root step. */
  | {
    readonly type: "sweep";
    readonly step: number;
    readonly saved: number;
    readonly dropped: number;
    readonly bytesWritten: number;
    readonly ms: number;
  }
  /** The REPL was restarted after its process ended. */
  | { readonly type: "restart"; readonly step: number; readonly reason: string }
  | { readonly type: "final_result"; readonly step: number; readonly result: unknown }
  | { readonly type: "warning"; readonly message: string }
  | {
    readonly type: "agent_end";
    readonly status: RunStatus;
    readonly steps: number;
    /** This agent's own calls, sub-agents not counted. */
    readonly usage: Usage;
    readonly error?: string;
  }
  /** The last event of a transcript. */
  | {
    readonly type: "run_end";
    readonly status: RunStatus;
    readonly steps: number;
    /** The whole run, sub-agents counted. */
    readonly usage: Usage;
    readonly error?: string;
  };

/** One thing that happened in a run. */
export type RunEvent = EventBody & {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly agent: AgentInfo;
};

/** Receives every event of a run, in order. Must not throw. */
export type EventSink = (event: RunEvent) => void;
