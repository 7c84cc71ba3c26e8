/// <reference lib="deno.worker" />
// Evaluates what it is sent with the engine's evaluator, and nothing else of the engine around it.
import { connectEvaluator } from "../../repl/evaluate.ts";

const evaluator = await connectEvaluator();

self.addEventListener("message", async (event) => {
  const { code, hoisted } = (event as MessageEvent<{ code: string; hoisted: string }>).data;
  const outcome = await evaluator.step({ code, hoisted, script: "step-1", timeoutMs: 10_000 });
  if (outcome.kind === "value") {
    // Functions cannot be sent; no test asks for one.
    const value = typeof outcome.value === "function" ? {} : outcome.value;
    return postMessage({ value });
  }
  if (outcome.kind === "interrupted") return postMessage({ error: "interrupted" });
  const thrown = outcome.value;
  const stack = thrown instanceof Error ? thrown.stack ?? "" : "";
  const [, line, column] = /<anonymous>:(\d+):(\d+)/.exec(stack) ?? [];
  postMessage({ error: String(thrown), line: Number(line), column: Number(column) });
});
postMessage("ready");
