import type { AgentInfo, EventBody, RunEvent } from "../../lib/events.ts";
import { noUsage, type Usage } from "../../lib/model/usage.ts";

/** An agent of a run by its path: "0" is the root, "0.2" its third sub-agent. */
export function agentAt(path: string, model = "vendor/small"): AgentInfo {
  const parts = path.split(".");
  const parent = parts.slice(0, -1).join(".");
  return {
    runId: `run-${path}`,
    path,
    depth: parts.length - 1,
    model,
    ...(parent === "" ? {} : { parentRunId: `run-${parent}` }),
  };
}

/** The usage of one call that told everything. */
export function usageOf(prompt: number, completion: number, cost?: number): Usage {
  return {
    ...noUsage,
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: prompt + completion,
    cost,
    calls: 1,
  };
}

/** Builds events of one run at times that the test sets. */
export class Events {
  /** Milliseconds since the epoch of the next event. */
  time: number;

  constructor(time = 1_700_000_000_000) {
    this.time = time;
  }

  of(path: string, body: EventBody): RunEvent {
    return { ...body, time: this.time, agent: agentAt(path) };
  }

  runStart(): RunEvent {
    return this.of("0", { type: "run_start", engine: "0", prompt: "secret prompt", config: {} });
  }

  start(path: string): RunEvent {
    return this.of(path, { type: "agent_start", task: "task", context: "string", probe: "" });
  }

  think(path: string, step: number): RunEvent {
    return this.of(path, { type: "model_start", step, promptChars: 100 });
  }

  code(
    path: string,
    step: number,
    code: string,
    usage: Usage = usageOf(1000, 100, 0.01),
  ): RunEvent {
    const timestamps = { modelStart: this.time - 2000, modelEnd: this.time };
    return this.of(path, {
      type: "code_generated",
      step,
      code,
      text: code,
      finish: "stop",
      usage,
      timestamps,
    });
  }

  output(path: string, step: number, output: string, hasError = false): RunEvent {
    const timestamps = { modelStart: this.time - 2000, modelEnd: this.time };
    return this.of(path, {
      type: "execution_result",
      step,
      code: "",
      output,
      hasError,
      usage: noUsage,
      timestamps,
    });
  }

  wait(path: string, step: number, children: number): RunEvent {
    return this.of(path, { type: "waiting", step, children });
  }

  end(path: string, status: "answered" | "failed" = "answered"): RunEvent {
    return this.of(path, { type: "agent_end", status, steps: 1, usage: usageOf(1, 1) });
  }

  runEnd(status: "answered" | "failed" | "limit" = "answered", error?: string): RunEvent {
    const usage = { ...usageOf(20_000, 2000, 0.2), calls: 4 };
    return this.of("0", {
      type: "run_end",
      status,
      steps: 2,
      usage,
      ...(error === undefined ? {} : { error }),
    });
  }
}
