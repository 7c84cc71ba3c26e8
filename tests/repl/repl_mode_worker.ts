/// <reference lib="deno.worker" />
// Evaluates what it is sent as V8's replMode does: the semantics that rewriteStep counts on.
import { Session } from "node:inspector";

interface Evaluation {
  readonly result: { readonly value?: unknown; readonly type: string };
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
}

(globalThis as Record<string, unknown>)["__await"] = (value: unknown) => value;

const session = new Session();
session.connect();

self.addEventListener("message", (event) => {
  const { data: expression } = event as MessageEvent<string>;
  const parameters = { expression, replMode: true, awaitPromise: true, returnByValue: true };
  session.post("Runtime.evaluate", parameters, (error, reply) => {
    const { result, exceptionDetails } = reply as unknown as Evaluation;
    const message = error?.message ?? exceptionDetails?.exception?.description;
    const [, line, column] = /<anonymous>:(\d+):(\d+)/.exec(message ?? "") ?? [];
    postMessage({
      value: result?.value,
      error: message?.split("\n")[0],
      line: Number(line),
      column: Number(column),
    });
  });
});
