/**
 * Evaluation through the inspector of the worker's own isolate: native top-level await, completion
 * values, interruption of endless loops with variables intact, and a view into closures.
 */
import { Session } from "node:inspector";
import { isPromise } from "./intrinsics.ts";
import { NO_IMPORT } from "./guards.ts";

/** A value as the inspector describes it. */
export type RemoteObject = Record<string, unknown>;

/** What an evaluation came to. */
export type Evaluation =
  | { readonly kind: "value"; readonly value: unknown; readonly hasValue: boolean }
  | { readonly kind: "thrown"; readonly value: unknown }
  /** The synchronous part ran longer than its time limit and was interrupted. */
  | { readonly kind: "interrupted" };

/** A step as it is evaluated. */
export interface StepScript {
  readonly code: string;
  /** Functions that are defined before `code` runs; empty where there are none. */
  readonly hoisted: string;
  /** What stacks call the script. */
  readonly script: string;
  /** Milliseconds that synchronous code may run. */
  readonly timeoutMs: number;
}

/** The inspector, as the sweep, the restore and the step loop use it. */
export interface Evaluator {
  /** Raw inspector call; resolves to its result; rejects on an inspector error. */
  post(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Calls back for each event of a method until the returned function is called. */
  on(method: string, listener: (params: Record<string, unknown>) => void): () => void;
  /** Evaluates synchronous code in global scope; returns the live value, throws what it threw. */
  evaluate(code: string, timeoutMs: number): Promise<unknown>;
  /** Evaluates one step: top-level await, names persist, the completion value comes back live. */
  step(script: StepScript): Promise<Evaluation>;
  /** Inspector object id of a live object or function. */
  handle(value: unknown): Promise<string>;
  /** Live value of an inspector remote object; a thenable is taken for a promise of its value. */
  value(remote: RemoteObject): Promise<unknown>;
  /** The same in a box, so that nothing calls the `then` of a live value. */
  live(remote: RemoteObject): Promise<{ readonly value: unknown }>;
}

/** Thrown when synchronous code was interrupted by its time limit. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
  constructor() {
    super("the code ran longer than its time limit");
  }
}

const { call } = Function.prototype;
const includes = call.bind(String.prototype.includes) as (text: string, part: string) => boolean;
const replaceAll = call.bind(String.prototype.replaceAll) as (
  text: string,
  part: string,
  by: string,
) => string;
const NativeTypeError = TypeError;
const { construct } = Reflect;
/** Compile a text as a function's body, without running it; taken before they are guarded. */
const compilers = [(async () => {}).constructor, Function];

/**
 * Refuses code that holds the keyword `import`. V8 itself is asked, with a text in which the keyword
 * could not be written; anywhere else (strings, comments, property names) the escape means the same.
 */
function refuseImport(code: string): void {
  if (!includes(code, "import")) return;
  const escaped = replaceAll(code, "import", "im\\u0070ort");
  for (let i = 0; i < compilers.length; i++) {
    try {
      return void construct(compilers[i]!, [escaped]);
    } catch {
      // The keyword, or code that is no such body.
    }
  }
  throw new NativeTypeError(NO_IMPORT);
}

type Callback = (error: Error | null, result: Record<string, unknown>) => void;
type EventListener = (event: { readonly params: Record<string, unknown> }) => void;
interface RawSession {
  connect(): void;
  post(method: string, params: Record<string, unknown>, callback: Callback): void;
  on(event: string, listener: EventListener): void;
  removeListener(event: string, listener: EventListener): void;
}

/** What V8 answers when an evaluation was terminated. */
const TERMINATED = "Execution was terminated";

const argument = (remote: RemoteObject): Record<string, unknown> =>
  "objectId" in remote
    ? { objectId: remote["objectId"] }
    : "unserializableValue" in remote
    ? { unserializableValue: remote["unserializableValue"] }
    : "value" in remote
    ? { value: remote["value"] }
    : {};

/**
 * Connects to the inspector of this worker. Needs the `sys: ["inspector"]` permission at the moment
 * of the call only; the caller revokes it afterwards.
 */
export async function connectEvaluator(): Promise<Evaluator> {
  const session = new Session() as unknown as RawSession;
  session.connect();
  // Held in locals: agent code may replace Promise or patch its prototype.
  const NativePromise = Promise;
  const post: Evaluator["post"] = (method, params = {}) =>
    new NativePromise((resolve, reject) => {
      session.post(method, params, (error, result) => error ? reject(error) : resolve(result));
    });

  const on: Evaluator["on"] = (method, listener) => {
    const heard: EventListener = ({ params }) => listener(params);
    session.on(method, heard);
    return () => session.removeListener(method, heard);
  };

  let received: unknown;
  const sink = (value: unknown) => void (received = value);
  let offered: unknown;
  const source = () => offered;

  const key = "__fast_rlm_boot";
  const scope = globalThis as unknown as Record<string, unknown>;
  const idOf = async (fn: unknown): Promise<string> => {
    scope[key] = fn;
    const { result } = await post("Runtime.evaluate", { expression: key }) as {
      result: { objectId: string };
    };
    delete scope[key];
    return result.objectId;
  };
  const sinkId = await idOf(sink);
  const sourceId = await idOf(source);

  const live: Evaluator["live"] = async (remote) => {
    if (!("objectId" in remote)) {
      if (remote["type"] === "undefined") return { value: undefined };
      if (remote["subtype"] === "null") return { value: null };
      if ("value" in remote) return { value: remote["value"] };
    }
    await post("Runtime.callFunctionOn", {
      objectId: sinkId,
      functionDeclaration: "function(v){this(v)}",
      arguments: [argument(remote)],
    });
    const value = received;
    received = undefined;
    return { value };
  };
  const handle: Evaluator["handle"] = async (value) => {
    offered = value;
    const { result } = await post("Runtime.callFunctionOn", {
      objectId: sourceId,
      functionDeclaration: "function(){return this()}",
    }) as { result: RemoteObject };
    offered = undefined;
    const id = result["objectId"];
    if (typeof id !== "string") throw new TypeError("only objects and functions have a handle");
    return id;
  };

  const run = async (params: Record<string, unknown>): Promise<Evaluation> => {
    try {
      refuseImport(params["expression"] as string);
    } catch (error) {
      return { kind: "thrown", value: error };
    }
    let reply: { result: RemoteObject; exceptionDetails?: { exception?: RemoteObject } };
    try {
      reply = await post("Runtime.evaluate", {
        ...params,
        objectGroup: "step",
        silent: true,
      }) as unknown as typeof reply;
    } catch (error) {
      if (includes(`${error}`, TERMINATED)) return { kind: "interrupted" };
      throw error;
    }
    try {
      if (reply.exceptionDetails) {
        const remote = reply.exceptionDetails.exception ?? reply.result;
        return { kind: "thrown", ...await live(remote) };
      }
      const hasValue = reply.result["type"] !== "undefined";
      return { kind: "value", ...await live(reply.result), hasValue };
    } finally {
      // A primitive is held by nobody: a call less for most steps.
      if (reply.exceptionDetails || "objectId" in reply.result) {
        await post("Runtime.releaseObjectGroup", { objectGroup: "step" });
      }
    }
  };

  return {
    post,
    on,
    handle,
    live,
    value: async (remote) => (await live(remote)).value,
    step: async ({ code, hoisted, script, timeoutMs }) => {
      const evaluate = (text: string) =>
        run({ expression: `${text}\n//# sourceURL=${script}`, timeout: timeoutMs });
      if (hoisted !== "") {
        const defined = await evaluate(hoisted);
        if (defined.kind !== "value") return defined;
      }
      const outcome = await evaluate(code);
      if (outcome.kind !== "value" || !isPromise(outcome.value)) return outcome;
      // Awaited here and not by the inspector, see async_step.ts.
      try {
        const value = await outcome.value;
        return { kind: "value", value, hasValue: value !== undefined };
      } catch (error) {
        return { kind: "thrown", value: error };
      }
    },
    evaluate: async (code, timeoutMs) => {
      const outcome = await run({ expression: code, timeout: timeoutMs });
      if (outcome.kind === "interrupted") throw new InterruptedError();
      if (outcome.kind === "thrown") throw outcome.value;
      return outcome.value;
    },
  };
}
