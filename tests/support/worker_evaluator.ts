import { Session } from "node:inspector";
import type { ListeningEvaluator } from "../../repl/contexts.ts";

type Reply = Record<string, unknown>;
type Callback = (error: { message?: string } | null, result: Reply) => void;
interface RawSession {
  connect(): void;
  post(method: string, params: Reply, callback: Callback): void;
  on(event: string, listener: (message: { params: Reply }) => void): void;
  removeListener(event: string, listener: (message: { params: Reply }) => void): void;
}

/** What the memory needs of an evaluator, and a way to run a step. */
export interface TestEvaluator extends ListeningEvaluator {
  /** Runs a step in replMode; its value is boxed, so that nothing calls its `then`. */
  step(code: string): Promise<{ readonly value: unknown }>;
}

/** An evaluator for tests of the memory alone: the inspector of this worker and nothing else. */
export async function testEvaluator(): Promise<TestEvaluator> {
  // Agent code may replace it.
  const NativePromise = Promise;
  const session = new Session() as unknown as RawSession;
  session.connect();
  const post = (method: string, params: Reply = {}): Promise<Reply> =>
    new NativePromise((resolve, reject) => {
      session.post(
        method,
        params,
        (error, result) => error ? reject(new Error(error.message)) : resolve(result),
      );
    });
  let received: unknown;
  let offered: unknown;
  const ids = async (fn: unknown): Promise<string> => {
    const scope = globalThis as unknown as Reply;
    scope["__boot"] = fn;
    const reply = await post("Runtime.evaluate", { expression: "__boot" });
    delete scope["__boot"];
    return (reply["result"] as { objectId: string }).objectId;
  };
  const sink = await ids((value: unknown) => void (received = value));
  const source = await ids(() => offered);

  const value = async (remote: Reply): Promise<unknown> => {
    if (!("objectId" in remote)) {
      if ("value" in remote) return remote["value"];
      if (!("unserializableValue" in remote)) return undefined;
    }
    const argument = "objectId" in remote
      ? { objectId: remote["objectId"] }
      : { unserializableValue: remote["unserializableValue"] };
    await post("Runtime.callFunctionOn", {
      objectId: sink,
      functionDeclaration: "function(v){this(v)}",
      arguments: [argument],
    });
    return received;
  };
  const run = async (params: Reply): Promise<unknown> => {
    const reply = await post("Runtime.evaluate", params);
    const thrown = reply["exceptionDetails"] as { exception?: Reply } | undefined;
    if (thrown) throw await value(thrown.exception ?? {});
    return await value(reply["result"] as Reply);
  };
  return {
    post,
    value,
    handle: async (live) => {
      offered = live;
      const reply = await post("Runtime.callFunctionOn", {
        objectId: source,
        functionDeclaration: "function(){return this()}",
      });
      return (reply["result"] as { objectId: string }).objectId;
    },
    evaluate: (code, timeoutMs) => run({ expression: code, timeout: timeoutMs }),
    step: async (expression) => ({
      value: await run({ expression, replMode: true, awaitPromise: true, timeout: 10_000 }),
    }),
    on(event, listener) {
      const wrapped = ({ params }: { params: Reply }): void => listener(params);
      session.on(event, wrapped);
      return () => session.removeListener(event, wrapped);
    },
  };
}
