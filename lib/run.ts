/**
 * One run: resolves what was asked for, starts what takes time at once, and lets the root agent
 * work on a session.
 */
import { type Body, encodeBody } from "../repl/body.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Config, pickConfig, resolveConfig, type ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import type { EventSink, RunStatus } from "./events.ts";
import type { ContextSource } from "./input_file.ts";
import type { Usage } from "./model/usage.ts";
import { openModels, usesRecording } from "./run_models.ts";
import { QueryRun } from "./run_query.ts";
import { SandboxPool } from "./sandbox_pool.ts";
import { openSession } from "./session_open.ts";

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
  const environment = deps.environment ?? readEnvironment;
  const context = encodeContext(options);
  await using sandboxes = new SandboxPool(config.memoryLimitMb);
  // The sandbox gets ready while the session is read and the model's packages load.
  sandboxes.warm();
  const open = (runKey?: string) =>
    openModels(config, {
      clock,
      query: options.prompt,
      ...(runKey === undefined ? {} : { runKey }),
      environment,
    });
  // A recording tells queries of the same text apart by their number, known once the session is open.
  const early = usesRecording(config) ? undefined : open();
  early?.catch(() => {});
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
  return await new QueryRun(config, options, {
    clock,
    context,
    sandboxes,
    store,
    resumable: session.resumable,
    environment,
    models: await (early ?? open(String(store.manifest.queries.length + 1))),
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
