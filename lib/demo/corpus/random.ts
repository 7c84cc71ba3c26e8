/**
 * A small generator of pseudo-random numbers (mulberry32): 32 bits of state, the same sequence on
 * every machine, because it uses nothing but 32-bit integer arithmetic.
 */
export class Random {
  #state: number;

  /** @param seed any integer; only its low 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next number, at least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** The items in a new order (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [order[i], order[j]] = [order[j] as T, order[i] as T];
    }
    return order;
  }
}

/** Deals the items in random order and none again before all were dealt. */
export class Deck<T> {
  #left: T[] = [];

  constructor(private readonly items: readonly T[], private readonly random: Random) {}

  /** The next item. */
  deal(): T {
    if (this.#left.length === 0) this.#left = this.random.shuffle(this.items);
    return this.#left.pop() as T;
  }
}
