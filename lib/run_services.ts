import type { Budget } from "./budget.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import type { AgentInfo, EventBody, EventSink } from "./events.ts";
import type { Model } from "./model/model.ts";
import type { SandboxPool } from "./sandbox_pool.ts";
import type { Scheduler } from "./scheduler.ts";

/** What the agents of one run share. Made by `run`, never kept in a module. */
export interface RunServices {
  readonly config: ResolvedConfig;
  readonly clock: Clock;
  readonly budget: Budget;
  /** Sub-agents that work at once. */
  readonly scheduler: Scheduler;
  /** `llm_complete` calls under way at once: they need no sandbox. */
  readonly completions: Scheduler;
  readonly sandboxes: SandboxPool;
  readonly rootModel: Model;
  readonly subModel: Model;
  readonly emit: EventSink;
  newRunId(): string;
  /** Ends the run with an error that agent code cannot catch. */
  endRun(error: Error): void;
}

/** The emit function of one agent. */
export function emitter(services: RunServices, agent: AgentInfo): (body: EventBody) => void {
  return (body) => services.emit({ ...body, time: services.clock.now(), agent });
}
