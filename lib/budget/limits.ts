import { RlmError } from "../errors.ts";
import { grouped } from "../../repl/grouped.ts";
import { showValue } from "../show_value.ts";

/** The limits of a run by their config names. Absent or Infinity means no limit; 0 means nothing. */
export interface Limits {
  /** Deepest agent allowed; the root has depth 0. */
  readonly maxDepth?: number;
  /** Model calls of one agent's loop, the root included. */
  readonly maxCallsPerSubagent?: number;
  /** Model calls of the whole run. */
  readonly maxGlobalCalls?: number;
  /** Prompt tokens of the whole run. */
  readonly maxPromptTokens?: number;
  /** Completion tokens of the whole run, reasoning included. */
  readonly maxCompletionTokens?: number;
  /** US dollars of the whole run. */
  readonly maxMoneySpent?: number;
  /** Wall time of the run, seconds. */
  readonly maxSeconds?: number;
}

/** The config name of a limit. */
export type LimitName = keyof Limits;

/** The flag that sets each limit, for messages. */
const FLAGS: Readonly<Record<LimitName, string>> = {
  maxDepth: "--max-depth",
  maxCallsPerSubagent: "--max-calls",
  maxGlobalCalls: "--max-global-calls",
  maxPromptTokens: "--max-prompt-tokens",
  maxCompletionTokens: "--max-completion-tokens",
  maxMoneySpent: "--max-money-spent",
  maxSeconds: "--max-seconds",
};

const WHOLE = new Set<LimitName>([
  "maxDepth",
  "maxCallsPerSubagent",
  "maxGlobalCalls",
  "maxPromptTokens",
  "maxCompletionTokens",
]);

/** The names of all limits. */
export const limitNames: readonly LimitName[] = Object.keys(FLAGS) as LimitName[];

/**
 * The limits with "no limit" as Infinity.
 *
 * @throws {RlmError} `config`, for anything that is not a number from 0 (a whole one for counts)
 */
export function checkLimits(limits: Limits): Required<Limits> {
  const checked = {} as Record<LimitName, number>;
  for (const name of limitNames) {
    const value: unknown = limits[name] ?? Infinity;
    const good = typeof value === "number" && value >= 0 &&
      (value === Infinity || !WHOLE.has(name) || Number.isInteger(value));
    if (!good) {
      const kind = WHOLE.has(name) ? "a whole number" : "a number";
      throw new RlmError(
        "config",
        `Cannot use ${name}: it must be ${kind} from 0, current value is ${showValue(value)}`,
      );
    }
    checked[name] = value;
  }
  return checked;
}

/** An amount of `name` as messages show it: `$0.12`, `12 s`, `1,000 tokens`. */
export function showAmount(name: LimitName, amount: number): string {
  if (name === "maxMoneySpent") {
    return `$${amount !== 0 && amount < 0.1 ? Number(amount.toPrecision(2)) : amount.toFixed(2)}`;
  }
  if (name === "maxSeconds") return `${Number(amount.toFixed(1))} s`;
  const count = Math.round(amount);
  if (name === "maxDepth") return grouped(count);
  return `${grouped(count)} ${name.endsWith("Tokens") ? "token" : "call"}${count === 1 ? "" : "s"}`;
}

/** Why a call was refused, and the way out. */
export function limitMessage(name: LimitName, max: number, used: number): string {
  const counted = name !== "maxMoneySpent" && name !== "maxSeconds";
  return `Cannot call a model: ${name} is ${showAmount(name, max)}, used ${
    counted && used === 1 ? "is" : "are"
  } ${showAmount(name, used)}; raise it with ${FLAGS[name]}`;
}
