import { rewriteStep, type StepProgram } from "../../repl/rewrite.ts";

/** What V8 made of a step; the place of an error is one in the agent's source. */
export interface Outcome {
  readonly value: unknown;
  readonly error: string | undefined;
  readonly place: { readonly line: number; readonly column: number };
}

/** A bare REPL in a worker: steps are rewritten and evaluated by the real inspector. */
export class BareRepl implements Disposable {
  readonly #worker = new Worker(new URL("./bare_repl_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: { sys: ["inspector"] } },
  });

  readonly #ready = this.#next();

  #next(): Promise<MessageEvent> {
    const { promise, resolve, reject } = Promise.withResolvers<MessageEvent>();
    this.#worker.onmessage = resolve;
    this.#worker.onerror = reject;
    return promise;
  }

  /** Rewrites and evaluates a step. */
  async run(source: string): Promise<Outcome> {
    await this.#ready;
    const program: StepProgram = rewriteStep(source);
    const answer = this.#next();
    this.#worker.postMessage({ code: program.code, hoisted: program.hoisted });
    const { value, error, line, column } = (await answer).data;
    return { value, error, place: program.position(line, column) };
  }

  /** The value of a step that must not fail. */
  async value(source: string): Promise<unknown> {
    const outcome = await this.run(source);
    if (outcome.error !== undefined) throw new Error(`${source}: ${outcome.error}`);
    return outcome.value;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
