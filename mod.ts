/**
 * Recursive Language Models with resumable sessions.
 *
 * @example
 * ```ts
 * import { Session } from "@fast-rlm/fast-rlm";
 *
 * async function guests(transcripts: string): Promise<unknown> {
 *   await using session = new Session({
 *     sessionDir: "./podcast",
 *     config: { primaryAgent: "openrouter/anthropic/claude-sonnet-4.5" },
 *   });
 *   const { result } = await session.query("Who are the guests?", { context: transcripts });
 *   return result;
 * }
 * ```
 *
 * @module
 */
// Loaded by `run` when it starts; named here so that who installs this module has its files.
import "./lib/run_start.ts";
export type { Clock } from "./lib/clock.ts";
export type { ContextSource } from "./lib/input_file.ts";
export { run, type RunDeps, type RunOptions, type RunResult } from "./lib/run.ts";
export { type Named, type QueryOptions, Session, type SessionOptions } from "./lib/session.ts";
export type { Config, LanguageModelLike, McpServerConfig, ModelChoice } from "./lib/config.ts";
export {
  type ErrorCode,
  LimitError,
  type PartialResult,
  RlmError,
  SessionBusyError,
} from "./lib/errors.ts";
export type {
  AgentInfo,
  EventBody,
  EventSink,
  RunEvent,
  RunStatus,
  StepTimestamps,
} from "./lib/events.ts";
export type {
  CallerRef,
  ChatMessage,
  FinishReason,
  Model,
  ModelReply,
  ModelRequest,
} from "./lib/model/model.ts";
export type { Usage } from "./lib/model/usage.ts";
export type { FunctionKind, Loss, PayloadRef } from "./repl/snapshot.ts";
export type {
  DroppedEntry,
  FunctionEntry,
  Origin,
  QueryEntry,
  VariableEntry,
} from "./lib/session_format.ts";
