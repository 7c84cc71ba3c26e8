/** The words of a field of work, for the slots of sentences. */
export interface Domain {
  /** The field as a host would name it. */
  readonly trade: string;
  /** What is looked after, plural. */
  readonly things: readonly string[];
  /** The same, singular, with an article. */
  readonly thing: readonly string[];
  /** A part of it, without an article. */
  readonly part: readonly string[];
  /** A tool, without an article. */
  readonly tool: readonly string[];
  /** What goes wrong, with an article. */
  readonly fault: readonly string[];
  /** What one does all day: a gerund with its object. */
  readonly act: readonly string[];
  /** How one notices. */
  readonly sign: readonly string[];
  /** Where one works. */
  readonly site: readonly string[];
  /** Who is served. */
  readonly people: readonly string[];
  /** Sentences that could be said in no other field. */
  readonly facts: readonly string[];
  /** Predictions, said after `By 2027, `. */
  readonly claims: readonly string[];
}
