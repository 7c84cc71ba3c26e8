import { rewriteStep } from "../../repl/rewrite.ts";
import type { RestoreReport, Snapshot } from "../../repl/snapshot.ts";

/** Options of a sweep in a `MemoryWorker`. */
export interface TestSweepOptions {
  readonly known?: readonly string[];
  readonly capBytes?: number;
  readonly commits?: readonly [string, string | undefined][];
}

/** A real worker whose globals are swept and restored, as a test drives it. */
export class MemoryWorker implements Disposable {
  private readonly waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  private last = 0;

  private constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data }) => {
      const { id, value, error } = data as { id: number; value: unknown; error?: string };
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    };
  }

  /** Starts a worker with nothing in it. */
  static async start(): Promise<MemoryWorker> {
    const options = {
      type: "module",
      deno: { permissions: { sys: ["inspector"], read: true } },
    };
    const url = new URL("./memory_worker.ts", import.meta.url);
    const memory = new MemoryWorker(new Worker(url, options as unknown as WorkerOptions));
    await new Promise((resolve, reject) => memory.waiting.set(0, { resolve, reject }));
    return memory;
  }

  private ask(message: Record<string, unknown>): Promise<unknown> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  /** Runs code as a step would; resolves to its last value. */
  async run(source: string): Promise<unknown> {
    const { code, hoisted, declared } = rewriteStep(source);
    return await this.ask({ kind: "run", step: { code, hoisted, declared } });
  }

  /** Sweeps; the snapshot went through JSON, as it does on its way to a file. */
  async sweep(options: TestSweepOptions = {}): Promise<Snapshot> {
    const snapshot = await this.ask({ kind: "sweep", ...options });
    return JSON.parse(JSON.stringify(snapshot)) as Snapshot;
  }

  restore(snapshot: Snapshot): Promise<RestoreReport> {
    return this.ask({ kind: "restore", snapshot }) as Promise<RestoreReport>;
  }

  check(name: string): Promise<string | undefined> {
    return this.ask({ kind: "check", name }) as Promise<string | undefined>;
  }

  /** Deletes every global that came after the start. */
  async clear(): Promise<void> {
    await this.ask({ kind: "clear" });
  }

  [Symbol.dispose](): void {
    this.worker.terminate();
  }
}

/** What came back in a second worker. */
export interface Trip {
  readonly snapshot: Snapshot;
  readonly report: RestoreReport;
  /** Result of the check in the second worker. */
  readonly value: unknown;
  /** The sweep of the second worker, before the check ran. */
  readonly again: Snapshot;
}

/** Runs steps in one worker, takes its memory to another, and evaluates a check there. */
export async function roundTrip(
  steps: string | readonly string[],
  check: string,
  options: TestSweepOptions = {},
): Promise<Trip> {
  using first = await MemoryWorker.start();
  for (const step of typeof steps === "string" ? [steps] : steps) await first.run(step);
  const snapshot = await first.sweep(options);
  using second = await MemoryWorker.start();
  const report = await second.restore(snapshot);
  const again = await second.sweep();
  const value = await second.run(check);
  return { snapshot, report, value, again };
}
