/** What a host asks of a sandbox, and what it is told and asked in return. */
import type { Body } from "./body.ts";
import type { StepReport } from "./protocol.ts";
import type { Snapshot } from "./snapshot.ts";
import type { SandboxCommand } from "./spawn.ts";

/** A call from agent code. */
export interface SandboxCall {
  readonly name: "llm_query" | "llm_complete" | "tool";
  /** As the worker sent it: to be checked by whoever serves the call. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly value: Body;
  /** Aborted when the sandbox ends. */
  readonly signal: AbortSignal;
}

/** Serves calls. What it throws reaches agent code as an Error with name, message and code. */
export type CallHandler = (call: SandboxCall) => Promise<Body>;

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Megabytes of resident memory that the process may use. */
  readonly memoryLimitMb: number;
  /** The process to start. @default the engine's own, for this memory limit */
  readonly command?: SandboxCommand;
  /** Waits; rejects when the signal is aborted. @default real time */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** One step, ready to be evaluated. */
export interface StepRequest {
  readonly step: number;
  readonly code: string;
  /** Functions of a step that awaits, defined before its code runs. */
  readonly hoisted?: string;
  readonly declared: readonly string[];
  /** Milliseconds of active code. */
  readonly timeoutMs: number;
}

/** What a sweep may take. */
export interface SweepRequest {
  /** Most encoded bytes of one variable. */
  readonly capBytes: number;
  /** Payloads that the caller has: they come without their text. */
  readonly known: readonly string[];
}

/** A step's report with the FINAL value, when there was one. */
export interface EvaluatedStep extends StepReport {
  readonly activeMs: number;
  readonly finalValue?: Body;
  /** The sweep that was asked for with the step, on its way. */
  readonly swept?: Promise<Snapshot>;
}
