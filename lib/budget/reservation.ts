import type { Usage } from "../model/usage.ts";
import type { LimitName } from "./limits.ts";

/** How a reserved call ended. */
export type Outcome =
  | { readonly kind: "settled"; readonly usage: Usage }
  | { readonly kind: "failed"; readonly usage: Usage | undefined }
  | { readonly kind: "released" };

/**
 * Room for one model call. End it once, with `settle`, `fail` or `release`; a second end does
 * nothing. Left open by `using`, it is released.
 */
export class Reservation implements Disposable {
  /**
   * The bound to send with the request: the caller's own, lowered to what `maxCompletionTokens`
   * leaves. Absent where there is plenty, because providers refuse bounds above their own.
   */
  readonly maxOutputTokens?: number;
  /** One-line notes for the agent, for this turn. */
  readonly notes: readonly string[];
  /** Set when this is the agent's last turn, to the limit that makes it so. */
  readonly last?: LimitName;
  #end: ((outcome: Outcome) => void) | undefined;

  constructor(
    end: (outcome: Outcome) => void,
    notes: readonly string[],
    options: { maxOutputTokens?: number | undefined; last?: LimitName | undefined },
  ) {
    this.#end = end;
    this.notes = notes;
    if (options.maxOutputTokens !== undefined) this.maxOutputTokens = options.maxOutputTokens;
    if (options.last !== undefined) this.last = options.last;
  }

  /** The call was answered. Unknown tokens and cost stay unknown; the call itself counts. */
  settle(usage: Usage): void {
    this.#finish({ kind: "settled", usage });
  }

  /** The call was sent and failed: it counts as a call, with the usage of its tries if known. */
  fail(usage?: Usage): void {
    this.#finish({ kind: "failed", usage });
  }

  /** The call was never sent: it does not count. */
  release(): void {
    this.#finish({ kind: "released" });
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #finish(outcome: Outcome): void {
    const end = this.#end;
    this.#end = undefined;
    end?.(outcome);
  }
}
