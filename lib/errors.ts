import type { Usage } from "./model/usage.ts";

/** Stable codes: the first word says which part refused, the rest why. */
export type ErrorCode =
  | "usage"
  | "config"
  | "input"
  | "model_auth"
  | "model_credit"
  | "model_not_found"
  | "model_bad_request"
  | "model_context_too_long"
  | "model_rate_limited"
  | "model_server"
  | "model_network"
  | "model_timeout"
  | "model_empty"
  | "model_filtered"
  | "model_unreadable"
  | "replay_exhausted"
  | "replay_diverged"
  | "limit"
  | "sandbox"
  | "schema"
  | "tool"
  | "session_busy"
  | "session_unreadable"
  | "session_closed"
  | "disk"
  | "interrupted"
  | "internal";

/** What a run had when it failed. */
export interface PartialResult {
  /** Root steps that were completed. */
  readonly steps: number;
  /** The best answer so far, if the agent had one. */
  readonly answer?: unknown;
  /** What its model calls used. */
  readonly usage: Usage;
}

/**
 * Every error that the engine throws on purpose.
 *
 * The message is one line, names the input at fault and, where there is one, the way out; it holds
 * no key and no prompt.
 *
 * @example
 * ```ts
 * import { RlmError } from "./errors.ts";
 * const error = new RlmError("config", 'Cannot use maxDepth: current value is "two"');
 * if (error.code !== "config") throw new Error("unexpected");
 * ```
 */
export class RlmError extends Error {
  /** The name of the class. */
  override readonly name: string = "RlmError";
  /** What kind of failure it is; the message may change, the code does not. */
  readonly code: ErrorCode;
  /** What the run had when it failed; absent where no run had begun. */
  partial?: PartialResult;

  /** An error of that kind; `cause` is what lies behind it. */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A second query on a session directory that is in use. */
export class SessionBusyError extends RlmError {
  /** The name of the class. */
  override readonly name = "SessionBusyError";
  /** Who uses the session, as far as it is known; `started` is ISO 8601. */
  readonly holder: { readonly pid?: number; readonly host?: string; readonly started?: string };

  /** A refusal that names the holder. */
  constructor(message: string, holder: SessionBusyError["holder"]) {
    super("session_busy", message);
    this.holder = holder;
  }
}

/** A limit or budget ended the run; `limit` is the name of its config field. */
export class LimitError extends RlmError {
  /** The name of the class. */
  override readonly name = "LimitError";
  /** The config field, for example `maxMoneySpent`. */
  readonly limit: string;

  /** The end of a run at the limit of that field. */
  constructor(limit: string, message: string) {
    super("limit", message);
    this.limit = limit;
  }
}
