import {
  AgentBudget,
  type CallEstimate,
  type CallKind,
  depthError,
  type Ledger,
} from "./budget/agent_budget.ts";
import { checkLimits, limitMessage, type LimitName, type Limits } from "./budget/limits.ts";
import {
  decide,
  Held,
  type Hold,
  holdFor,
  noHold,
  type Refusal,
  type Standing,
  warningNotes,
} from "./budget/decide.ts";
import { Prices } from "./budget/prices.ts";
import { type Outcome, Reservation } from "./budget/reservation.ts";
import type { Clock } from "./clock.ts";
import { LimitError } from "./errors.ts";
import { addUsage, noUsage, type Usage } from "./model/usage.ts";

export type { AgentBudget, CallEstimate } from "./budget/agent_budget.ts";
export { checkLimits, type LimitName, type Limits } from "./budget/limits.ts";
export { roughTokens } from "./budget/prices.ts";
export type { Reservation } from "./budget/reservation.ts";

/** A reservation that waits for calls under way. */
interface Waiter {
  readonly agent: AgentBudget;
  readonly kind: CallKind;
  readonly estimate: CallEstimate;
  readonly admit: (reservation: Reservation) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * The budget of one run: every model call reserves before it is sent and settles after.
 *
 * - Counts are exact: a call that would be one too many is refused at once, also in a burst.
 * - Tokens and money: a call is refused when what is certain of it (prompt size at the lowest price
 *   seen) does not fit. A call that may not fit, seen with the calls under way, waits for those, in
 *   order; so near a limit a burst becomes a queue and the last call overshoots by its own unknown
 *   part. Of models that have not told a price, one call is under way at a time.
 * - Every agent is told at 80 % of a limit, once a limit, and gets one last turn to call FINAL: the
 *   last call of `maxCallsPerSubagent`; the first turn in the last tenth of `maxSeconds` (a
 *   sub-agent: fifth). For the root, one call of `maxGlobalCalls` is held back, and one turn is
 *   allowed after tokens or money have run out. An agent that has made no call gets no last turn, so
 *   a limit of 0 sends nothing.
 */
export class Budget {
  readonly limits: Required<Limits>;
  readonly #clock: Clock;
  readonly #onNotice: (message: string) => void;
  readonly #prices = new Prices();
  readonly #agents = new Map<string, AgentBudget>();
  readonly #held = new Held();
  readonly #noticed = new Set<string>();
  #queue: Waiter[] = [];
  #spent = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
  #usage = noUsage;
  readonly #ledger: Ledger;

  /**
   * @param options.onNotice receives, once each, what the user should know: a limit that cannot be
   * enforced because the provider does not report what it counts
   * @throws {RlmError} `config`, for a limit that is no number from 0
   */
  constructor(limits: Limits, clock: Clock, options?: { onNotice?: (message: string) => void }) {
    this.limits = checkLimits(limits);
    this.#clock = clock;
    this.#onNotice = options?.onNotice ?? (() => {});
    this.#ledger = {
      reserve: (agent, kind, estimate) => this.#reserve(agent, kind, estimate),
      check: (agent) => {
        const decision = decide(this.#standing(), agent, "turn", noHold);
        if (decision.kind === "refuse") throw refusal(decision);
      },
      startedAt: clock.now(),
      maxSeconds: this.limits.maxSeconds,
    };
  }

  /**
   * The budget of the agent at `path`; the same object for the same path.
   *
   * @throws {LimitError} when `depth` is below `maxDepth`'s deepest level
   */
  agent(path: string, depth: number): AgentBudget {
    if (depth > this.limits.maxDepth) throw depthError(this.limits.maxDepth);
    let agent = this.#agents.get(path);
    if (!agent) {
      agent = new AgentBudget(this.#ledger, path, depth, depth < this.limits.maxDepth);
      this.#agents.set(path, agent);
    }
    return agent;
  }

  /** The whole run so far, sub-agents counted. */
  usage(): Usage {
    return this.#usage;
  }

  /** What the agent at `path` used by its own calls. */
  usageOf(path: string): Usage {
    return this.#agents.get(path)?.used ?? noUsage;
  }

  /** The first limit of the run that is used up, if any. */
  exhausted(): LimitName | undefined {
    const { calls, promptTokens, completionTokens, money, seconds } = this.#standing();
    const used: [LimitName, number][] = [
      ["maxGlobalCalls", calls],
      ["maxPromptTokens", promptTokens],
      ["maxCompletionTokens", completionTokens],
      ["maxMoneySpent", money],
      ["maxSeconds", seconds],
    ];
    return used.find(([name, amount]) => amount >= this.limits[name])?.[0];
  }

  #standing(): Standing {
    return {
      limits: this.limits,
      ...this.#spent,
      seconds: (this.#clock.now() - this.#ledger.startedAt) / 1_000,
      held: this.#held,
    };
  }

  #reserve(agent: AgentBudget, kind: CallKind, estimate: CallEstimate): Promise<Reservation> {
    const { promise, resolve, reject } = Promise.withResolvers<Reservation>();
    const { signal } = estimate;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const onAbort = () => {
      this.#queue = this.#queue.filter((other) => other !== waiter);
      reject(signal?.reason);
      this.#pump();
    };
    const waiter: Waiter = {
      agent,
      kind,
      estimate,
      admit: (reservation) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(reservation);
      },
      refuse: (error) => {
        signal?.removeEventListener("abort", onAbort);
        reject(error);
      },
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#queue.push(waiter);
    this.#pump();
    return promise;
  }

