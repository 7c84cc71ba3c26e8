/**
 * One run: resolves what was asked for, starts what takes time at once, and lets the root agent
 * work on a session.
 */
import type { Clock } from "./clock.ts";
import { type Config, pickConfig, resolveConfig, type ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import type { EventSink, RunStatus } from "./events.ts";
import type { ContextSource } from "./input_file.ts";
import type { Usage } from "./model/usage.ts";
import { SandboxPool } from "./sandbox_pool.ts";
import { showValue } from "./show_value.ts";

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
  /** How the run ended. */
  readonly status: RunStatus;
  /** The whole run, sub-agents counted. */
  readonly usage: Usage;
  /** Steps of the root agent. */
  readonly steps: number;
  /** The transcript; undefined where none could be written. */
  readonly logFile: string | undefined;
  /** The session's directory; undefined for a private one, which is gone. */
  readonly sessionDir: string | undefined;
  /** Why there is no answer, or what went wrong beside it: state that could not be saved. */
  readonly error?: RlmError;
}

/** What `run` takes from its surroundings; for tests and for `Session`. */
export interface RunDeps {
  /** What tells and waits for time. @default the machine's */
  readonly clock?: Clock;
  /** Reads a variable of the environment. @default the process's */
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
 * ```ts
 * import { run, RlmError } from "@fast-rlm/fast-rlm";
 *
 * async function episode(transcripts: string): Promise<unknown> {
 *   const { result } = await run({
 *     prompt: "Which episode mentions the lighthouse?",
 *     context: transcripts,
 *     primaryAgent: "openrouter/anthropic/claude-sonnet-4.5",
 *   });
 *   return result;
 * }
 *
 * // Wrong settings are refused before anything is touched.
 * const error = await run({ prompt: "Hello" }).catch((error) => error);
 * if (!(error instanceof RlmError) || error.code !== "config") throw new Error("unexpected");
 * ```
 */
export async function run(options: RunOptions, deps: RunDeps = {}): Promise<RunResult> {
  // A program without types may leave it out, or hand over another text's options.
  if (typeof options.prompt !== "string") {
    throw new RlmError(
      "input",
      `Cannot run: the prompt is ${showValue(options.prompt)}, not a text`,
    );
  }
  const config = resolveConfig({ source: "options", values: pickConfig({ ...options }) });
  return await runResolved(config, options, deps);
}

/** Runs one query with settings that are resolved already. */
export async function runResolved(
  config: ResolvedConfig,
  options: RunOptions,
  deps: RunDeps = {},
): Promise<RunResult> {
  await using sandboxes = new SandboxPool(config.memoryLimitMb);
  // The sandbox gets ready while the engine and the model's packages load.
  sandboxes.warm();
  const { startRun } = await loadEngine();
  return await startRun(config, options, deps, sandboxes);
}

/** Computed, so that Deno reads the engine's files after the sandbox was started and not before. */
function loadEngine(): Promise<typeof import("./run_start.ts")> {
  return import(import.meta.resolve("./run_start.ts"));
}
