import type { Dialect } from "./dialect.ts";
import type { CallInfo } from "./failures.ts";
import { ModelError, unknownCall } from "./model_error.ts";
import { readRawUsage } from "./read_usage.ts";
import { publicUrl, scrub } from "./safe_text.ts";
import type { Usage } from "./usage.ts";

/** The longest answer that is read, in bytes. */
export const longestBody = 64 * 1024 * 1024;

/** What one call learned from its wire, beside what the SDK makes of it. */
export interface WireCall {
  readonly dialect: Dialect;
  readonly info: CallInfo;
  /** Fields to add to, or (undefined) to remove from, the request's JSON body. */
  readonly patchBody?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** Raw usage fields, later parts merged over earlier ones. */
  usage: Record<string, unknown> | undefined;
  /** Usage counts what was generated so far. */
  running: boolean;
  refused: boolean;
  calledTool: boolean;
  /** Why the call failed; says more than the error that the SDK makes of it. */
  failure: ModelError | undefined;
  /** The server answered in the other manner (stream or whole) than was asked: its answer. */
  other: Response | undefined;
}

/** The call's usage so far. */
export function usageOf(call: WireCall): Usage {
  return call.usage ? readRawUsage(call.usage) : unknownCall;
}

/** A body that broke off. The tokens of a cut reply are paid for, but nobody knows how many. */
export function cut(error: unknown, url: string, call: WireCall, charged: boolean): ModelError {
  const shown = publicUrl(url);
  const why = scrub(error instanceof Error ? error.message : String(error), call.info.secrets, 160);
  return new ModelError(
    "model_network",
    `Cannot read the reply of ${call.info.model}: the answer of ${shown} broke off: ${why}`,
    { url: shown, retryable: true, ...(charged ? { usage: usageOf(call) } : {}) },
  );
}
