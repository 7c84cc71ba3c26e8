import { deepStrictEqual } from "node:assert/strict";
import { deferredSink } from "../../lib/deferred_sink.ts";
import type { RunEvent } from "../../lib/events.ts";

const warning = (message: string): RunEvent => ({
  type: "warning",
  message,
  time: 0,
  agent: { runId: "r", path: "0", depth: 0, model: "m" },
});

Deno.test("events are handed on in order, a moment later or when asked", async () => {
  const got: string[] = [];
  const done = Promise.withResolvers<void>();
  const { sink, flush } = deferredSink((event) => {
    if (event.type !== "warning") return;
    got.push(event.message);
    if (event.message === "d") done.resolve();
  });
  sink(warning("a"));
  sink(warning("b"));
  deepStrictEqual(got, []);
  flush();
  deepStrictEqual(got, ["a", "b"]);
  flush();
  sink(warning("c"));
  sink(warning("d"));
  await done.promise;
  deepStrictEqual(got, ["a", "b", "c", "d"]);
});
