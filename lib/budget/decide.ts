import { type AgentBudget, type CallKind, lastTurnFrom } from "./agent_budget.ts";
import { type LimitName, type Limits, showAmount } from "./limits.ts";
import type { Forecast } from "./prices.ts";

/** What a call under way may still use. `…From` is certain, `…To` is what other calls leave free. */
export interface Hold {
  readonly promptTokens: number;
  readonly completionTo: number;
  readonly moneyFrom: number;
  readonly moneyTo: number;
  readonly unpriced: boolean;
}

/** Where the run stands. */
export interface Standing {
  readonly limits: Required<Limits>;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars. */
  readonly money: number;
  readonly seconds: number;
  readonly held: Held;
}

/** What all calls under way may still use, kept as sums: a burst may have thousands of calls. */
export class Held {
  calls = 0;
  unpriced = 0;
  promptTokens = 0;
  completionTo = 0;
  moneyTo = 0;

  add(hold: Hold): void {
    this.#change(hold, 1);
  }

  remove(hold: Hold): void {
    this.#change(hold, -1);
    if (this.calls === 0) this.moneyTo = 0; // what rounding has left
  }

  #change(hold: Hold, by: 1 | -1): void {
    this.calls += by;
    this.unpriced += hold.unpriced ? by : 0;
    this.promptTokens += by * hold.promptTokens;
    this.completionTo += by * hold.completionTo;
    this.moneyTo += by * hold.moneyTo;
  }
}

/** A call that would pass a limit. */
export interface Refusal {
  readonly kind: "refuse";
  readonly limit: LimitName;
  readonly max: number;
  readonly used: number;
}

/** What becomes of a reservation. */
export type Decision =
  | { readonly kind: "admit"; readonly last: LimitName | undefined }
  | { readonly kind: "wait" }
  | Refusal;

/** A call of no size. */
export const noHold: Hold = {
  promptTokens: 0,
  completionTo: 0,
  moneyFrom: 0,
  moneyTo: 0,
  unpriced: false,
};

/**
 * An unbounded reply may be longer than any before it. Calls run side by side while there is room
 * for this many times what they are expected to use; after that one by one.
 */
const UNKNOWN_FACTOR = 4;

/** The share of a limit from which an agent is told. */
const WARN_FROM = 0.8;

/** What a call with this forecast holds while it is under way. */
export function holdFor(forecast: Forecast, bounded: boolean): Hold {
  const factor = bounded ? 1 : UNKNOWN_FACTOR;
  return {
    promptTokens: forecast.promptTokens,
    completionTo: forecast.completionTokens * factor,
    moneyFrom: forecast.costFrom,
    moneyTo: forecast.costTo * factor,
    unpriced: forecast.unpriced,
  };
}

/** One of the amounts that a call uses up: what it certainly takes, and what it may take. */
interface Amount {
  readonly limit: LimitName;
  readonly used: number;
  readonly from: number;
  readonly to: number;
  /** What calls under way may take. */
  readonly held: number;
}

function amountsOf(at: Standing, call: Hold): Amount[] {
  const { held } = at;
  return [
    {
      limit: "maxPromptTokens",
      used: at.promptTokens,
      from: call.promptTokens,
      to: call.promptTokens,
      held: held.promptTokens,
    },
    {
      limit: "maxCompletionTokens",
      used: at.completionTokens,
      from: 1,
      to: call.completionTo,
      held: held.completionTo,
    },
    {
      limit: "maxMoneySpent",
      used: at.money,
      from: call.moneyFrom,
      to: call.moneyTo,
      held: held.moneyTo,
    },
  ];
}

/** Decides on one call; the state does not change. */
export function decide(at: Standing, agent: AgentBudget, kind: CallKind, call: Hold): Decision {
  const { limits } = at;
  const refuse = (limit: LimitName, used = usedOf(at, agent, limit)): Decision => (
    { kind: "refuse", limit, max: limits[limit], used }
  );
  const isTurn = kind === "turn";
  const rootTurn = isTurn && agent.isRoot;
  let last: LimitName | undefined;

  if (isTurn) {
    if (agent.lastGiven !== undefined) return refuse(agent.lastGiven);
    if (agent.turns >= limits.maxCallsPerSubagent) return refuse("maxCallsPerSubagent");
    if (agent.turns + 1 >= limits.maxCallsPerSubagent) last = "maxCallsPerSubagent";
  }

  if (at.seconds >= limits.maxSeconds) return refuse("maxSeconds");
  if (isTurn && at.seconds >= limits.maxSeconds * lastTurnFrom(agent.isRoot)) last = "maxSeconds";

  // One call is the root's: whatever sub-agents do, the run can still end with an answer.
  const taken = at.calls + at.held.calls;
  const open = limits.maxGlobalCalls - (rootTurn ? 0 : 1);
  if (taken + 1 > open) return refuse("maxGlobalCalls", taken);
  if (rootTurn && taken + 1 >= open) last = "maxGlobalCalls";

  let wait = false;
  for (const { limit, used, from, to, held } of amountsOf(at, call)) {
    const max = limits[limit];
    if (used >= max || used + from > max) {
      if (!rootTurn || agent.turns === 0) return refuse(limit);
      return { kind: "admit", last: limit };
    }
    wait ||= at.held.calls > 0 && used + held + to > max;
  }
  if (limits.maxMoneySpent !== Infinity && call.unpriced) wait ||= at.held.unpriced > 0;
  return wait ? { kind: "wait" } : { kind: "admit", last };
}

function usedOf(at: Standing, agent: AgentBudget, limit: LimitName): number {
  switch (limit) {
    case "maxCallsPerSubagent":
      return agent.turns;
    case "maxGlobalCalls":
      return at.calls;
    case "maxPromptTokens":
      return at.promptTokens;
    case "maxCompletionTokens":
      return at.completionTokens;
    case "maxMoneySpent":
      return at.money;
    case "maxSeconds":
      return at.seconds;
    case "maxDepth":
      return agent.depth;
  }
}

/** What the agent is to be told this turn: that it is the last one, or limits that come near. */
export function warningNotes(
  at: Standing,
  agent: AgentBudget,
  last: LimitName | undefined,
): string[] {
  const used = (limit: LimitName): number => usedOf(at, agent, limit);
  if (last !== undefined) {
    return [
      `Last turn: ${last} (${showAmount(last, at.limits[last])}) is reached; ` +
      "call FINAL now with the best answer you have, no further turn follows",
    ];
  }
  const notes: string[] = [];
  for (const limit of Object.keys(at.limits) as LimitName[]) {
    const max = at.limits[limit];
    if (limit === "maxDepth" || max === Infinity || agent.warned.has(limit)) continue;
    const share = used(limit) / max;
    if (!(share >= WARN_FROM)) continue;
    agent.warned.add(limit);
    notes.push(
      `Budget: ${Math.floor(share * 100)} % of ${limit} is used ` +
        `(${showAmount(limit, used(limit))} of ${showAmount(limit, max)}); finish soon`,
    );
  }
  return notes;
}
