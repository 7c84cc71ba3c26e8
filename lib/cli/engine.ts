import type { Config } from "../config.ts";
import type { RlmError } from "../errors.ts";
import type { EventSink, RunStatus } from "../events.ts";
import type { ContextSource } from "../input_file.ts";
import type { Usage } from "../model/usage.ts";

/** The engine as the command line calls it; the real one is `run` of `lib/run.ts`. */
export type Run = (options: EngineOptions) => Promise<EngineResult>;

/** What a run is given. */
export interface EngineOptions extends Config {
  prompt: string;
  input?: ContextSource;
  signal?: AbortSignal;
  onEvent?: EventSink;
  /** Seconds to wait for a busy session; Infinity without an end. @default 0 */
  wait?: number;
}

/** What a run gives. */
export interface EngineResult {
  readonly result: unknown;
  readonly status: RunStatus;
  readonly usage: Usage;
  readonly steps: number;
  readonly logFile: string | undefined;
  readonly sessionDir: string | undefined;
  readonly error?: RlmError;
}