  /** Serves the queue from its head, until one must wait. */
  #pump(): void {
    for (let waiter = this.#queue[0]; waiter; waiter = this.#queue[0]) {
      const forecast = this.#prices.forecast(waiter.estimate.model, waiter.estimate);
      const bounded = waiter.estimate.maxOutputTokens !== undefined;
      const hold = holdFor(forecast, bounded);
      const decision = decide(this.#standing(), waiter.agent, waiter.kind, hold);
      if (decision.kind === "wait") return;
      this.#queue.shift();
      if (decision.kind === "refuse") {
        waiter.refuse(refusal(decision));
      } else {
        waiter.admit(this.#hold(waiter, hold, decision.last));
      }
    }
  }

  #hold(waiter: Waiter, hold: Hold, last: LimitName | undefined): Reservation {
    const { agent, kind, estimate } = waiter;
    const notes = kind === "turn" ? warningNotes(this.#standing(), agent, last) : [];
    this.#held.add(hold);
    if (kind === "turn") {
      agent.turns++;
      agent.lastGiven = last;
    }
    const end = (outcome: Outcome) => {
      this.#held.remove(hold);
      this.#book(agent, kind, estimate, outcome);
      this.#pump();
    };
    const maxOutputTokens = this.#outputBound(estimate.maxOutputTokens);
    return new Reservation(end, notes, { maxOutputTokens, last });
  }

  /** Below 4,096 tokens every model takes a bound; a reply needs some room even at the very end. */
  #outputBound(asked: number | undefined): number | undefined {
    const left = Math.max(this.limits.maxCompletionTokens - this.#spent.completionTokens, 256);
    if (asked !== undefined) return Math.min(asked, left);
    return left < 4_096 ? left : undefined;
  }

  #book(agent: AgentBudget, kind: CallKind, estimate: CallEstimate, outcome: Outcome): void {
    if (outcome.kind === "released") {
      if (kind === "turn") {
        agent.turns--;
        agent.lastGiven = undefined;
      }
      return;
    }
    const told = outcome.usage ?? noUsage;
    const usage = { ...told, calls: Math.max(1, told.calls) };
    agent.used = addUsage(agent.used, usage);
    this.#usage = addUsage(this.#usage, usage);
    this.#spent.calls += usage.calls;
    this.#spent.completionTokens += usage.completionTokens ?? 0;
    this.#spent.money += usage.cost ?? 0;
    this.#spent.promptTokens += usage.promptTokens ??
      (outcome.kind === "settled" ? estimate.promptTokens : 0);
    if (outcome.kind === "settled") {
      this.#prices.learn(estimate.model, estimate.promptTokens, usage);
      this.#noticeUnknown(usage);
    }
  }

  #noticeUnknown(usage: Usage): void {
    const unknown: [LimitName, boolean, string][] = [
      ["maxMoneySpent", usage.cost === undefined, "reports no cost"],
      ["maxPromptTokens", usage.promptTokens === undefined, "reports no prompt tokens"],
      ["maxCompletionTokens", usage.completionTokens === undefined, "reports no completion tokens"],
    ];
    for (const [limit, missing, why] of unknown) {
      if (!missing || this.limits[limit] === Infinity || this.#noticed.has(limit)) continue;
      this.#noticed.add(limit);
      this.#onNotice(`${limit} cannot be enforced: the provider ${why}`);
    }
  }
}

function refusal({ limit, max, used }: Refusal): LimitError {
  return new LimitError(limit, limitMessage(limit, max, used));
}
