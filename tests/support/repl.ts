/** A real sandbox for tests: source in, report out. */
import { type Body, decodeBody, encodeBody } from "../../repl/body.ts";
import { type CallHandler, type EvaluatedStep, Sandbox } from "../../repl/host.ts";
import type { ContextDescription, ReplSetup } from "../../repl/protocol.ts";
import { rewriteStep } from "../../repl/rewrite.ts";
import type { RestoreReport, Snapshot } from "../../repl/snapshot.ts";

/** What a test asks of a sandbox. */
export interface ReplOptions {
  readonly context?: unknown;
  readonly setup?: Partial<ReplSetup>;
  readonly onCall?: CallHandler;
  readonly memoryLimitMb?: number;
  readonly timeoutMs?: number;
}

/** A report in the form that tests compare. */
export interface Ran extends EvaluatedStep {
  /** Head and tail of the output. */
  readonly text: string;
  /** `Name: message`, where the step failed. */
  readonly failure: string | undefined;
  /** The decoded FINAL value. */
  readonly answer: unknown;
  readonly answered: boolean;
}

/** A sandbox and its steps, numbered as they come. */
export class TestRepl implements AsyncDisposable {
  readonly sandbox: Sandbox;
  description!: ContextDescription;
  #step = 0;

  private constructor(private readonly options: ReplOptions) {
    this.sandbox = new Sandbox({ memoryLimitMb: options.memoryLimitMb ?? 512 });
  }

  /** Starts a sandbox whose calls answer with what they were asked, unless the test says otherwise. */
  static async start(options: ReplOptions = {}): Promise<TestRepl> {
    const repl = new TestRepl(options);
    const setup = { recursive: true, env: {}, maxOutput: 4_000, ...options.setup };
    const echo: CallHandler = (call) =>
      Promise.resolve<Body>(encodeBody({ call: call.name, value: decodeBody(call.value) }));
    repl.description = await repl.sandbox.init(
      setup,
      encodeBody(options.context ?? "the context"),
      options.onCall ?? echo,
    );
    return repl;
  }

  /** Rewrites and evaluates one step. */
  async run(source: string): Promise<Ran> {
    const program = rewriteStep(source);
    const report = await this.sandbox.evaluate({
      step: ++this.#step,
      code: program.code,
      hoisted: program.hoisted,
      declared: program.declared,
      timeoutMs: this.options.timeoutMs ?? 10_000,
    });
    return {
      ...report,
      text: report.output.head + report.output.tail,
      failure: report.error && `${report.error.name}: ${report.error.message}`,
      answer: report.finalValue && decodeBody(report.finalValue),
      answered: report.finalValue !== undefined,
    };
  }

  /** Takes the globals out; every payload with its text unless it is known. */
  sweep(options: { capBytes?: number; known?: readonly string[] } = {}): Promise<Snapshot> {
    return this.sandbox.sweep({ capBytes: 5_000_000, known: [], ...options });
  }

  /** Puts a snapshot's names back. */
  restore(snapshot: Snapshot): Promise<RestoreReport> {
    return this.sandbox.restore(snapshot);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.sandbox.close();
  }
}

/** Starts a sandbox, runs `test` on it, and ends it. */
export async function withRepl(
  test: (repl: TestRepl) => Promise<void>,
  options: ReplOptions = {},
): Promise<void> {
  await using repl = await TestRepl.start(options);
  await test(repl);
}
