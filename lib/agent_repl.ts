/**
 * The REPL of one agent over the life of its sandboxes: evaluates steps, and when a sandbox dies,
 * starts the next one from the last saved state and tells the agent exactly what was lost.
 */
import type { Body } from "../repl/body.ts";
import type { CallHandler, Sandbox, SweepRequest } from "../repl/host.ts";
import { SandboxDied } from "../repl/host.ts";
import type { ContextDescription, ReplSetup } from "../repl/protocol.ts";
import type { StepProgram } from "../repl/rewrite.ts";
import type { RestoreReport, Snapshot } from "../repl/snapshot.ts";
import type { StepOutcome } from "./agent.ts";
import type { Clock } from "./clock.ts";
import { RlmError } from "./errors.ts";
import { type RenderedStep, renderStep } from "./step_output.ts";

/** State that survives a sandbox. */
export interface SavedState {
  /** The last sweep; undefined while nothing was saved. */
  load(): Promise<Snapshot>;
  /** What the last sweep followed, for example `step 4`. */
  label(): string;
  /** What was loaded is in a fresh REPL, but for what the report names. */
  restored(report: RestoreReport): void;
}

/** What a REPL is made of. */
export interface AgentReplOptions {
  /** Takes a sandbox that is starting or ready. */
  takeSandbox(): Sandbox;
  readonly setup: ReplSetup;
  readonly context: Body;
  readonly onCall: CallHandler;
  readonly saved?: SavedState;
  readonly clock: Clock;
  readonly stepTimeoutSeconds: number;
  readonly memoryLimitMb: number;
  /** A sandbox died and the next one is starting. */
  onRestart(reason: string): void;
}

/** The shorter of two limits, and how agent and user are told of it. */
function timeLimit(stepMs: number, wallMs: number): { ms: number; told: string } {
  if (stepMs <= wallMs) return { ms: stepMs, told: `${stepMs / 1_000} s (stepTimeoutSeconds)` };
  const ms = Math.max(1, Math.floor(wallMs));
  return { ms, told: `the ${(ms / 1_000).toFixed(1)} s that the run had left (maxSeconds)` };
}

/** How long an interrupt waits for a sweep under way, milliseconds. */
const SWEEP_PATIENCE_MS = 5_000;

