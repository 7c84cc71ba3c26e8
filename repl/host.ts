/**
 * The host's end of a sandbox: starts the process, asks it one thing at a time, answers its calls,
 * and says how it ended. Nothing that the process sends is trusted.
 */
import type { Body } from "./body.ts";
import {
  checkCount,
  checkDescription,
  checkFailed,
  checkForm,
  checkObject,
  checkReport,
  checkText,
} from "./check.ts";
import {
  type ContextDescription,
  encodeHead,
  type Frame,
  type Header,
  MAX_CALL_HEADER_BYTES,
  ProtocolError,
  readFrames,
  type ReplSetup,
  SECRET_BYTES,
  SECRETS_BYTES,
  sourceOf,
} from "./protocol.ts";
import { deathOf, SandboxDied } from "./death.ts";
import { type KnownChange, ToldPayloads } from "./known.ts";
import { restoreReport } from "./restore_report.ts";
import { packRestore, unpackSnapshot } from "./snapshot_frame.ts";
import type { RestoreReport, Snapshot } from "./snapshot.ts";
import { sandboxCommand } from "./spawn.ts";

import type {
  CallHandler,
  EvaluatedStep,
  SandboxOptions,
  StepRequest,
  SweepRequest,
} from "./requests.ts";

export { type DeathReason, SandboxDied } from "./death.ts";
export type * from "./requests.ts";

/** A call may not leave more than this many others waiting. */
const MAX_OUTSTANDING = 10_000;
/** How often the host looks at the clock; time counts in these, so that a host that slept is no sandbox that is silent. */
const TICK_MS = 1_000;
/** A relay says every second that it lives; one that says nothing for so long is ended. */
const SILENCE_TICKS = 15;
/** Longest time from start to ready. */
const START_TICKS = 60;
/** A request that is no step and takes longer than this is broken. */
const STATE_TICKS = 120;
/** What a step may take above its limit until the relay must have ended it. */
const STEP_GRACE_TICKS = 15;

/** Milliseconds that a restore may take: for its definitions, and a second for each megabyte. */
const RESTORE_MS = 20_000;
const RESTORE_MS_PER_BYTE = 1e-3;

interface Waiter {
  readonly isStep: boolean;
  /** Ticks that are left, not counting those in which a step waits for its calls. */
  ticks: number;
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

/** A REPL in a process of its own. */
export class Sandbox implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #secrets = crypto.getRandomValues(new Uint8Array(SECRETS_BYTES));
  readonly #waiters = new Map<number, Waiter>();
  readonly #open = new Set<number>();
  readonly #abort = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #writing: Promise<void> = Promise.resolve();
  #death: SandboxDied | undefined;
  #next = 1;
  #lastCall = 0;
  #isReady = false;
  readonly #toldPayloads = new ToldPayloads();
  #silent = 0;
  #maxOutput = 0;
  #onCall: CallHandler | undefined;

