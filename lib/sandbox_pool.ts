import { Sandbox } from "../repl/host.ts";
import { RlmError } from "./errors.ts";

/**
 * The sandboxes of one run. A spare that starts while something else is waited for hides the time
 * that a process takes to get ready; closing the pool leaves no process behind.
 */
export class SandboxPool implements AsyncDisposable {
  readonly #open = new Set<Sandbox>();
  #spare: Sandbox | undefined;
  #closed = false;

  /** @param memoryLimitMb megabytes of memory for each sandbox */
  constructor(private readonly memoryLimitMb: number) {}

  /**
   * Starts a spare, unless there is one.
   *
   * @throws {RlmError} `sandbox` where this program may start no process
   */
  warm(): void {
    if (!this.#closed) this.#spare ??= this.#start();
  }

  /** The spare, or a sandbox that starts now. */
  take(): Sandbox {
    if (this.#closed) throw new Error("the pool of sandboxes is closed");
    const sandbox = this.#spare ?? this.#start();
    this.#spare = undefined;
    return sandbox;
  }

  /** Ends a sandbox that was taken. */
  async give(sandbox: Sandbox): Promise<void> {
    this.#open.delete(sandbox);
    await sandbox.close();
  }

  /** Ends every sandbox. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open].map((sandbox) => sandbox.close()));
    this.#open.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): Sandbox {
    try {
      const sandbox = new Sandbox({ memoryLimitMb: this.memoryLimitMb });
      this.#open.add(sandbox);
      return sandbox;
    } catch (cause) {
      if (!(cause instanceof Deno.errors.NotCapable)) throw cause;
      const message = "Cannot start a sandbox: Deno was not allowed to run itself; " +
        "see --allow-run=deno";
      throw new RlmError("sandbox", message, { cause });
    }
  }
}
