/**
 * The host's end of a sandbox: starts the process, asks it one thing at a time, answers its calls,
 * and says how it ended. Nothing that the process sends is trusted.
 */
import type { Body } from "./body.ts";
import {
  checkCount,
  checkDescription,
  checkForm,
  checkList,
  checkObject,
  checkReport,
  checkText,
} from "./check.ts";
import {
  type ContextDescription,
  encodeHead,
  type Frame,
  type Header,
  ProtocolError,
  readFrames,
  type ReplSetup,
  SANDBOX_EXIT,
  SECRET_BYTES,
  type StepReport,
} from "./protocol.ts";
import { packSnapshot, unpackSnapshot } from "./snapshot_frame.ts";
import type { RestoreReport, Snapshot } from "./snapshot.ts";
import { sandboxCommand } from "./spawn.ts";

/** A call from agent code. */
export interface SandboxCall {
  readonly name: "llm_query" | "llm_complete" | "tool";
  /** As the worker sent it: to be checked by whoever serves the call. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly value: Body;
  /** Aborted when the sandbox ends. */
  readonly signal: AbortSignal;
}

/** Serves calls. What it throws reaches agent code as an Error with name, message and code. */
export type CallHandler = (call: SandboxCall) => Promise<Body>;

/** Why a sandbox ended without being asked to. */
export type DeathReason = "timeout" | "memory" | "protocol" | "crash" | "closed";

/** The sandbox process is gone; what its REPL held since the last sweep is lost. */
export class SandboxDied extends Error {
  override readonly name = "SandboxDied";
  constructor(readonly reason: DeathReason, detail: string) {
    super(detail);
  }
}

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Megabytes of resident memory that the process may use. */
  readonly memoryLimitMb: number;
}

/** One step, ready to be evaluated. */
export interface StepRequest {
  readonly step: number;
  readonly code: string;
  readonly declared: readonly string[];
  /** Milliseconds of active code. */
  readonly timeoutMs: number;
}

/** A step's report with the FINAL value, when there was one. */
export interface EvaluatedStep extends StepReport {
  readonly activeMs: number;
  readonly finalValue?: Body;
}

/** A call may not leave more than this many others waiting. */
const MAX_OUTSTANDING = 10_000;
/** A sweep or a restore that takes longer than this is broken. */
const STATE_TIMEOUT_MS = 120_000;

interface Waiter {
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

/** A REPL in a process of its own. */
export class Sandbox implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  readonly #waiters = new Map<number, Waiter>();
  readonly #open = new Set<number>();
  readonly #abort = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #writing: Promise<void> = Promise.resolve();
  #death: SandboxDied | undefined;
  #next = 1;
  #lastCall = 0;
  #maxOutput = 0;
  #onCall: CallHandler | undefined;

