/**
 * Runs one agent, root or sub-agent: gives it a REPL, tells it what it has, and lets the loop work.
 */
import { type Body, decodeBody, encodeBody } from "../repl/body.ts";
import { SandboxDied, type SweepRequest } from "../repl/host.ts";
import type { ContextDescription } from "../repl/protocol.ts";
import {
  type AgentOutcome,
  type CompletedStep,
  type FinalCheck,
  type Kept,
  runAgent,
} from "./agent.ts";
import { AgentRepl, type SavedState } from "./agent_repl.ts";
import { type ChildSpec, serveCalls } from "./calls.ts";
import { deadline } from "./deadline.ts";
import { LimitError, RlmError } from "./errors.ts";
import type { AgentInfo, EventBody, RunStatus } from "./events.ts";
import { inertLine } from "./inert_text.ts";
import type { Model } from "./model/model.ts";
import type { CompiledSchema } from "./output_schema.ts";
import { contextLine, probe } from "./probe.ts";
import { systemPrompt } from "./prompt.ts";
import { emitter, type RunServices } from "./run_services.ts";
import type { Slot } from "./scheduler.ts";
import type { Toolbox } from "./toolbox.ts";

/** State that outlives the agent; only the root agent has it. */
export interface AgentMemory extends SavedState {
  /** Whether a later query will find the state. */
  readonly resumable: boolean;
  /** Puts the state into a fresh REPL; resolves to what the agent is told of it. */
  restore(repl: AgentRepl): Promise<{ preamble: string; inventory: string }>;
  /** What the sweep after the next step may take, where that can be told already. */
  nextSweep(): SweepRequest | undefined;
  /** Sweeps the REPL and stores what it found. */
  keep(repl: AgentRepl, step: CompletedStep): Kept;
}

/** One agent to run. */
export interface AgentSpec {
  readonly info: AgentInfo;
  readonly model: Model;
  readonly context: Body;
  /** Name of the context's source, where it is a file. */
  readonly source?: string;
  readonly task: string;
  readonly taskIsContext: boolean;
  readonly instruction?: string;
  readonly schema: CompiledSchema | undefined;
  readonly toolbox: Toolbox | undefined;
  readonly functions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly memory?: AgentMemory;
  /** Told of each FINAL value that the schema refused: the best answer so far. */
  onRejected?(value: Body): void;
  readonly signal: AbortSignal;
  readonly slot?: Slot;
}

/** Runs an agent to its end. */
export async function runOneAgent(services: RunServices, spec: AgentSpec): Promise<AgentOutcome> {
  const { config } = services;
  const { info, memory } = spec;
  const emit = emitter(services, info);
  const budget = services.budget.agent(info.path, info.depth);
  let step = 0;
  let lastTurn = false;
  const time = budget.deadline;
  using code = deadline(time?.code, services.clock, spec.signal);
  using all = deadline(time?.all, services.clock, spec.signal);
  const repl = new AgentRepl({
    takeSandbox: () => services.sandboxes.take(),
    setup: {
      recursive: budget.canDelegate,
      env: spec.env,
      maxOutput: config.truncateLen,
      functions: spec.functions,
    },
    context: spec.context,
    onCall: serveCalls({
      services,
      agent: info,
      budget,
      context: spec.context,
      toolbox: spec.toolbox,
      signal: () => lastTurn ? all.signal : code.signal,
      slot: spec.slot,
      step: () => step,
      emit,
      runChild: (child) => runChild(services, child),
    }),
    ...(memory ? { saved: memory } : {}),
    clock: services.clock,
    stepTimeoutSeconds: config.stepTimeoutSeconds,
    memoryLimitMb: config.memoryLimitMb,
    onRestart: (reason) => emit({ type: "restart", step, reason }),
  });
  const stop = () => void repl.close();
  spec.signal.addEventListener("abort", stop, { once: true });
  try {
    spec.signal.throwIfAborted();
    // A call that is refused must not cost a process.
    budget.check();
    const description = await startRepl(repl, spec.context, config.memoryLimitMb);
    const told = await memory?.restore(repl);
    const first = [
      told?.preamble,
      probe({
        task: spec.task,
        taskIsContext: spec.taskIsContext,
        description,
        resumed: Boolean(told?.inventory),
        ...(spec.source === undefined ? {} : { source: spec.source }),
      }),
      told?.inventory,
    ].filter((part) => part).join("\n\n");
    emit({
      type: "agent_start",
      task: spec.task,
      context: contextLine(description, spec.source),
      probe: first,
    });
    const tools = spec.toolbox?.describe();
    const outcome = await runAgent({
      path: info.path,
      depth: info.depth,
      model: spec.model,
      budget,
      clock: services.clock,
      signal: all.signal,
      system: systemPrompt({
        recursive: budget.canDelegate,
        resumable: memory?.resumable ?? false,
        truncateLen: config.truncateLen,
        ...(tools ? { tools } : {}),
        functions: Object.entries(spec.functions).map(describeFunction),
        env: Object.keys(spec.env),
        ...(spec.schema ? { schema: spec.schema.describe() } : {}),
        ...(spec.instruction ? { instruction: spec.instruction } : {}),
      }),
      first,
      evaluate: (program, number, last) => {
        step = number;
        lastTurn = last;
        const end = last ? time?.all : time?.code;
        const left = (end ?? Infinity) - services.clock.now();
        return repl.evaluate(program, number, left, memory?.nextSweep());
      },
      checkFinal: async (value) => {
        const check = await checkFinal(value, spec.schema);
        if (!check.ok) spec.onRejected?.(value);
        return check;
      },
      emit,
      ...(memory ? { keep: (done: CompletedStep) => memory.keep(repl, done) } : {}),
    });
    reportEnd(emit, outcome, budget.usage());
    return outcome;
  } catch (error) {
    if (error instanceof LimitError && !spec.signal.aborted) {
      const outcome: AgentOutcome = { status: "limit", error, steps: step };
      reportEnd(emit, outcome, budget.usage());
      return outcome;
    }
    const interrupted = spec.signal.aborted;
    emit({
      type: "agent_end",
      status: interrupted ? "interrupted" : "failed",
      steps: step,
      usage: budget.usage(),
      error: error instanceof Error ? error.message : String(error),
    });
    spec.signal.throwIfAborted();
    throw error;
  } finally {
    spec.signal.removeEventListener("abort", stop);
    await repl.close();
  }
}

