import type { Usage } from "../lib/model/usage.ts";

/** A sum; `value` is undefined where no call told, `partial` where some did not: then it is a floor. */
export interface Amount {
  readonly value: number | undefined;
  readonly partial: boolean;
}

/** The fields of a tally that are sums. */
export type TallyField = "prompt" | "completion" | "cached" | "reasoning" | "total" | "cost";

/** What model calls used, each figure with whether it is complete. */
export type Tally = Readonly<Record<TallyField, Amount>> & { readonly calls: number };

const FIELDS: readonly TallyField[] = [
  "prompt",
  "completion",
  "cached",
  "reasoning",
  "total",
  "cost",
];

function figures(usage: Usage): Record<TallyField, number | undefined> {
  const { promptTokens: prompt, completionTokens: completion } = usage;
  const sum = prompt === undefined || completion === undefined ? undefined : prompt + completion;
  return {
    prompt,
    completion,
    cached: usage.cachedTokens,
    reasoning: usage.reasoningTokens,
    total: usage.totalTokens ?? sum,
    cost: usage.cost,
  };
}

const rounded = (field: TallyField, sum: number): number =>
  // A billionth of a dollar: what floating point adds beyond that is not money.
  field === "cost" ? Math.round(sum * 1e9) / 1e9 : sum;

/** Adds usages up, field by field, without taking an unknown for a zero. */
export class TallyBuilder {
  readonly #sums = new Map<TallyField, number>();
  readonly #unknown = new Set<TallyField>();
  #calls = 0;

  /** Adds the usage of `usage.calls` calls. */
  add(usage: Usage): void {
    this.#calls += usage.calls;
    const given = figures(usage);
    for (const field of FIELDS) {
      const value = given[field];
      const silent = field === "cost" ? 0 : usage.unknownCalls;
      this.#put(field, value, value === undefined ? usage.calls > 0 : silent > 0);
    }
  }

  /** Adds a tally; a figure that it does not know although calls were made is unknown here too. */
  addTally(tally: Tally): void {
    this.#calls += tally.calls;
    for (const field of FIELDS) {
      const { value, partial } = tally[field];
      this.#put(field, value, partial || (value === undefined && tally.calls > 0));
    }
  }

  #put(field: TallyField, value: number | undefined, unknown: boolean): void {
    if (value !== undefined) this.#sums.set(field, (this.#sums.get(field) ?? 0) + value);
    if (unknown) this.#unknown.add(field);
  }

  /** The sums so far. */
  get(): Tally {
    const amount = (field: TallyField): Amount => {
      const sum = this.#sums.get(field);
      if (sum === undefined) return { value: undefined, partial: false };
      return { value: rounded(field, sum), partial: this.#unknown.has(field) };
    };
    return {
      prompt: amount("prompt"),
      completion: amount("completion"),
      cached: amount("cached"),
      reasoning: amount("reasoning"),
      total: amount("total"),
      cost: amount("cost"),
      calls: this.#calls,
    };
  }
}

/** The tally of one usage. */
export function tallyOf(usage: Usage): Tally {
  const builder = new TallyBuilder();
  builder.add(usage);
  return builder.get();
}

/** The sum of tallies. */
export function sumTallies(tallies: Iterable<Tally>): Tally {
  const builder = new TallyBuilder();
  for (const tally of tallies) builder.addTally(tally);
  return builder.get();
}
