/**
 * One run: resolves what was asked for, starts what takes time at once, and lets the root agent
 * work on a session.
 */
import { join, resolve } from "@std/path";
import { type Body, decodeBody, encodeBody } from "../repl/body.ts";
import { TranscriptWriter } from "../log/writer.ts";
import { runOneAgent } from "./agent_run.ts";
import { Budget } from "./budget.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Config, pickConfig, resolveConfig, type ResolvedConfig } from "./config.ts";
import { describeConfig } from "./config_describe.ts";
import { RlmError } from "./errors.ts";
import type { AgentInfo, EventSink, RunEvent, RunStatus } from "./events.ts";
import type { ContextSource } from "./input_file.ts";
import { openModels } from "./run_models.ts";
import type { Usage } from "./model/usage.ts";
import { compileSchema } from "./output_schema.ts";
import { transcriptPath } from "./run_log.ts";
import { emitter, type RunServices } from "./run_services.ts";
import { SandboxPool } from "./sandbox_pool.ts";
import { Scheduler } from "./scheduler.ts";
import { SessionMemory } from "./session_memory.ts";
import { openSession } from "./session_open.ts";
import type { SessionStore } from "./session_store.ts";
import { openToolbox } from "./run_tools.ts";
import { VERSION } from "./version.ts";

/** One query and how to run it. */
export interface RunOptions extends Config {
  /** The task. Without a context it is the context too. */
  prompt: string;
  /** The material: a string, or any value that can be encoded. */
  context?: unknown;
  /** The material as a file gives it; beats `context`. */
  input?: ContextSource;
  /** Ends the run: finished steps are saved, the status is `interrupted`. */
  signal?: AbortSignal;
  /** Receives every event of the run. */
  onEvent?: EventSink;
  /** Seconds to wait for a busy session. @default fails at once */
  wait?: number;
  /** Reads environment variables, for keys and addresses of models. @default Deno.env.get */
  env?: Readonly<Record<string, string>>;
}

/** What a run came to. */
export interface RunResult {
  /** The answer; undefined where there is none. At a limit, the best that the agent had. */
  readonly result: unknown;
  readonly status: RunStatus;
  readonly usage: Usage;
  /** Steps of the root agent. */
  readonly steps: number;
  readonly logFile: string | undefined;
  readonly sessionDir: string | undefined;
  /** Why there is no answer, or what went wrong beside it: state that could not be saved. */
  readonly error?: RlmError;
}

/** What `run` takes from its surroundings; for tests and for `Session`. */
export interface RunDeps {
  readonly clock?: Clock;
  readonly environment?: (name: string) => string | undefined;
  /** The directory of a session that its caller owns and removes. */
  readonly ephemeralDir?: string;
}

/**
 * Runs one query to its end.
 *
 * @throws {RlmError} for wrong configuration, a busy or unreadable session, and a run that failed;
 * then `error.partial` tells how far it came
 *
 * @example
 * ```ts ignore
 * import { run } from "./mod.ts";
 * const { result } = await run({
 *   prompt: "Which episode mentions the lighthouse?",
 *   context: await Deno.readTextFile("transcripts.txt"),
 *   primaryAgent: "openrouter/anthropic/claude-sonnet-4.5",
 * });
 * ```
 */
export async function run(options: RunOptions, deps: RunDeps = {}): Promise<RunResult> {
  const config = resolveConfig({ source: "options", values: pickConfig({ ...options }) });
  return await runResolved(config, options, deps);
}

