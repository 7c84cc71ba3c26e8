import { rewriteStep, type StepProgram } from "../../repl/rewrite.ts";

/** What V8 made of a step; the place of an error is one in the agent's source. */
export interface Outcome {
  readonly value: unknown;
  readonly error: string | undefined;
  readonly place: { readonly line: number; readonly column: number };
}

/** A bare REPL in a worker: steps are rewritten and evaluated by the real inspector. */
export class ReplMode implements Disposable {
  readonly #worker = new Worker(new URL("./repl_mode_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: { sys: ["inspector"] } },
  });

  /** Rewrites and evaluates a step. */
  async run(source: string): Promise<Outcome> {
    const program: StepProgram = rewriteStep(source);
    const { promise, resolve, reject } = Promise.withResolvers<MessageEvent>();
    this.#worker.onmessage = resolve;
    this.#worker.onerror = reject;
    this.#worker.postMessage(program.code);
    const { value, error, line, column } = (await promise).data;
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
