/** What is true of the corpus: everything that a question may ask about. */
export interface Truth {
  readonly episodes: readonly EpisodeTruth[];
  readonly recommendations: readonly RecommendationTruth[];
  readonly predictions: readonly PredictionTruth[];
  readonly corrections: readonly CorrectionTruth[];
  readonly debates: readonly DebateTruth[];
  readonly contradictions: readonly ContradictionTruth[];
  /** Titles that guests mention without recommending them. */
  readonly inPassing: readonly { readonly episode: number; readonly title: string }[];
}

/** An episode as its header and turns tell. */
export interface EpisodeTruth {
  readonly number: number;
  readonly title: string;
  /** ISO 8601 date. */
  readonly date: string;
  readonly host: string;
  readonly guests: readonly {
    readonly name: string;
    readonly role: string;
    readonly company: string;
  }[];
  readonly sponsor: string;
  /** Minutes as the header gives them. */
  readonly listedMinutes: number;
  /** Minutes that it takes; differs where a later episode corrects the header. */
  readonly minutes: number;
  /** Words of each speaker's turns, split at white space, by full name. */
  readonly words: Readonly<Record<string, number>>;
}

/** Something that a guest recommended at the end of an episode, as said there. */
export interface RecommendationTruth {
  readonly episode: number;
  readonly guest: string;
  readonly title: string;
}

/** What a guest expects. */
export interface PredictionTruth {
  readonly episode: number;
  readonly guest: string;
  readonly year: number;
  readonly claim: string;
  /** Chances in ten. */
  readonly odds: number;
}

/** What a later episode put right. */
export interface CorrectionTruth {
  readonly episode: number;
  readonly about: number;
  readonly kind: "length" | "recommendation" | "figure";
  readonly was: number | string;
  readonly now: number | string;
}

/** A question that both guests of an episode were asked. */
export interface DebateTruth {
  readonly episode: number;
  readonly question: string;
  readonly for: string;
  readonly against: string;
  /** Who had come around to the other's view by the end. */
  readonly cameAround: string | null;
}

/** A figure that one guest gave differently in two episodes. */
export interface ContradictionTruth {
  readonly guest: string;
  readonly subject: string;
  readonly first: { readonly episode: number; readonly value: number };
  readonly second: { readonly episode: number; readonly value: number };
}