/** Runs one query with settings that are resolved already. */
export async function runResolved(
  config: ResolvedConfig,
  options: RunOptions,
  deps: RunDeps = {},
): Promise<RunResult> {
  const clock = deps.clock ?? systemClock;
  const context = encodeContext(options);
  await using sandboxes = new SandboxPool(config.memoryLimitMb);
  // The sandbox gets ready while the session is read and the model's packages load.
  sandboxes.warm();
  const models = openModels(config, {
    clock,
    query: options.prompt,
    environment: deps.environment ?? readEnvironment,
  });
  models.catch(() => {});
  const session = await openSession(config, {
    query: options.prompt,
    clock,
    ...(options.wait === undefined ? {} : { wait: options.wait }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(deps.ephemeralDir === undefined ? {} : { ephemeralDir: deps.ephemeralDir }),
  });
  // Disposed in reverse: the store gives its lock back before the directory may be removed.
  await using _cleanup = session.cleanup;
  await using store = session.store;
  return await new Run(config, options, {
    clock,
    context,
    sandboxes,
    store,
    resumable: session.resumable,
    models: await models,
  }).execute();
}

function readEnvironment(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** The context's bytes; a prompt without material is its own context. */
function encodeContext(options: RunOptions): { body: Body; source?: string; own: boolean } {
  const { input } = options;
  if (input?.kind === "text") {
    const bytes = input.bytes as Uint8Array<ArrayBuffer>;
    return { body: { form: "text", bytes }, source: input.name, own: true };
  }
  const value = input ? input.value : options.context;
  if (value === undefined) return { body: encodeBody(options.prompt), own: false };
  try {
    const body = encodeBody(value);
    if (body.loss.length === 0) {
      return { body, own: true, ...(input ? { source: input.name } : {}) };
    }
    throw new Error(body.loss[0]);
  } catch (error) {
    throw new RlmError("input", `Cannot use the context: ${(error as Error).message}`);
  }
}

interface RunParts {
  readonly clock: Clock;
  readonly context: { readonly body: Body; readonly source?: string; readonly own: boolean };
  readonly sandboxes: SandboxPool;
  readonly store: SessionStore;
  readonly resumable: boolean;
  readonly models: Awaited<ReturnType<typeof openModels>>;
}

class Run {
  readonly #never = new AbortController();
  readonly #signal: AbortSignal;
  readonly #root: AgentInfo;
  readonly #writer: TranscriptWriter;
  readonly #budget: Budget;
  #steps = 0;

  constructor(
    private readonly config: ResolvedConfig,
    private readonly options: RunOptions,
    private readonly parts: RunParts,
  ) {
    this.#signal = options.signal ?? this.#never.signal;
    this.#root = {
      runId: crypto.randomUUID(),
      path: "0",
      depth: 0,
      model: parts.models.root.id,
    };
    const dir = config.logDir ?? join(parts.resumable ? parts.store.dir : ".", "logs");
    this.#writer = new TranscriptWriter(
      transcriptPath(resolve(dir), config.prefix, parts.clock.now(), this.#root.runId),
      { secrets: parts.models.secrets },
    );
    this.#budget = new Budget(config, parts.clock, {
      onNotice: (message) => this.#emit({ type: "warning", message }),
    });
  }

  readonly #sink = (event: RunEvent): void => {
    if (event.type === "execution_result" && event.agent.depth === 0) this.#steps = event.step;
    this.#writer.write(event);
    this.options.onEvent?.(event);
  };

  get #emit(): ReturnType<typeof emitter> {
    return (body) => this.#sink({ ...body, time: this.parts.clock.now(), agent: this.#root });
  }

  async execute(): Promise<RunResult> {
    const { config, options, parts } = this;
    const { store } = parts;
    parts.models.onNotice((message) => this.#emit({ type: "warning", message }));
    const query = await store.beginQuery(options.prompt, linkFrom(store.dir, this.#writer.path));
    this.#emit({
      type: "run_start",
      engine: VERSION,
      prompt: options.prompt,
      query,
      sessionDir: store.dir,
      config: describeConfig(config),
    });
    const memory = new SessionMemory({
      store,
      config,
      query,
      budget: this.#budget,
      clock: parts.clock,
      resumable: parts.resumable,
      emit: this.#emit,
    });
    let ended: Ended;
    try {
      ended = await this.#answer(memory);
    } catch (error) {
      ended = this.#failure(error);
    }
    return await this.#finish(ended, memory);
  }

  async #answer(memory: SessionMemory): Promise<Ended> {
    const { config, options, parts } = this;
    const { context } = parts;
    const services: RunServices = {
      config,
      clock: parts.clock,
      budget: this.#budget,
      scheduler: new Scheduler(config.maxConcurrency),
      completions: new Scheduler(Math.max(8, config.maxConcurrency)),
      sandboxes: parts.sandboxes,
      rootModel: parts.models.root,
      subModel: parts.models.sub,
      emit: this.#sink,
      newRunId: () => crypto.randomUUID(),
    };
    await using tools = await openToolbox(config);
    const outcome = await runOneAgent(services, {
      info: this.#root,
      model: parts.models.root,
      context: context.body,
      ...(context.source === undefined ? {} : { source: context.source }),
      task: options.prompt,
      taskIsContext: !context.own,
      ...(config.instruction === undefined ? {} : { instruction: config.instruction }),
      schema: config.outputSchema === undefined
        ? undefined
        : await compileSchema(config.outputSchema),
      toolbox: tools.toolbox,
      functions: {},
      env: tools.exposed,
      memory,
      signal: this.#signal,
    });
    if (outcome.status === "answered") {
      return { status: "answered", result: decodeBody(outcome.value), steps: outcome.steps };
    }
    return {
      status: "limit",
      result: outcome.rejected ? decodeBody(outcome.rejected) : undefined,
      steps: outcome.steps,
      error: outcome.error,
    };
  }

  #failure(error: unknown): Ended {
    const steps = this.#steps;
    if (this.#signal.aborted) {
      const reason: unknown = this.#signal.reason;
      const known = reason instanceof RlmError
        ? reason
        : new RlmError("interrupted", "The run was interrupted; finished steps are saved");
      return { status: "interrupted", result: undefined, steps, error: known };
    }
    const known = error instanceof RlmError ? error : new RlmError(
      "internal",
      `The run failed: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
    return { status: "failed", result: undefined, steps, error: known };
  }

  async #finish(ended: Ended, memory: SessionMemory): Promise<RunResult> {
    const { store } = this.parts;
    const usage = this.#budget.usage();
    const { status, result, steps } = ended;
    let error = ended.error ?? memory.saveError;
    try {
      await store.endQuery({
        status,
        ...(status === "answered" ? { final: result } : {}),
        steps,
        usage,
        ...(ended.error ? { error: ended.error.message } : {}),
      });
    } catch (failure) {
      error ??= failure instanceof RlmError
        ? failure
        : new RlmError("internal", `Cannot save the answer: ${(failure as Error).message}`);
    }
    this.#emit({
      type: "run_end",
      status,
      steps,
      usage,
      ...(error ? { error: error.message } : {}),
    });
    this.#writer.close();
    if (error) error.partial = { steps, usage, ...(result === undefined ? {} : { answer: result }) };
    if (status === "failed") throw error;
    return {
      result,
      status,
      usage,
      steps,
      logFile: this.#writer.problem === undefined ? this.#writer.path : undefined,
      sessionDir: this.parts.resumable ? store.dir : undefined,
      ...(error ? { error } : {}),
    };
  }
}

interface Ended {
  readonly status: RunStatus;
  readonly result: unknown;
  readonly steps: number;
  readonly error?: RlmError;
}

/** A transcript inside the session directory is linked relative to it; others are not linked. */
function linkFrom(dir: string, path: string): string | undefined {
  const prefix = dir.endsWith("/") || dir.endsWith("\\") ? dir : `${dir}/`;
  const normal = path.replaceAll("\\", "/");
  const base = prefix.replaceAll("\\", "/");
  return normal.startsWith(base) ? normal.slice(base.length) : undefined;
}
