import assert from "node:assert/strict";
import { ModelError, unknownCall } from "../../../lib/model/model_error.ts";
import type { ModelReply, ModelRequest } from "../../../lib/model/model.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import { withRetries } from "../../../lib/model/retry.ts";
import { parseRetryAfter } from "../../../lib/model/retry_after.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { startFakeModelServer } from "../../support/fake_model_server.ts";
import { scriptedUsage } from "../../support/scripted_model.ts";

const reply: ModelReply = { text: "a", reasoning: undefined, finish: "stop", usage: scriptedUsage };
const broken = (): ModelError => new ModelError("model_server", "Cannot: x", { retryable: true });

const request: ModelRequest = {
  messages: [{ role: "user", content: "hi" }],
  caller: { agent: "0", depth: 0, call: 1 },
};

Deno.test("retry: an abort during the wait rejects at once with the signal's reason (E97)", async () => {
  const clock = fakeClock();
  const aborter = new AbortController();
  const why = new Error("ctrl-c");
  const running = withRetries(() => Promise.reject(broken()), {
    model: "m",
    signal: aborter.signal,
  }, { clock, random: () => 0 });
  const rejected = assert.rejects(running, (error) => error === why);
  await clock.untilAsleep(1000);
  aborter.abort(why);
  await rejected;
  assert.equal(clock.waiting, 0);
});

Deno.test("retry: an abort rejects at once although the model ignores its signal", async () => {
  const aborter = new AbortController();
  const why = new Error("ctrl-c");
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const running = withRetries(
    () => {
      start();
      return new Promise(() => {});
    },
    { model: "m", signal: aborter.signal },
    { clock: fakeClock() },
  );
  const rejected = assert.rejects(running, (error) => error === why);
  await started;
  aborter.abort(why);
  await rejected;
});

Deno.test("retry: an aborted signal makes no try", async () => {
  const why = new Error("early");
  let tries = 0;
  await assert.rejects(
    withRetries(
      () => {
        tries++;
        return Promise.resolve(reply);
      },
      { model: "m", signal: AbortSignal.abort(why) },
      { clock: fakeClock() },
    ),
    (error) => error === why,
  );
  assert.equal(tries, 0);
});

Deno.test("retry: each try has the whole time limit, and counts as a call of unknown size", async () => {
  const clock = fakeClock();
  let tries = 0;
  const seen: string[] = [];
  const running = withRetries(
    (signal) => {
      tries++;
      if (tries === 3) return Promise.resolve(reply);
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    },
    {
      model: "m",
      onRetry: ({ attempt, waitMs, reason }) => seen.push(`${attempt} ${waitMs} ${reason}`),
    },
    { clock, timeoutMs: 5000, random: () => 0 },
  );
  await clock.advance(4999);
  assert.equal(tries, 1);
  await clock.advance(1);
  await clock.untilAsleep(1000);
  await clock.advance(1000);
  while (tries < 2) await Promise.resolve();
  await clock.advance(5000);
  await clock.untilAsleep(2000);
  await clock.advance(2000);
  const { usage } = await running;
  assert.equal(tries, 3);
  assert.equal(usage.calls, 3);
  assert.equal(usage.unknownCalls, 2);
  assert.deepEqual(seen, [
    "1 1000 Cannot get a reply from m: none came within 5 s",
    "2 2000 Cannot get a reply from m: none came within 5 s",
  ]);
  assert.equal(clock.waiting, 0, "no timer is left behind");
});

Deno.test("retry: waits are spread by at most a quarter, and never beyond 30 s and a quarter", async () => {
  const clock = fakeClock({ autoAdvanceUpTo: 60_000 });
  await assert.rejects(
    withRetries(() => Promise.reject(broken()), { model: "m" }, {
      clock,
      maxRetries: 7,
      random: () => 1,
    }),
    /gave up after 8 tries/,
  );
  assert.deepEqual(
    clock.sleeps.filter((ms) => ms !== 600_000),
    [1250, 2500, 5000, 10_000, 20_000, 37_500, 37_500],
  );
});

