import { LimitError } from "../errors.ts";
import type { Usage } from "../model/usage.ts";
import { noUsage } from "../model/usage.ts";
import { type LimitName, showAmount } from "./limits.ts";
import type { Reservation } from "./reservation.ts";

/** What is known of a model call before it is made. */
export interface CallEstimate {
  /** The model's id: prices are learned by model. */
  readonly model: string;
  /** Prompt tokens as `roughTokens` counts them. */
  readonly promptTokens: number;
  /** The bound that the request will carry, where the caller set one. */
  readonly maxOutputTokens?: number;
  /** Ends a wait for room in the budget. */
  readonly signal?: AbortSignal;
}

/** What an agent budget asks of the budget of its run. */
export interface Ledger {
  reserve(agent: AgentBudget, kind: CallKind, estimate: CallEstimate): Promise<Reservation>;
  check(agent: AgentBudget): void;
  startedAt: number;
  maxSeconds: number;
}

/** A turn of an agent's loop, or one `llm_complete`. */
export type CallKind = "turn" | "completion";

/**
 * The share of `maxSeconds` from which an agent's next turn is its last. Sub-agents stop earlier, so
 * that the agent that waits for them still has time for its own last turn.
 */
export function lastTurnFrom(isRoot: boolean): number {
  return isRoot ? 0.9 : 0.8;
}

/** One agent's view of the budget; made by `Budget.agent`. */
export class AgentBudget {
  readonly path: string;
  readonly depth: number;
  /** Whether this agent may start sub-agents. */
  readonly canDelegate: boolean;
  /** Turns reserved or made. @internal */
  turns = 0;
  /** Set when the last turn was given, to the limit that ended the agent. @internal */
  lastGiven: LimitName | undefined;
  /** Limits this agent was told of. @internal */
  readonly warned: Set<LimitName> = new Set();
  /** @internal */
  used: Usage = noUsage;
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, path: string, depth: number, canDelegate: boolean) {
    this.#ledger = ledger;
    this.path = path;
    this.depth = depth;
    this.canDelegate = canDelegate;
  }

  /** Whether this is the root agent. */
  get isRoot(): boolean {
    return this.depth === 0;
  }

  /**
   * When this agent's code must stop, milliseconds since the epoch; undefined without `maxSeconds`.
   * `code` leaves time for a last turn, `all` is for that last turn and for model calls.
   */
  get deadline(): { readonly code: number; readonly all: number } | undefined {
    const { startedAt, maxSeconds } = this.#ledger;
    if (maxSeconds === Infinity) return undefined;
    const at = (share: number) => startedAt + maxSeconds * 1_000 * share;
    return this.isRoot
      ? { code: at(lastTurnFrom(true)), all: at(1) }
      : { code: at(lastTurnFrom(false)), all: at(lastTurnFrom(true)) };
  }

  /**
   * Asks before an agent is started whether it could make a call at all, so that no sandbox is
   * started in vain. Reserves nothing.
   *
   * @throws {LimitError} when a turn would be refused now, however small
   */
  check(): void {
    this.#ledger.check(this);
  }

  /**
   * Reserves the next turn of this agent's loop. Resolves at once where there is room; waits while
   * calls under way may use up what this one needs. Add `notes` to what the agent is shown.
   *
   * @throws {LimitError} when the call would pass a limit; nothing has been sent
   */
  turn(estimate: CallEstimate): Promise<Reservation> {
    return this.#ledger.reserve(this, "turn", estimate);
  }

  /**
   * Reserves one `llm_complete` call. It counts for the run, not for the turns of this agent.
   *
   * @throws {LimitError} when the call would pass a limit; nothing has been sent
   */
  complete(estimate: CallEstimate): Promise<Reservation> {
    return this.#ledger.reserve(this, "completion", estimate);
  }

  /** What this agent's own calls used, sub-agents not counted. */
  usage(): Usage {
    return this.used;
  }
}

/** The refusal of an agent deeper than `maxDepth`. */
export function depthError(maxDepth: number): LimitError {
  return new LimitError(
    "maxDepth",
    `Cannot start a sub-agent: maxDepth is ${showAmount("maxDepth", maxDepth)}; ` +
      "do this part here, or raise it with --max-depth",
  );
}
