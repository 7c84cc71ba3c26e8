/**
 * One step in the worker: names put back, code evaluated, output, errors and leftovers gathered.
 */
import type { Bridge } from "./bridge.ts";
import type { Inspect, OutputCapture } from "./console.ts";
import { holdPristine, putVitalBack, withPristine } from "./intrinsics.ts";
import type { Evaluation, Evaluator } from "./evaluate.ts";
import type { LateFailure } from "./lockdown.ts";
import type { FinalValue, ReplNames } from "./repl_names.ts";
import type { StepError, StepReport } from "./protocol.ts";
import type { Timers } from "./timers.ts";

/** What a step is made of. */
export interface StepParts {
  readonly global: Record<PropertyKey, unknown>;
  readonly evaluator: Evaluator;
  readonly bridge: Bridge;
  readonly names: ReplNames;
  readonly timers: Timers;
  readonly capture: OutputCapture;
  readonly inspect: Inspect;
  /** Whether a committed name can be saved: the reason why not. */
  readonly check: (name: string) => string | undefined;
  /** Takes note of the text that a step ran; called while the built-ins are whole. */
  readonly ran: (code: string) => void;
}

/** A step as the host sends it. */
export interface StepCommand {
  readonly step: number;
  readonly code: string;
  /** Functions of a step that awaits, defined before its code runs. */
  readonly hoisted?: string;
  /** Top-level names the code declares. */
  readonly declared: readonly string[];
  /** Milliseconds that synchronous code may run. */
  readonly timeoutMs: number;
}

const MAX_ECHO = 2_000;
const MAX_NOTICES = 12;
const MAX_MESSAGE = 2_000;
const FRAME = /^\s+at (?:(.*) \()?((?:step|saved)-[^:()]*):(\d+):(\d+)\)?$/;
const { defineProperty, getOwnPropertyDescriptor } = Object;
const NativeString = String;
const NativePromise = Promise;
const slice = Function.prototype.call.bind(String.prototype.slice) as (
  text: string,
  from: number,
  to: number,
) => string;

/** A step's report and the value of its FINAL. */
export interface StepResult {
  readonly report: StepReport;
  readonly final: FinalValue | undefined;
}

/** Runs steps; one at a time. */
export interface StepRunner {
  /**
   * Runs one. While the built-ins are whole, which is the larger part of a small step and done once,
   * `report` is handed what came of it, and the names of the built-ins that the agent replaced.
   */
  run(
    command: StepCommand,
    report: (result: StepResult, replaced: readonly string[]) => void | Promise<void>,
  ): Promise<void>;
  /** Ends the step that is waiting for something that does not come. */
  abandon(): void;
  /** Puts back the built-ins that the worker cannot do without, and tells the agent. */
  mend(): void;
  /** Takes note of a failure that nobody awaited. */
  late(failure: LateFailure): void;
}

