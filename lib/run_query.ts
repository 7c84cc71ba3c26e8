/**
 * One query from its first event to its last: the root agent works on the session, every event is
 * written and told, and the ledger gets the outcome.
 */
import { join, resolve } from "@std/path";
import { type Body, decodeBody } from "../repl/body.ts";
import { TranscriptWriter } from "../log/writer.ts";
import { runOneAgent } from "./agent_run.ts";
import { Budget } from "./budget.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import { describeConfig } from "./config_describe.ts";
import { type DeferredSink, deferredSink } from "./deferred_sink.ts";
import { RlmError } from "./errors.ts";
import type { AgentInfo, EventBody, RunEvent, RunStatus } from "./events.ts";
import { inertLine } from "./inert_text.ts";
import { compileSchema } from "./output_schema.ts";
import type { RunOptions, RunResult } from "./run.ts";
import { transcriptPath } from "./run_log.ts";
import type { RunModels } from "./run_models.ts";
import type { RunServices } from "./run_services.ts";
import { openToolbox } from "./run_tools.ts";
import type { SandboxPool } from "./sandbox_pool.ts";
import { Scheduler } from "./scheduler.ts";
import { SessionMemory } from "./session_memory.ts";
import type { SessionStore } from "./session_store.ts";
import { VERSION } from "./version.ts";

/** What a query works with. */
export interface QueryParts {
  readonly clock: Clock;
  readonly context: { readonly body: Body; readonly source?: string; readonly own: boolean };
  readonly sandboxes: SandboxPool;
  readonly store: SessionStore;
  readonly resumable: boolean;
  readonly models: RunModels;
  /** Reads a variable of the machine. */
  readonly environment: (name: string) => string | undefined;
}

/** One query on an open session; `execute` once. */
export class QueryRun {
  /** Aborted by a failure that agent code must not catch. */
  readonly #fatal = new AbortController();
  readonly #signal: AbortSignal;
  readonly #root: AgentInfo;
  readonly #writer: TranscriptWriter;
  readonly #transcript: DeferredSink;
  readonly #budget: Budget;
  #steps = 0;
  /** The last FINAL value that the schema refused. */
  #rejected: Body | undefined;

  constructor(
    private readonly config: ResolvedConfig,
    private readonly options: RunOptions,
    private readonly parts: QueryParts,
  ) {
    this.#signal = AbortSignal.any([
      this.#fatal.signal,
      ...(options.signal ? [options.signal] : []),
    ]);
    this.#root = {
      runId: crypto.randomUUID(),
      path: "0",
      depth: 0,
      model: parts.models.root.id,
    };
    const dir = config.logDir ?? join(parts.resumable ? parts.store.dir : ".", "logs");
    this.#writer = new TranscriptWriter(
      transcriptPath(resolve(dir), config.prefix, parts.clock.now(), this.#root.runId),
      {
        secrets: parts.models.secrets,
        onProblem: (message) => this.#tellUnwritten(message),
      },
    );
    this.#transcript = deferredSink(this.#writer.write);
    this.#budget = new Budget(config, parts.clock, {
      onNotice: (message) => this.#emit({ type: "warning", message }),
    });
  }

  readonly #sink = (event: RunEvent): void => {
    if (event.type === "execution_result" && event.agent.depth === 0) this.#steps = event.step;
    this.#transcript.sink(event);
    this.options.onEvent?.(event);
  };

  /** To the listener only: the transcript cannot take it. */
  #tellUnwritten(message: string): void {
    try {
      this.options.onEvent?.(this.#event({ type: "warning", message: inertLine(message, 300) }));
    } catch (error) {
      // Transcripts are written beside the run, where nobody else would catch this.
      this.#fatal.abort(error);
    }
  }

  get #emit(): (body: EventBody) => void {
    return (body) => this.#sink(this.#event(body));
  }

  #event(body: EventBody): RunEvent {
    return { ...body, time: this.parts.clock.now(), agent: this.#root };
  }

  async execute(): Promise<RunResult> {
    const { config, options, parts } = this;
    const { store } = parts;
    parts.models.onNotice((message) => this.#emit({ type: "warning", message }));
    const { number: query, afterCrash } = store.next;
    const begun = store.beginQuery(options.prompt, linkFrom(store.dir, this.#writer.path));
    begun.catch(() => {}); // Told by the memory, before a model is called.
    // The ledger tells how a query before this one ended: that must be known before it is shown.
    if (afterCrash) await begun;
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
      begun,
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
      endRun: (error) => this.#fatal.abort(error),
    };
    await using tools = await openToolbox(config, parts.clock, parts.environment);
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
      onRejected: (value) => this.#rejected = value,
      signal: this.#signal,
    });
    if (outcome.status === "answered") {
      return { status: "answered", result: decodeBody(outcome.value), steps: outcome.steps };
    }
    return { status: "limit", result: this.#best, steps: outcome.steps, error: outcome.error };
  }

  /** The best answer of a run that did not end with one. */
  get #best(): unknown {
    try {
      return this.#rejected && decodeBody(this.#rejected);
    } catch {
      return undefined; // it was refused because it cannot be read
    }
  }

  #failure(error: unknown): Ended {
    const steps = this.#steps;
    const result = this.#best;
    if (this.options.signal?.aborted) {
      const reason: unknown = this.options.signal.reason;
      const known = reason instanceof RlmError
        ? reason
        : new RlmError("interrupted", "The run was interrupted; finished steps are saved");
      return { status: "interrupted", result, steps, error: known };
    }
    const known = error instanceof RlmError ? error : new RlmError(
      "internal",
      `The run failed: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
    return { status: "failed", result, steps, error: known };
  }

  async #finish(ended: Ended, memory: SessionMemory): Promise<RunResult> {
    const { store } = this.parts;
    const usage = this.#budget.usage();
    const { status, result, steps } = ended;
    let error = ended.error ?? memory.saveError;
    try {
      const { warning } = await store.endQuery({
        status,
        ...(status === "answered" ? { final: result } : {}),
        steps,
        usage,
        ...(ended.error ? { error: ended.error.message } : {}),
      });
      if (warning !== undefined) this.#emit({ type: "warning", message: warning });
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
    this.#transcript.flush();
    this.#writer.close();
    if (error) {
      error.partial = { steps, usage, ...(result === undefined ? {} : { answer: result }) };
    }
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
