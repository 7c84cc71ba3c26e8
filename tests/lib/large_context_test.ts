/** Contexts that are large for their sandbox. */
import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { RlmError } from "../../mod.ts";
import { js, play } from "../support/play.ts";

Deno.test("a context larger than half the memory limit still fits: the limit is for what code uses", async () => {
  const line = "語 and words of a line that says something\n";
  const context = line.repeat(1_200_000);
  const { result } = await play([
    js("FINAL([context.length, context.slice(-43).trim(), context.indexOf('nowhere')])"),
  ], { context, memoryLimitMb: 160 });
  deepStrictEqual(result, [context.length, line.trim(), -1]);
});

Deno.test("a context that no sandbox of this limit can hold is named with its size and the way out", async () => {
  const context = Array.from({ length: 400_000 }, (_, id) => ({ id, tags: [id, [id]] }));
  await rejects(play([js("FINAL(1)")], { context, memoryLimitMb: 64 }), (error: unknown) => {
    ok(error instanceof RlmError);
    match(
      error.message,
      /^Cannot start a sandbox with a context of [\d.]+ MB: .*memoryLimitMb is 64, raise it with --memory-limit/,
    );
    return error.code === "sandbox";
  });
});