Deno.test("retry: maxRetries 0 means one try", async () => {
  let tries = 0;
  await assert.rejects(
    withRetries(
      () => {
        tries++;
        return Promise.reject(broken());
      },
      { model: "m" },
      { clock: fakeClock(), maxRetries: 0 },
    ),
    /^ModelError: Cannot: x$/,
  );
  assert.equal(tries, 1);
});

Deno.test("retry: what charged tries used stands in the reply and in the error", async () => {
  const clock = fakeClock({ autoAdvanceUpTo: 60_000 });
  const charged = new ModelError("model_empty", "Cannot: y", {
    retryable: true,
    usage: unknownCall,
  });
  let tries = 0;
  const got = await withRetries(
    () => ++tries < 3 ? Promise.reject(charged) : Promise.resolve(reply),
    { model: "m" },
    { clock },
  );
  assert.deepEqual(got.usage, { ...scriptedUsage, calls: 3, unknownCalls: 2 });
  await assert.rejects(
    withRetries(() => Promise.reject(charged), { model: "m" }, { clock }),
    (error) => error instanceof ModelError && error.usage.calls === 4,
  );
});

Deno.test("retry: what is no ModelError is not tried again", async () => {
  let tries = 0;
  await assert.rejects(
    withRetries(
      () => {
        tries++;
        return Promise.reject(new RangeError("bug"));
      },
      { model: "m" },
      { clock: fakeClock() },
    ),
    RangeError,
  );
  assert.equal(tries, 1);
});

Deno.test("retry-after: both forms, and junk", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const table: readonly (readonly [string | null, number | undefined])[] = [
    ["2", 2000],
    [" 0 ", 0],
    ["1.5", 1500],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7000],
    ["Thursday, 01-Jan-26 00:00:07 GMT", 7000],
    ["Wed, 31 Dec 2025 23:59:59 GMT", 0],
    ["-3", undefined],
    ["soon", undefined],
    ["", undefined],
    ["1e9", undefined],
    [null, undefined],
  ];
  for (const [header, wanted] of table) {
    assert.equal(parseRetryAfter(header, now), wanted, String(header));
  }
});

for (const stream of [false, true]) {
  Deno.test(`abort during a call over the wire, ${stream ? "streaming" : "whole"}`, async () => {
    const never = new Promise<string>(() => {});
    await using server = startFakeModelServer([
      stream
        ? { chunks: ['data: {"choices":[{"delta":{"content":"half"}}]}\n\n', never] }
        : { gate: never },
    ]);
    const clock = fakeClock();
    const model = await resolveModel("m", {
      env: () => undefined,
      baseUrl: server.baseUrl,
      clock,
    });
    const aborter = new AbortController();
    const why = new Error("ctrl-c");
    const { promise: streaming, resolve: begun } = Promise.withResolvers<void>();
    const running = model.generate({
      ...request,
      signal: aborter.signal,
      ...(stream ? { onText: () => begun() } : {}),
    });
    const rejected = assert.rejects(running, (error) => error === why);
    await server.untilRequests(1);
    if (stream) await streaming;
    aborter.abort(why);
    await rejected;
    assert.equal(server.requests.length, 1);
    assert.equal(clock.waiting, 0);
  });
}

Deno.test("timeout over the wire: the next try gets its answer", async () => {
  await using server = startFakeModelServer([{ gate: new Promise(() => {}) }, "fine"]);
  const clock = fakeClock();
  const model = await resolveModel("m", {
    env: () => undefined,
    baseUrl: server.baseUrl,
    clock,
    timeoutSeconds: 5,
    random: () => 0,
  });
  const running = model.generate(request);
  await server.untilRequests(1);
  await clock.advance(5000);
  await clock.untilAsleep(1000);
  await clock.advance(1000);
  const { text, usage } = await running;
  assert.equal(text, "fine");
  assert.equal(usage.calls, 2);
  assert.equal(usage.unknownCalls, 1);
});