/** @throws {RlmError} `sandbox`, when the sandbox ends over its context */
async function startRepl(
  repl: AgentRepl,
  context: Body,
  memoryLimitMb: number,
): Promise<ContextDescription> {
  try {
    return await repl.start();
  } catch (error) {
    if (!(error instanceof SandboxDied) || error.reason === "closed") throw error;
    const megabytes = (context.bytes.length / 1e6).toFixed(1);
    const hint = error.reason === "memory"
      ? `; memoryLimitMb is ${memoryLimitMb}, raise it with --memory-limit`
      : "";
    throw new RlmError(
      "sandbox",
      `Cannot start a sandbox with a context of ${megabytes} MB: ${error.message}${hint}`,
      { cause: error },
    );
  }
}

/** One line: the name and how its source begins. */
function describeFunction([name, source]: [string, string]): string {
  return `- ${inertLine(name, 80)}: ${inertLine(source, 160)}`;
}

function reportEnd(
  emit: (event: EventBody) => void,
  outcome: AgentOutcome,
  usage: ReturnType<ReturnType<RunServices["budget"]["agent"]>["usage"]>,
): void {
  const { steps } = outcome;
  if (outcome.status === "answered") {
    emit({ type: "final_result", step: steps, result: decodeBody(outcome.value) });
  }
  const status: RunStatus = outcome.status;
  const error = outcome.status === "limit" ? { error: outcome.error.message } : {};
  emit({ type: "agent_end", status, steps, usage, ...error });
}

async function checkFinal(value: Body, schema: CompiledSchema | undefined): Promise<FinalCheck> {
  if (!schema) {
    // Decoded once to be sure that whoever gets the answer can read it.
    try {
      decodeBody(value);
    } catch (error) {
      return { ok: false, message: `FINAL's value cannot be read: ${(error as Error).message}` };
    }
    return { ok: true, value };
  }
  const checked = await schema.validate(decodeBody(value));
  if (checked.ok) return { ok: true, value: encodeBody(checked.value) };
  return {
    ok: false,
    message: `FINAL's value does not match the schema:\n${
      checked.errors.map((line) => `- ${line}`).join("\n")
    }\nCorrect it and call FINAL again.`,
  };
}

/** Runs a sub-agent; resolves to its FINAL value, still encoded. */
async function runChild(services: RunServices, child: ChildSpec): Promise<Body> {
  const { context, instruction } = child;
  const taskIsContext = instruction === undefined;
  const decoded = taskIsContext ? decodeBody(context) : undefined;
  const outcome = await runOneAgent(services, {
    info: {
      runId: services.newRunId(),
      parentRunId: child.parent.runId,
      path: child.path,
      depth: child.depth,
      model: child.model.id,
    },
    model: child.model,
    context,
    task: instruction ??
      (typeof decoded === "string" ? decoded : "Answer what the context asks for."),
    taskIsContext: typeof decoded === "string",
    schema: child.schema,
    toolbox: child.toolbox,
    functions: child.functions,
    env: {},
    signal: child.signal,
    slot: child.slot,
  });
  if (outcome.status === "limit") throw outcome.error;
  return outcome.value;
}