  /** Starts the process; it gets ready while the caller does other things. */
  constructor(private readonly options: SandboxOptions) {
    const command = options.command ?? sandboxCommand(options.memoryLimitMb);
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
    this.#writing = this.#writer.write(this.#secrets).catch(() => {});
    this.#ended = this.#run();
    void this.#watch(options.sleep ?? sleep);
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
      // The limit is for what code uses; while the context is decoded it exists several times.
      memoryLimitMb: this.options.memoryLimitMb + CONTEXT_COPIES * context.bytes.length / 2 ** 20,
    }, context.bytes);
    return this.#checked(() => checkDescription(header["description"]));
  }

  /**
   * Evaluates a step. Ends when its code, and the calls it started, have ended.
   *
   * @param sweep begun when the step has ended, without another word from here
   */
  async evaluate(request: StepRequest, sweep?: SweepRequest): Promise<EvaluatedStep> {
    if (this.#death) throw this.#death;
    const later = sweep && this.#expect(false, STATE_TICKS);
    const swept = later?.frame.then((frame) => this.#snapshotIn(frame));
    swept?.catch(() => {}); // Told to who awaits it.
    const step = {
      kind: "eval",
      ...request,
      ...(later && { sweep: { ...this.#told(sweep), id: later.id } }),
    };
    const { header, body } = await this.#ask(step, NOTHING);
    const { report, activeMs } = this.#checked(() => ({
      report: checkReport(header, this.#maxOutput),
      activeMs: checkCount(header["activeMs"] ?? 0, "activeMs"),
    }));
    return {
      ...report,
      activeMs,
      ...(report.final ? { finalValue: { form: report.final.form, bytes: body } } : {}),
      ...(swept ? { swept } : {}),
    };
  }

  /**
   * Puts saved state back. Definitions are re-executed with host calls disabled.
   *
   * @param onSent called when all is on its way and the caller has nothing to do but wait
   */
  async restore(snapshot: Snapshot, onSent?: () => void): Promise<RestoreReport> {
    await this.#ready.promise;
    const { header, body } = packRestore(snapshot);
    const timeoutMs = RESTORE_MS + lengthOf(body) * RESTORE_MS_PER_BYTE;
    const asked = this.#ask({ kind: "restore", snapshot: header, timeoutMs }, body);
    void this.#writing.then(onSent).catch(() => {});
    const reply = await asked;
    return restoreReport(snapshot, this.#checked(() => checkFailed(reply.header["failed"])));
  }

  /** Takes the REPL's globals out. */
  async sweep(request: SweepRequest): Promise<Snapshot> {
    return this.#snapshotIn(await this.#ask({ kind: "sweep", ...this.#told(request) }, NOTHING));
  }

  #told({ capBytes, known }: SweepRequest): { readonly capBytes: number } & KnownChange {
    return { capBytes, ...this.#toldPayloads.change(known) };
  }

  #snapshotIn({ header, body }: Frame): Snapshot {
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
      const secret = this.#secrets.subarray(0, SECRET_BYTES);
      for await (const frame of readFrames(sourceOf(this.#child.stdout), secret)) {
        this.#receive(frame);
      }
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
    }
    // Also one that has closed its output and lives on.
    kill(this.#child);
    const status = await this.#child.status;
    this.#end(deathOf(status, broken));
    await this.#writer.abort().catch(() => {});
  }

  async #watch(sleep: NonNullable<SandboxOptions["sleep"]>): Promise<void> {
    for (let age = 1; this.#death === undefined; age++) {
      try {
        await sleep(TICK_MS, this.#abort.signal);
      } catch {
        return;
      }
      if (!this.#isReady) {
        if (age > START_TICKS) this.#end(new SandboxDied("silence", "the sandbox did not start"));
        continue;
      }
      if (++this.#silent > SILENCE_TICKS) {
        this.#end(new SandboxDied("silence", "the sandbox fell silent"));
      }
      const stepping = this.#isStepping;
      for (const waiter of this.#waiters.values()) {
        // A step waits for its calls, and a sweep for its step.
        if (waiter.isStep ? this.#open.size > 0 : stepping) continue;
        if (--waiter.ticks >= 0) continue;
        const what = waiter.isStep ? "the step" : "setting up, saving or restoring";
        this.#end(new SandboxDied("timeout", `${what} took too long`));
      }
    }
  }

  #end(death: SandboxDied): void {
    if (this.#death) return;
    this.#death = death;
    kill(this.#child);
    // Without its input it ends by itself, should the signal have met another process in between.
    this.#writer.abort().catch(() => {});
    this.#ready.reject(death);
    this.#abort.abort(death);
    for (const waiter of this.#waiters.values()) waiter.reject(death);
    this.#waiters.clear();
  }

  #receive(frame: Frame): void {
    const { header } = frame;
    this.#silent = 0;
    if (header.kind === "ready" && !this.#isReady) {
      this.#isReady = true;
      return this.#ready.resolve();
    }
    if (!this.#isReady) throw new ProtocolError("a frame before the sandbox was ready");
    if (header.kind === "beat") return;
    if (header.kind === "call") return this.#serve(frame);
    if (header.kind !== "result") throw new ProtocolError("unknown kind of frame");
    const id = header["id"];
    const waiter = typeof id === "number" ? this.#waiters.get(id) : undefined;
    if (!waiter) throw new ProtocolError("a result that nobody asked for");
    this.#waiters.delete(id as number);
    if (header["failure"] === undefined) return waiter.resolve(frame);
    const failure = checkText(header["failure"], "failure", 2_000);
    if (!waiter.isStep) return waiter.reject(new Error(failure));
    // Code never makes a step fail: what failed is the REPL itself, and a fresh one goes on.
    this.#end(new SandboxDied("crash", `the REPL failed: ${failure}`));
    waiter.reject(this.#death!);
  }

  #serve({ header, headerBytes, body }: Frame): void {
    if (headerBytes > MAX_CALL_HEADER_BYTES) {
      throw new ProtocolError("a call with too many options");
    }
    if (!this.#isStepping) {
      throw new ProtocolError("a call while no step runs");
    }
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
    const onCall = this.#onCall;
    const served = Promise.try(() => onCall({ name, options, value, signal: this.#abort.signal }));
    served.then(
      (result) => answer({ ok: true, form: result.form }, result.bytes),
      (error: unknown) => answer({ ok: false, error: describeError(error) }, NOTHING),
    );
  }

  #ask(header: Header, body: Uint8Array | readonly Uint8Array[]): Promise<Frame> {
    if (this.#death) return Promise.reject(this.#death);
    const isStep = header.kind === "eval";
    const ticks = isStep
      ? Math.ceil(Number(header["timeoutMs"]) / TICK_MS) + STEP_GRACE_TICKS
      : STATE_TICKS;
    const { id, frame } = this.#expect(isStep, ticks);
    this.#write({ ...header, id }, body);
    return frame;
  }

  #expect(isStep: boolean, ticks: number): { id: number; frame: Promise<Frame> } {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#waiters.set(id, { isStep, ticks, resolve, reject });
    return { id, frame: promise };
  }

  get #isStepping(): boolean {
    return [...this.#waiters.values()].some(({ isStep }) => isStep);
  }

  #write(header: Header, body: Uint8Array | readonly Uint8Array[]): void {
    const parts = body instanceof Uint8Array ? [body] : body;
    const head = encodeHead(this.#secrets.subarray(SECRET_BYTES), header, lengthOf(parts));
    this.#writing = this.#writing.then(async () => {
      for (const part of [head, ...parts]) {
        if (part.length > 0) await this.#writer.write(part);
      }
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
}

/** Sizes of a context, in its UTF-8 bytes, that decoding may take at once: UTF-16 is up to twice. */
const CONTEXT_COPIES = 5;
const NOTHING = new Uint8Array(0);

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
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