  /** Starts the process; it gets ready while the caller does other things. */
  constructor(private readonly options: SandboxOptions) {
    const command = sandboxCommand(options.memoryLimitMb);
    this.#child = new Deno.Command(command.path, {
      args: [...command.args],
      env: { ...command.env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#ready.promise.catch(() => {});
    this.#writing = this.#writer.write(this.#secret).catch(() => {});
    this.#ended = this.#run();
  }

  /** Process id, for those who watch. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Gives the REPL its context and names; resolves to what the agent is to be told of it. */
  async init(
    setup: ReplSetup,
    context: Body,
    onCall: CallHandler,
  ): Promise<ContextDescription> {
    await this.#ready.promise;
    this.#maxOutput = setup.maxOutput;
    this.#onCall = onCall;
    const { header } = await this.#ask({
      kind: "init",
      setup,
      form: context.form,
      memoryLimitMb: this.options.memoryLimitMb,
    }, context.bytes);
    return this.#checked(() => checkDescription(header["description"]));
  }

  /** Evaluates a step. Ends when its code, and the calls it started, have ended. */
  async evaluate(request: StepRequest): Promise<EvaluatedStep> {
    const { header, body } = await this.#ask({ kind: "eval", ...request }, NOTHING);
    const report = this.#checked(() => checkReport(header, this.#maxOutput));
    return {
      ...report,
      activeMs: checkCount(header["activeMs"] ?? 0, "activeMs"),
      ...(report.final ? { finalValue: { form: report.final.form, bytes: body } } : {}),
    };
  }

  /** Puts saved state back. Definitions are re-executed with host calls disabled. */
  async restore(snapshot: Snapshot): Promise<RestoreReport> {
    await this.#ready.promise;
    const { header, body } = packSnapshot(snapshot);
    const reply = await this.#timed(this.#ask({ kind: "restore", snapshot: header }, body));
    return this.#checked(() => {
      const report = checkObject(reply.header["report"], "report");
      const named = (value: unknown) =>
        checkList(value, "names", 1_000_000).map((entry) => {
          const { name, reason } = checkObject(entry, "entry");
          return { name: checkText(name, "name", 500), reason: checkText(reason, "reason", 500) };
        });
      return {
        restored: checkList(report["restored"], "restored", 1_000_000)
          .map((name) => checkText(name, "name", 500)),
        degraded: named(report["degraded"]),
        failed: named(report["failed"]),
      };
    });
  }

  /** Takes the REPL's globals out; payloads that the caller knows come without their text. */
  async sweep(options: { capBytes: number; known: readonly string[] }): Promise<Snapshot> {
    const { header, body } = await this.#timed(this.#ask({ kind: "sweep", ...options }, NOTHING));
    return this.#checked(() => unpackSnapshot(header["snapshot"], body));
  }

  /** Ends the process now. Safe to call twice. */
  async close(): Promise<void> {
    this.#end(new SandboxDied("closed", "the sandbox was closed"));
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    let broken: Error | undefined;
    try {
      for await (const frame of readFrames(this.#child.stdout, this.#secret)) this.#receive(frame);
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
      kill(this.#child);
    }
    const status = await this.#child.status;
    this.#end(deathOf(status, broken));
    await this.#writer.abort().catch(() => {});
  }

  #end(death: SandboxDied): void {
    if (this.#death) return;
    this.#death = death;
    kill(this.#child);
    this.#ready.reject(death);
    this.#abort.abort(death);
    for (const waiter of this.#waiters.values()) waiter.reject(death);
    this.#waiters.clear();
  }

  #receive(frame: Frame): void {
    const { header } = frame;
    if (header.kind === "ready") return this.#ready.resolve();
    if (header.kind === "call") return this.#serve(frame);
    if (header.kind !== "result") throw new ProtocolError("unknown kind of frame");
    const id = header["id"];
    const waiter = typeof id === "number" ? this.#waiters.get(id) : undefined;
    if (!waiter) throw new ProtocolError("a result that nobody asked for");
    this.#waiters.delete(id as number);
    if (header["failure"] === undefined) waiter.resolve(frame);
    else waiter.reject(new Error(checkText(header["failure"], "failure", 2_000)));
  }

  #serve({ header, body }: Frame): void {
    const call = checkCount(header["call"], "call");
    const name = header["name"];
    if (name !== "llm_query" && name !== "llm_complete" && name !== "tool") {
      throw new ProtocolError("unknown call");
    }
    if (call <= this.#lastCall || this.#open.size >= MAX_OUTSTANDING) {
      throw new ProtocolError("too many calls, or one call twice");
    }
    this.#lastCall = call;
    this.#open.add(call);
    const options = checkObject(header["options"], "options");
    const value = { form: checkForm(header["form"]), bytes: body };
    const answer = (reply: Record<string, unknown>, bytes: Uint8Array) => {
      this.#open.delete(call);
      if (!this.#death) this.#write({ kind: "reply", call, ...reply }, bytes);
    };
    if (!this.#onCall) throw new ProtocolError("a call before the REPL was set up");
    this.#onCall({ name, options, value, signal: this.#abort.signal }).then(
      (result) => answer({ ok: true, form: result.form }, result.bytes),
      (error: unknown) => answer({ ok: false, error: describeError(error) }, NOTHING),
    );
  }

  #ask(header: Header, body: Uint8Array): Promise<Frame> {
    if (this.#death) return Promise.reject(this.#death);
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#waiters.set(id, { resolve, reject });
    this.#write({ ...header, id }, body);
    return promise;
  }

  #write(header: Header, body: Uint8Array): void {
    const head = encodeHead(this.#secret, header, body.length);
    this.#writing = this.#writing.then(async () => {
      await this.#writer.write(head);
      if (body.length > 0) await this.#writer.write(body);
    }).catch(() => {});
  }

  /** A breach found after the frame was taken ends the sandbox like one found before. */
  #checked<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      const death = new SandboxDied("protocol", String((error as Error).message));
      this.#end(death);
      throw death;
    }
  }

  async #timed<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(
      () => this.#end(new SandboxDied("timeout", "saving or restoring state took too long")),
      STATE_TIMEOUT_MS,
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}

const NOTHING = new Uint8Array(0);

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
}

function deathOf(status: Deno.CommandStatus, broken: Error | undefined): SandboxDied {
  switch (status.code) {
    case SANDBOX_EXIT.timeout:
      return new SandboxDied(
        "timeout",
        "code that could not be interrupted ran into the time limit",
      );
    case SANDBOX_EXIT.memory:
      return new SandboxDied("memory", "the code used more memory than allowed");
    // V8 aborts the process when its heap is full; a signal shows as 128 and its number.
    case 132:
    case 133:
    case 134:
      return new SandboxDied("memory", "the code ran out of memory");
    case SANDBOX_EXIT.protocol:
      return new SandboxDied("protocol", "the sandbox broke its protocol");
  }
  if (broken instanceof ProtocolError && status.signal === "SIGKILL") {
    return new SandboxDied("protocol", `the sandbox broke its protocol: ${broken.message}`);
  }
  return new SandboxDied("crash", `the sandbox process ended with status ${status.code}`);
}

function describeError(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
  };
}