/** A payload's table begins with its root, which names the definitions if there are any. */
const HAS_DEFINITIONS = /^\s*\[\s*\{[^{}]*"d"\s*:/;

/** The part of a snapshot that is restored without running any of its code. */
function withoutDefinitions(snapshot: Snapshot): Snapshot {
  const payloads = snapshot.payloads.filter(({ text }) => !HAS_DEFINITIONS.test(text ?? ""));
  const ids = new Set(payloads.map(({ id }) => id));
  const variables = snapshot.variables.filter(({ ref }) => ids.has(ref.payload));
  return { ...snapshot, variables, functions: [], payloads };
}

function namesOf({ variables, functions }: Snapshot): string[] {
  return [...variables, ...functions].map(({ name }) => name);
}

/** A REPL that outlives its sandbox process. */
export class AgentRepl implements AsyncDisposable {
  #sandbox: Sandbox | undefined;
  #closed = false;
  readonly #programs = new Map<string, StepProgram>();
  /** Names assigned since the last saved state, with the step, for the account of what was lost. */
  readonly #unsaved = new Map<string, number>();
  /** The sweep that began with the last step. */
  #begun: Promise<Snapshot> | undefined;
  #lastFatal: string | undefined;
  #notice = "";
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: AgentReplOptions) {}

  /** Starts the first sandbox; resolves to the description of the context. */
  async start(): Promise<ContextDescription> {
    try {
      return await this.#begin();
    } catch (error) {
      // On a first run the packages of a sandbox may still be on their way into the cache when it
      // starts; it may fetch nothing itself. The host has them all by now.
      if (!(error instanceof SandboxDied) || error.reason !== "crash" || this.#closed) throw error;
      return await this.#begin();
    }
  }

  async #begin(): Promise<ContextDescription> {
    const { options } = this;
    this.#sandbox = options.takeSandbox();
    return await this.#sandbox.init(options.setup, options.context, options.onCall);
  }

  /**
   * Puts saved state back into the REPL. Where its definitions end the sandbox, the data comes back
   * without them, so that one of them cannot make a whole session useless.
   *
   * @param onSent as in `Sandbox.restore`
   */
  async restore(snapshot: Snapshot, onSent?: () => void): Promise<RestoreReport> {
    try {
      return await this.#live().restore(snapshot, onSent);
    } catch (error) {
      const data = withoutDefinitions(snapshot);
      const kept = new Set(namesOf(data));
      const lost = namesOf(snapshot).filter((name) => !kept.has(name));
      if (this.#closed || lost.length === 0) throw error;
      const why = (error as Error).message;
      this.options.onRestart(`restoring the session: ${why}`);
      await this.#sandbox?.close();
      await this.start();
      const report = await this.#live().restore(data);
      const reason = `restoring functions and classes failed: ${why}`;
      return { ...report, failed: [...report.failed, ...lost.map((name) => ({ name, reason }))] };
    }
  }

  /** Restores into a fresh REPL: what this one holds is not what was saved. */
  async restoreAnew(snapshot: Snapshot): Promise<RestoreReport> {
    await this.#sandbox?.close();
    await this.start();
    return await this.restore(snapshot);
  }

  /**
   * Evaluates a step.
   *
   * @param wallMs milliseconds that the run still has; Infinity for no end
   * @param sweep what the `sweep` that follows may take, where that can be told already: it begins
   * when the step has ended
   * @throws {RlmError} `sandbox`, when the same code ended the sandbox twice in a row
   */
  async evaluate(
    program: StepProgram,
    step: number,
    wallMs: number,
    sweep?: SweepRequest,
  ): Promise<StepOutcome> {
    const { options } = this;
    this.#begun = undefined;
    this.#programs.set(`step-${step}`, program);
    for (const name of program.assigned) this.#unsaved.set(name, step);
    const limit = timeLimit(options.stepTimeoutSeconds * 1_000, wallMs);
    try {
      const evaluated = await this.#live().evaluate({
        step,
        code: program.code,
        hoisted: program.hoisted,
        declared: program.declared,
        timeoutMs: limit.ms,
      }, sweep);
      this.#begun = evaluated.swept;
      if (evaluated.swept) this.#sweeping = evaluated.swept.catch(() => {});
      this.#lastFatal = undefined;
      const rendered = renderStep(evaluated, this.#programs, limit.told);
      return {
        ...this.#withNotice(rendered),
        ...(evaluated.finalValue ? { final: evaluated.finalValue } : {}),
      };
    } catch (error) {
      if (!(error instanceof SandboxDied) || this.#closed) throw error;
      if (this.#lastFatal === program.source) {
        throw new RlmError(
          "sandbox",
          `Cannot go on: the same code ended its sandbox twice: ${error.message}`,
        );
      }
      this.#lastFatal = program.source;
      return this.#withNotice(await this.#restart(error, limit.told));
    }
  }

  /**
   * Takes the globals out; what was unsaved until now is safe once the caller has stored it.
   *
   * @param request what it may take, once it may begin; not asked where it began with the step
   */
  async sweep(request: () => Promise<SweepRequest>): Promise<Snapshot> {
    const sweeping = this.#begun ?? request().then((one) => this.#live().sweep(one));
    this.#begun = undefined;
    this.#sweeping = sweeping.catch(() => {});
    try {
      return await sweeping;
    } catch (error) {
      if (error instanceof SandboxDied && !this.#closed) {
        this.#notice = (await this.#restart(error, "the time for a sweep")).text;
      }
      throw error;
    }
  }

  /** The state after a step is on disk: nothing assigned until then can be lost. */
  markSaved(step: number): void {
    for (const [name, assigned] of this.#unsaved) {
      if (assigned <= step) this.#unsaved.delete(name);
    }
  }

  /** Ends the sandbox; a sweep under way may come to its end, for what is complete is saved. */
  async close(): Promise<void> {
    this.#closed = true;
    const giveUp = new AbortController();
    const patience = this.options.clock.sleep(SWEEP_PATIENCE_MS, giveUp.signal).catch(() => {});
    await Promise.race([this.#sweeping, patience]);
    giveUp.abort();
    await this.#sandbox?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #live(): Sandbox {
    if (!this.#sandbox) throw new RlmError("internal", "Cannot evaluate: the REPL was not started");
    return this.#sandbox;
  }

  #withNotice<T extends RenderedStep>(rendered: T): T {
    if (this.#notice === "") return rendered;
    const text = `${this.#notice}\n${rendered.text}`;
    this.#notice = "";
    return { ...rendered, text };
  }

  async #restart(death: SandboxDied, told: string): Promise<RenderedStep> {
    const { options } = this;
    const why = death.reason === "timeout"
      ? `it ran longer than ${told}`
      : death.reason === "memory"
      ? `it used more than ${options.memoryLimitMb} MB of memory (memoryLimitMb)`
      : death.message;
    options.onRestart(death.message);
    await this.#sandbox?.close();
    await this.start();
    let kept = "`context` is intact; every variable, function and class of this REPL is lost";
    if (options.saved) {
      const report = await this.restore(await options.saved.load());
      options.saved.restored(report);
      kept = `the REPL was restarted from the state after ${options.saved.label()}`;
      for (const { name, reason } of report.failed) {
        kept += `; ${name} could not be restored: ${reason}`;
      }
    }
    const lost = [...this.#unsaved.keys()].slice(0, 40).join(", ");
    this.#unsaved.clear();
    const text = `The code was ended with its process because ${why}. Then ${kept}. ` +
      `Since then lost: ${lost || "nothing that has a name"}. ` +
      "Calls that it had made are not undone. Do not run the same code again: bound its loops and its memory.";
    return { text, hasError: true, errorLine: `ended: ${death.message}` };
  }
}
