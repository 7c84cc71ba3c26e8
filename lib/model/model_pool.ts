import type { AiSdkLanguageModel, LanguageModelV4 } from "./sdk_types.ts";

type Fetch = typeof globalThis.fetch;
type Connect = (fetch: Fetch) => AiSdkLanguageModel;

/** A model, and the `fetch` of the call that has it now. */
interface Pooled {
  fetch: Fetch;
  readonly model: LanguageModelV4;
}

/**
 * The SDK's models of one provider. Each call sends through a `fetch` of its own, and making a model
 * for it would build the provider's schemas anew, half a millisecond of every step: models are used
 * again, each by one call at a time.
 */
export class ModelPool {
  readonly #idle: Pooled[] = [];

  /** Gives `work` a model that sends through `fetch`. */
  async use<T>(
    connect: Connect,
    fetch: Fetch,
    work: (model: LanguageModelV4) => Promise<T>,
  ): Promise<T> {
    const pooled = this.#idle.pop() ?? make(connect, fetch);
    pooled.fetch = fetch;
    try {
      return await work(pooled.model);
    } finally {
      this.#idle.push(pooled);
    }
  }
}

function make(connect: Connect, fetch: Fetch): Pooled {
  const pooled: { fetch: Fetch; model?: LanguageModelV4 } = { fetch };
  pooled.model = connect((input, init) => pooled.fetch(input, init)) as LanguageModelV4;
  return pooled as Pooled;
}