/** Creates the runner of a worker. */
export function createStepRunner(parts: StepParts): StepRunner {
  const { global, evaluator, bridge, names, timers, capture } = parts;
  let notices: string[] = [];
  let moreNotices = 0;
  let giveUp: (() => void) | undefined;
  let abandoned = false;
  const notice = (line: string) => {
    if (notices.length < MAX_NOTICES) notices[notices.length] = slice(line, 0, MAX_MESSAGE);
    else moreNotices++;
  };
  const takeNotices = (): string[] => {
    const taken = notices;
    if (moreNotices > 0) taken[taken.length] = `… ${moreNotices} more of these`;
    notices = [];
    moreNotices = 0;
    return taken;
  };

  /**
   * A name declared by the step is a configurable property, so that it can be deleted again. Uses
   * nothing that agent code could have replaced.
   */
  const declare = (declared: readonly string[]): string[] => {
    const created: string[] = [];
    for (let i = 0; i < declared.length; i++) {
      const name = declared[i]!;
      if (getOwnPropertyDescriptor(global, name)) continue;
      defineProperty(global, name, {
        value: undefined,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      created[created.length] = name;
    }
    return created;
  };

  /** Waits for work, or for the end of all patience. Only `await`, which agent code cannot patch. */
  const orAbandoned = <T>(work: Promise<T>): Promise<T | undefined> =>
    new NativePromise((resolve, reject) => {
      giveUp = () => resolve(undefined);
      void (async () => {
        try {
          resolve(await work);
        } catch (error) {
          reject(error);
        }
      })();
    });

  const settle = async (evaluation: Promise<Evaluation>): Promise<Evaluation> => {
    const outcome = await orAbandoned(evaluation) ?? { kind: "interrupted" };
    // Calls that were started and not awaited have been paid for: the step ends when they have, and
    // those have that code waiting for them went on to make.
    do {
      if (outcome.kind !== "interrupted") await orAbandoned(bridge.settled());
      await timers.turn();
    } while (outcome.kind !== "interrupted" && bridge.outstanding() > 0 && !abandoned);
    giveUp = undefined;
    return outcome;
  };

  const mend = () => {
    const replaced = putVitalBack();
    for (let i = 0; i < replaced.length; i++) {
      notice(`${replaced[i]}: the REPL needs it; your change was undone`);
    }
  };

  return {
    mend,
    abandon() {
      abandoned = true;
      giveUp?.();
    },
    late: (failure) =>
      withPristine(() =>
        notice(
          `${failure.kind === "rejection" ? "Unhandled rejection" : "Uncaught error"}: ${
            headline(failure.value, parts.inspect)
          }`,
        )
      ),
    async run({ step, code, hoisted = "", declared, timeoutMs }, report) {
      abandoned = false;
      names.restore();
      const created = declare(declared);
      bridge.open = true;
      const evaluation = evaluator.step({ code, hoisted, script: `step-${step}`, timeoutMs });
      // What the code did up to its first await: the worker is to hear the answers that it waits for.
      mend();
      const outcome = await settle(evaluation);
      mend();
      const hold = holdPristine();
      try {
        parts.ran(code);
        if (hoisted !== "") parts.ran(hoisted);
        const result = gather(outcome, created);
        bridge.open = false;
        await report(result, hold.replaced);
      } finally {
        bridge.open = false;
        hold.release();
      }
    },
  };

  /** What the step came to; runs while the built-ins are whole. */
  function gather(outcome: Evaluation, created: readonly string[]): StepResult {
    const cancelled = timers.cancelAll();
    if (cancelled > 0) {
      const timersWere = cancelled === 1 ? "timer was" : "timers were";
      notice(`${cancelled} pending ${timersWere} cancelled at the end of the step`);
    }
    const replaced = names.restore();
    if (replaced.length > 0) {
      notice(
        `${
          replaced.join(", ")
        }: reserved by the REPL; your assignment was undone, use another name`,
      );
    }
    for (const name of names.takeUnchecked()) {
      const reason = parts.check(name);
      if (reason !== undefined) notice(`commit("${name}"): cannot be saved: ${reason}`);
    }
    if (outcome.kind !== "value") {
      for (const name of created) {
        const descriptor = getOwnPropertyDescriptor(global, name);
        if (descriptor && descriptor.value === undefined) delete global[name];
      }
    }
    const output = capture.take();
    const final = names.takeFinal();
    const echo = outcome.kind === "value" && outcome.hasValue && output.chars === 0 && !final
      ? echoOf(outcome.value, parts.inspect)
      : undefined;
    const report: StepReport = {
      output,
      notices: takeNotices(),
      ...(echo === undefined ? {} : { echo }),
      ...(outcome.kind === "thrown" ? { error: errorOf(outcome.value, parts.inspect) } : {}),
      ...(outcome.kind === "interrupted" ? { interrupted: true } : {}),
      ...(final ? { final: { form: final.form, loss: final.loss } } : {}),
    };
    return { report, final };
  }
}

function echoOf(value: unknown, inspect: Inspect): string {
  const shown = typeof value === "string" ? value : inspect(value);
  return shown.length > MAX_ECHO
    ? `${shown.slice(0, MAX_ECHO)}… (${shown.length - MAX_ECHO} more characters)`
    : shown;
}

function headline(value: unknown, inspect: Inspect): string {
  const { name, message, frames } = errorOf(value, inspect);
  const at = frames[0] ? ` (${frames[0].script}:${frames[0].line}:${frames[0].column})` : "";
  return `${name}: ${message}${at}`;
}

/** Reads an error without trusting it: any part may be missing, huge, or throw. */
export function errorOf(value: unknown, inspect: Inspect): StepError {
  try {
    if (value instanceof Error) {
      return {
        name: cut(value.name, 100),
        message: cut(value.message, MAX_MESSAGE),
        frames: framesOf(value.stack),
      };
    }
  } catch {
    return { name: "Error", message: "an error that cannot be read", frames: [] };
  }
  return { name: "Thrown", message: cut(inspect(value), MAX_MESSAGE), frames: [] };
}

function cut(value: unknown, limit: number): string {
  const shown = typeof value === "string" ? value : NativeString(value);
  return shown.length > limit ? `${shown.slice(0, limit)}…` : shown;
}

function framesOf(stack: unknown): StepError["frames"] {
  if (typeof stack !== "string") return [];
  const frames: StepError["frames"][number][] = [];
  for (const line of stack.slice(0, 20_000).split("\n")) {
    const match = FRAME.exec(line);
    if (!match) continue;
    frames.push({
      fn: match[1] ?? "",
      script: match[2]!,
      line: Number(match[3]),
      column: Number(match[4]),
    });
    if (frames.length === 8) break;
  }
  return frames;
}
