import type { Domain } from "./domain.ts";
import type { DomainName } from "./guests.ts";
import { INDOORS } from "./domains_indoors.ts";
import { OUTDOORS } from "./domains_outdoors.ts";
import { Deck, type Random } from "./random.ts";
import { COMMON } from "./small_talk.ts";

/** The words of every field of work. */
export const DOMAINS: Readonly<Record<DomainName, Domain>> = { ...OUTDOORS, ...INDOORS };

/** Fills the slots of sentences; deals each list's items in turn, so that they are spread evenly. */
export class Words {
  readonly #decks = new Map<readonly unknown[], Deck<unknown>>();

  constructor(readonly random: Random) {}

  /** The next item of a list: none comes again before all have come. */
  deal<T>(items: readonly T[]): T {
    let deck = this.#decks.get(items) as Deck<T> | undefined;
    if (deck === undefined) {
      deck = new Deck(items, this.random);
      this.#decks.set(items, deck);
    }
    return deck.deal();
  }

  /**
   * A sentence with its slots filled: `{#3-9}` is a number, `{name}` comes from `given`, else from
   * the field of work, else from the common words. Sentences begin with a capital.
   */
  fill(template: string, domain: Domain, given: Readonly<Record<string, string>> = {}): string {
    const filled = template.replace(/\{([^{}]+)\}/g, (_, slot: string) => {
      const range = /^#(\d+)-(\d+)$/.exec(slot);
      if (range) return String(this.random.integer(Number(range[1]), Number(range[2])));
      const ready = given[slot];
      if (ready !== undefined) return ready;
      const words: unknown = slot in domain ? domain[slot as keyof Domain] : COMMON[slot];
      if (typeof words === "string") return words;
      if (!Array.isArray(words)) throw new Error(`No words for the slot {${slot}}`);
      return this.deal(words as readonly string[]);
    });
    return filled.replace(/(^|[.?] )(\p{Ll})/gu, (_, before: string, letter: string) => {
      return before + letter.toUpperCase();
    });
  }
}
