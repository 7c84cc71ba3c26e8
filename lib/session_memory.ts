/**
 * The root agent's memory: restores the session into a fresh REPL, and after each step takes the
 * REPL's globals into the store while the next model call is under way.
 */
import { SandboxDied, type SweepRequest } from "../repl/host.ts";
import { restoreReport } from "../repl/restore_report.ts";
import type { RestoreReport, Snapshot } from "../repl/snapshot.ts";
import type { CompletedStep, Kept } from "./agent.ts";
import type { AgentRepl } from "./agent_repl.ts";
import type { AgentMemory } from "./agent_run.ts";
import type { Budget } from "./budget.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import type { EventBody } from "./events.ts";
import { cut } from "./inert_text.ts";
import { type Resume, resumePreamble } from "./resume.ts";
import type { SessionStore } from "./session_store.ts";

/** What the memory works with. */
export interface SessionMemoryOptions {
  readonly store: SessionStore;
  readonly config: ResolvedConfig;
  readonly budget: Budget;
  readonly clock: Clock;
  /** Whether the directory outlives the run. */
  readonly resumable: boolean;
  readonly query: number;
  /** Resolves when the query is in the ledger: no model is called before. */
  readonly begun: Promise<unknown>;
  emit(event: EventBody): void;
}

/** Names that an event tells of what was lost; the state and the viewer have all. */
const NAMES_TOLD = 10;

const namesOf = (lost: readonly { readonly name: string }[]): string[] =>
  lost.slice(0, NAMES_TOLD).map(({ name }) => cut(name, 80));

const nothing: RestoreReport = { restored: [], degraded: [], failed: [] };

/** The memory of one query. */
export class SessionMemory implements AgentMemory {
  readonly resumable: boolean;
  /** The first thing that kept state from being saved; undefined while all is on disk. */
  saveError: RlmError | undefined;
  /** How the last restore went. */
  #report: RestoreReport = nothing;
  #label: string;
  #saved: Promise<void> = Promise.resolve();
  /** Payloads of the state that is being saved. */
  #onItsWay: readonly string[] = [];

  constructor(private readonly options: SessionMemoryOptions) {
    this.resumable = options.resumable;
    this.#label = options.query > 1 ? "the last query" : "the start";
  }

  label(): string {
    return this.#label;
  }

  async load(): Promise<Snapshot> {
    return await this.options.store.snapshot();
  }

  /** What this restore could not bring back is carried forward, as after that at the start. */
  restored(report: RestoreReport): void {
    this.#report = report;
  }

  async restore(repl: AgentRepl): Promise<{ preamble: string; inventory: string }> {
    const { store, query, emit, begun } = this.options;
    const { snapshot, check } = await store.readSnapshot();
    const stored = snapshot.variables.length + snapshot.functions.length;
    // While the sandbox is at it, payloads are hashed, and what is told is made as if nothing failed;
    // seldom anything does.
    const expected = { ...restoreReport(snapshot), failed: snapshot.failed };
    let told: Resume | undefined;
    let checking: ReturnType<typeof check> | undefined;
    const meanwhile = () => {
      checking = check();
      checking.catch(() => {}); // Told below.
      told = this.#tell(expected);
    };
    let report = stored > 0 ? await repl.restore(snapshot, meanwhile) : nothing;
    const checked = await (checking ?? check());
    if (checked.snapshot !== snapshot) report = await repl.restoreAnew(checked.snapshot);
    await begun;
    this.#report = { ...report, failed: [...checked.snapshot.failed, ...report.failed] };
    emit({
      type: "session_open",
      query,
      restored: this.#report.restored.length + this.#report.degraded.length,
      failed: this.#report.failed.length,
      dropped: snapshot.dropped.length,
      failedNames: namesOf(this.#report.failed),
      droppedNames: namesOf(snapshot.dropped),
    });
    if (told === undefined || JSON.stringify(this.#report) !== JSON.stringify(expected)) {
      told = this.#tell(this.#report);
    }
    return { preamble: told.text, inventory: told.inventory };
  }

  #tell(restore: RestoreReport): Resume {
    const { store, config, query } = this.options;
    return resumePreamble(store.manifest, {
      budgetTokens: config.resumeTokens,
      sessionCode: config.addSessionCodeToContext,
      restore,
      query,
    });
  }

  /** What the sweep after the next step may take, where it need not wait for anything. */
  nextSweep(): SweepRequest | undefined {
    const { store, config } = this.options;
    if (store.hasUnproved) return undefined;
    const known = [...new Set([...store.knownPayloads(), ...this.#onItsWay])];
    return { capBytes: config.variableCapMb * 1_000_000, known };
  }

  /**
   * Sweeps, then saves. The next step waits for the sweep, and for the save of the step before this
   * one, so that one state is being saved and no more than one waits for it.
   */
  keep(repl: AgentRepl, done: CompletedStep): Kept {
    const started = this.options.clock.now();
    const before = this.#saved;
    const sweep = this.#sweep(repl, done, before);
    this.#saved = sweep.then((snapshot) => this.#save(repl, done, snapshot, started));
    return { swept: sweep.then(() => {}), saved: this.#saved };
  }

  async #sweep(
    repl: AgentRepl,
    done: CompletedStep,
    before: Promise<void>,
  ): Promise<Snapshot | undefined> {
    const { store, config, emit } = this.options;
    try {
      const snapshot = await repl.sweep(async () => {
        await before;
        await store.prove();
        return { capBytes: config.variableCapMb * 1_000_000, known: store.knownPayloads() };
      });
      await before;
      this.#onItsWay = snapshot.payloads.map(({ id }) => id);
      return snapshot;
    } catch (error) {
      // An interrupt ends the sandbox too; then there is nothing to warn of.
      if (!(error instanceof SandboxDied && error.reason === "closed")) {
        emit({
          type: "warning",
          message: `The state after step ${done.step} was not saved: ${(error as Error).message}`,
        });
      }
      return undefined;
    }
  }

  async #save(
    repl: AgentRepl,
    done: CompletedStep,
    snapshot: Snapshot | undefined,
    started: number,
  ): Promise<void> {
    const { store, clock, budget, emit } = this.options;
    try {
      const saved = await store.saveStep({
        step: done.step,
        code: done.code,
        ...(done.errorLine === undefined ? {} : { error: done.errorLine }),
        assigned: done.program.assigned,
        used: done.program.used,
        comments: done.program.comments,
        ...(snapshot ? { snapshot } : {}),
        restoreFailed: this.#report.failed,
        usage: budget.usage(),
      });
      if (!snapshot) return;
      repl.markSaved(done.step);
      this.#label = `step ${done.step}`;
      emit({ type: "sweep", step: done.step, ...saved, ms: clock.now() - started });
    } catch (error) {
      const known = error instanceof RlmError
        ? error
        : new RlmError("internal", `Cannot save step ${done.step}: ${(error as Error).message}`);
      if (!this.saveError) emit({ type: "warning", message: known.message });
      this.saveError ??= known;
    } finally {
      this.#onItsWay = [];
    }
  }
}
