/**
 * The payloads that the host has, as it tells them to a worker: only what changed since it told last,
 * for they are many in an old session and nearly the same from step to step.
 */

/** What changed. */
export interface KnownChange {
  readonly add: readonly string[];
  readonly drop: readonly string[];
}

/** The host's end: what it has told. */
export class ToldPayloads {
  #told: ReadonlySet<string> = new Set();

  /** What is to be told, so that the worker knows of these and no others. */
  change(known: readonly string[]): KnownChange {
    const before = this.#told;
    const now = new Set(known);
    this.#told = now;
    return {
      add: known.filter((id) => !before.has(id)),
      drop: [...before].filter((id) => !now.has(id)),
    };
  }
}

/** The worker's end. */
export function applyChange(known: Set<string>, { add, drop }: KnownChange): void {
  for (const id of drop) known.delete(id);
  for (const id of add) known.add(id);
}
