/** A worker with a memory and no sandbox around it: runs code, sweeps, restores on request. */
import { createMemory } from "../../repl/sweep.ts";
import { decodeValue, encodeValue } from "../../repl/codec.ts";
import { connectEvaluator } from "../../repl/evaluate.ts";
import { withPristine } from "../../repl/intrinsics.ts";
import { describeValue } from "../../repl/preview.ts";
import type { StepProgram } from "../../repl/rewrite.ts";
import type { Snapshot } from "../../repl/snapshot.ts";
import { difference } from "./same.ts";

interface Scope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
}
interface Request {
  readonly id: number;
  readonly kind: "run" | "sweep" | "restore" | "check" | "clear";
  readonly step?: Pick<StepProgram, "code" | "hoisted" | "declared">;
  readonly snapshot?: Snapshot;
  readonly known?: readonly string[];
  readonly capBytes?: number;
  readonly commits?: readonly [string, string | undefined][];
  readonly name?: string;
}

const scope = globalThis as unknown as Scope;
const post = scope.postMessage.bind(globalThis);
// Tests replace them.
const NativeMap = Map;
const NativeSet = Set;
const evaluator = await connectEvaluator();
const memory = createMemory(evaluator, globalThis);
const host = {
  context: { text: "host" },
  FINAL: (value: unknown): unknown => value,
  encodeValue,
  decodeValue,
  describeValue,
  difference,
};
for (const [key, value] of Object.entries(host)) {
  Object.defineProperty(globalThis, key, { value, writable: true, configurable: true });
}
const first = new Set(Object.getOwnPropertyNames(globalThis));

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case "run": {
      const { code, hoisted, declared } = request.step!;
      // As the step loop does: a name that the step declares can be deleted again.
      for (const name of declared) {
        if (Object.getOwnPropertyDescriptor(globalThis, name)) continue;
        Object.defineProperty(globalThis, name, {
          value: undefined,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      const outcome = await evaluator.step({ code, hoisted, script: "step-1", timeoutMs: 10_000 });
      withPristine(() => [code, hoisted].forEach((text) => memory.ran(text)));
      if (outcome.kind === "thrown") throw outcome.value;
      const value = outcome.kind === "value" ? outcome.value : undefined;
      // A step's value may be anything; only what posts safely is of interest to a test.
      return ["object", "function", "symbol"].includes(typeof value) ? undefined : value;
    }
    case "sweep": {
      const known = new NativeSet(request.known);
      const snapshot = await memory.sweep({
        known: (id) => known.has(id),
        skip: first,
        commits: new NativeMap(request.commits),
        ...(request.capBytes === undefined ? {} : { capBytes: request.capBytes }),
      });
      return snapshot;
    }
    case "restore":
      return await memory.restore(request.snapshot as Snapshot);
    case "check":
      return memory.check(request.name as string);
    case "clear":
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        if (!first.has(name)) Reflect.deleteProperty(globalThis, name);
      }
      return undefined;
  }
}

scope.onmessage = async ({ data }) => {
  try {
    post({ id: data.id, value: await answer(data) });
  } catch (error) {
    post({ id: data.id, error: error instanceof Error ? String(error.stack) : String(error) });
  }
};
post({ id: 0 });
