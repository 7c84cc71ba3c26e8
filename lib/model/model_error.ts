import { type ErrorCode, RlmError } from "../errors.ts";
import { noUsage, type Usage } from "./usage.ts";

/** What is known of a call that failed. */
export interface ModelFailure {
  /** HTTP status, or the status that an error body named. */
  readonly status?: number;
  /** The URL that was tried, without credentials and query. */
  readonly url?: string;
  /** Whether another try may succeed. @default false */
  readonly retryable?: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the failed call used, where it was, or may have been, charged. @default nothing */
  readonly usage?: Usage;
}

/**
 * A model call that failed for good. Holds no `cause`: the errors of the SDK carry the whole
 * request, and with it the prompt.
 */
export class ModelError extends RlmError {
  override readonly name = "ModelError";
  readonly status?: number;
  readonly url?: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** Usage of all tries of the call that cost, or may have cost, something. */
  readonly usage: Usage;

  constructor(code: ErrorCode, message: string, failure: ModelFailure = {}) {
    super(code, message);
    if (failure.status !== undefined) this.status = failure.status;
    if (failure.url !== undefined) this.url = failure.url;
    if (failure.retryAfterMs !== undefined) this.retryAfterMs = failure.retryAfterMs;
    this.retryable = failure.retryable ?? false;
    this.usage = failure.usage ?? noUsage;
  }
}

/** The usage of one call that was charged, for how much nobody told. */
export const unknownCall: Usage = { ...noUsage, calls: 1, unknownCalls: 1 };
