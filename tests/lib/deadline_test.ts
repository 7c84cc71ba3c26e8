import assert from "node:assert/strict";
import type { Clock } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { deadline } from "../../lib/deadline.ts";
import { LimitError } from "../../lib/errors.ts";

Deno.test("a deadline aborts with a limit error when its time is up", async () => {
  const wait = Promise.withResolvers<void>();
  const asked: number[] = [];
  const clock: Clock = {
    now: () => 1_000,
    sleep: (ms) => {
      asked.push(ms);
      return wait.promise;
    },
  };
  const { signal } = deadline(6_000, clock, new AbortController().signal);
  assert.equal(signal.aborted, false);
  assert.deepEqual(asked, [5_000]);
  wait.resolve();
  await wait.promise;
  await Promise.resolve();
  assert.ok(signal.reason instanceof LimitError && signal.reason.limit === "maxSeconds");
  assert.match(signal.reason.message, /--max-seconds$/);
});

Deno.test("a deadline that has passed is aborted at once; none at all is the parent itself", () => {
  const parent = new AbortController();
  assert.ok(deadline(Date.now(), systemClock, parent.signal).signal.aborted);
  assert.equal(deadline(undefined, systemClock, parent.signal).signal, parent.signal);
});

Deno.test("a deadline ends with its parent, and leaves no timer when disposed", () => {
  const parent = new AbortController();
  {
    using end = deadline(Date.now() + 1e9, systemClock, parent.signal);
    parent.abort(new Error("stopped"));
    assert.match(String(end.signal.reason), /stopped/);
  } // Deno's own check finds a timer that is left
  deadline(Date.now() + 1e12, systemClock, parent.signal);
});
