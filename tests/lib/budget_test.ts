import assert from "node:assert/strict";
import fc from "fast-check";
import { Budget, type Limits, type Reservation, roughTokens } from "../../lib/budget.ts";
import { limitMessage } from "../../lib/budget/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { LimitError, RlmError } from "../../lib/errors.ts";
import { noUsage, type Usage } from "../../lib/model/usage.ts";

const used = (cost: number | undefined, prompt = 100, completion = 10): Usage => ({
  ...noUsage,
  promptTokens: prompt,
  completionTokens: completion,
  totalTokens: prompt + completion,
  cost,
  calls: 1,
});

const call = { model: "m", promptTokens: 100 };

function testClock(): Clock & { seconds: number } {
  return {
    seconds: 0,
    now() {
      return this.seconds * 1_000;
    },
    sleep: () => Promise.resolve(),
  };
}

function budgetOf(
  limits: Limits,
): { budget: Budget; notices: string[]; clock: { seconds: number } } {
  const notices: string[] = [];
  const clock = testClock();
  return {
    budget: new Budget(limits, clock, { onNotice: (m) => notices.push(m) }),
    notices,
    clock,
  };
}

const refusedBy = (limit: string) => (error: unknown): boolean =>
  error instanceof LimitError && error.limit === limit && error.code === "limit";

/** What became of reservations that were asked for at once. */
async function outcomes(asked: Promise<Reservation>[]): Promise<
  { sent: Reservation[]; refused: LimitError[] }
> {
  const settled = await Promise.allSettled(asked);
  return {
    sent: settled.flatMap((s) => s.status === "fulfilled" ? [s.value] : []),
    refused: settled.flatMap((s) => s.status === "rejected" ? [s.reason as LimitError] : []),
  };
}

Deno.test("a limit of one call is told in the singular", () => {
  assert.match(limitMessage("maxCallsPerSubagent", 1, 1), /is 1 call, used is 1 call; raise/);
  assert.match(limitMessage("maxGlobalCalls", 2, 1), /is 2 calls, used is 1 call;/);
  assert.match(limitMessage("maxPromptTokens", 1, 0), /is 1 token, used are 0 tokens;/);
  assert.match(limitMessage("maxSeconds", 1, 1), /is 1 s, used are 1 s;/);
});

Deno.test("a burst of 50 against a limit of 10 sends exactly 10 calls, one of them the root's last (F109)", async () => {
  const { budget } = budgetOf({ maxGlobalCalls: 10 });
  const root = budget.agent("0", 0);
  (await root.turn(call)).settle(used(0));
  const { sent, refused } = await outcomes(
    Array.from({ length: 50 }, (_, i) => budget.agent(`0.${i}`, 1).turn(call)),
  );
  assert.equal(sent.length, 8);
  assert.equal(refused.length, 42);
  assert.ok(refused.every(refusedBy("maxGlobalCalls")));
  assert.match(
    refused[0]!.message,
    /maxGlobalCalls is 10 calls, used are 9 calls; raise .*--max-global-calls$/,
  );
  for (const reservation of sent) reservation.settle(used(0));
  const last = await root.turn(call);
  assert.equal(last.last, "maxGlobalCalls");
  assert.match(last.notes.join(), /Last turn: .*call FINAL now/);
  last.settle(used(0));
  assert.equal(budget.usage().calls, 10);
  await assert.rejects(root.turn(call), refusedBy("maxGlobalCalls"));
});

Deno.test("money: 1¢ twice and two sub-calls of 5¢ against 10¢ end at 12¢ with a last turn of the root (F108)", async () => {
  for (const order of ["parallel", "in turn"] as const) {
    for (const model of ["m", "other"]) {
      const { budget } = budgetOf({ maxMoneySpent: 0.1 });
      const root = budget.agent("0", 0);
      (await root.turn(call)).settle(used(0.01));
      const child = async (path: string): Promise<void> =>
        (await budget.agent(path, 1).turn({ ...call, model })).settle(used(0.05));
      if (order === "parallel") await Promise.all([child("0.0"), child("0.1")]);
      else for (const path of ["0.0", "0.1"]) await child(path);
      const last = await root.turn(call);
      assert.equal(last.last, "maxMoneySpent");
      last.settle(used(0.01));
      assert.equal(budget.usage().cost?.toFixed(4), "0.1200");
      await assert.rejects(root.turn(call), refusedBy("maxMoneySpent"));
      await assert.rejects(budget.agent("0.2", 1).turn(call), refusedBy("maxMoneySpent"));
    }
  }
});

Deno.test("of a model that has not told a price, one call is under way at a time", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 1 });
  const first = await budget.agent("0.0", 1).turn(call);
  let admitted = 0;
  const rest = Array.from({ length: 5 }, async (_, i) => {
    const reservation = await budget.agent(`0.${i + 1}`, 1).turn(call);
    admitted++;
    return reservation;
  });
  await Promise.resolve();
  assert.equal(admitted, 0);
  first.settle(used(0.02));
  await Promise.all(rest);
  assert.equal(admitted, 5);
});

Deno.test("near the money limit a burst becomes a queue and overshoots by at most one call", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 0.1 });
  const root = budget.agent("0", 0);
  (await root.turn(call)).settle(used(0.01));
  let underWay = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, async (_, i) => {
      const reservation = await budget.agent(`0.${i}`, 1).turn(call);
      most = Math.max(most, ++underWay);
      for (let tick = 0; tick < 20; tick++) await Promise.resolve();
      underWay--;
      reservation.settle(used(0.015));
    }),
  );
  assert.ok(results.some((r) => r.status === "rejected"));
  assert.ok(budget.usage().cost! < 0.1 + 0.015, `spent ${budget.usage().cost}`);
  assert.ok(budget.usage().cost! >= 0.085, `spent ${budget.usage().cost}`);
  assert.ok(most >= 2 && most < 10, `${most} at once`);
});

Deno.test("a call is refused by the lowest price seen, and a burst narrowed by the highest", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 1 });
  const root = budget.agent("0", 0);
  const spend = async (cost: number): Promise<void> =>
    (await root.turn(call)).settle(used(cost, 100, 0));
  for (const cost of [0.01, 0.1, 0.01]) await spend(cost); // the same tokens: caches make the difference
  // $0.88 are left. 500 tokens cost $0.05 (cached) to $0.50.
  const first = await budget.agent("0.0", 1).turn({ model: "m", promptTokens: 500 });
  let admitted = false;
  const second = budget.agent("0.1", 1).turn(call).then((reservation) => {
    admitted = true;
    return reservation;
  });
  for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  assert.equal(admitted, false, "next to a call that may cost four times $0.50 no other is let in");
  first.release();
  (await second).release();
  (await budget.agent("0.2", 1).turn({ model: "m", promptTokens: 8_000 })).release();
  await assert.rejects(
    budget.agent("0.3", 1).turn({ model: "m", promptTokens: 9_000 }),
    refusedBy("maxMoneySpent"),
  );
});

Deno.test("a failed pilot hands the turn to the next call", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 1 });
  const first = await budget.agent("0.0", 1).turn(call);
  const second = budget.agent("0.1", 1).turn(call);
  first.fail();
  (await second).release();
  assert.equal(budget.usage().calls, 1);
});

Deno.test("0 is zero: nothing is sent, not even a last turn (F111)", async () => {
  const names = [
    "maxGlobalCalls",
    "maxCallsPerSubagent",
    "maxPromptTokens",
    "maxCompletionTokens",
    "maxMoneySpent",
    "maxSeconds",
  ] as const;
  for (const name of names) {
    const { budget } = budgetOf({ [name]: 0 });
    await assert.rejects(budget.agent("0", 0).turn(call), refusedBy(name), name);
    if (name !== "maxCallsPerSubagent") {
      await assert.rejects(budget.agent("0.0", 1).complete(call), refusedBy(name), name);
    }
  }
  const { budget } = budgetOf({ maxDepth: 0 });
  assert.equal(budget.agent("0", 0).canDelegate, false);
  assert.throws(() => budget.agent("0.0", 1), refusedBy("maxDepth"));
});

Deno.test("junk is refused as a configuration error that names the limit and the value (F111)", () => {
  const junk: unknown[] = [-1, NaN, "10", 1.5, true, {}, -Infinity];
  for (const value of junk) {
    assert.throws(
      () => budgetOf({ maxGlobalCalls: value as number }),
      (error: unknown) =>
        error instanceof RlmError && error.code === "config" &&
        /^Cannot use maxGlobalCalls: it must be a whole number from 0, current value is /.test(
          error.message,
        ),
      String(value),
    );
  }
  budgetOf({ maxGlobalCalls: 1e9, maxMoneySpent: 0.5, maxSeconds: Infinity });
});

Deno.test("depth is counted on the host: the deepest agent may not delegate", () => {
  const { budget } = budgetOf({ maxDepth: 2 });
  assert.equal(budget.agent("0.0", 1).canDelegate, true);
  assert.equal(budget.agent("0.0.0", 2).canDelegate, false);
  assert.throws(() => budget.agent("0.0.0.0", 3), refusedBy("maxDepth"));
});

Deno.test("an agent is told at 80 % once and its last call is its last turn", async () => {
  const { budget } = budgetOf({ maxCallsPerSubagent: 10, maxMoneySpent: 1 });
  const agent = budget.agent("0.0", 1);
  const notes: string[] = [];
  for (let i = 0; i < 10; i++) {
    const turn = await agent.turn(call);
    notes.push(...turn.notes.map((note) => `${i + 1}: ${note}`));
    assert.equal(turn.last, i === 9 ? "maxCallsPerSubagent" : undefined);
    turn.settle(used(0));
  }
  assert.deepEqual(notes, [
    "9: Budget: 80 % of maxCallsPerSubagent is used (8 calls of 10 calls); finish soon",
    "10: Last turn: maxCallsPerSubagent (10 calls) is reached; call FINAL now with the best answer you have, no further turn follows",
  ]);
  await assert.rejects(agent.turn(call), refusedBy("maxCallsPerSubagent"));
  await agent.complete(call); // completions count for the run only
});

Deno.test("whether an agent can start at all is told without reserving", async () => {
  const { budget } = budgetOf({ maxGlobalCalls: 3, maxMoneySpent: 1 });
  const root = budget.agent("0", 0);
  const open = await root.turn(call);
  budget.agent("0.0", 1).check(); // also next to a call that others wait for
  budget.agent("0.0", 1).check();
  open.settle(used(0.01));
  (await budget.agent("0.0", 1).turn(call)).settle(used(0.01));
  assert.throws(() => budget.agent("0.1", 1).check(), refusedBy("maxGlobalCalls"));
  root.check();
  assert.equal(budget.usage().calls, 2);
});

Deno.test("calls with ids of prototype keys are priced like any other (F109)", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 0.1 });
  for (const model of ["constructor", "__proto__", "toString"]) {
    (await budget.agent("0", 0).turn({ ...call, model })).settle(used(0.01));
  }
  assert.equal(budget.usage().cost?.toFixed(2), "0.03");
});

Deno.test("unknown cost and tokens are unknown, never NaN, and reported once each", async () => {
  const { budget, notices } = budgetOf({ maxMoneySpent: 1, maxPromptTokens: 1_000 });
  const root = budget.agent("0", 0);
  for (let i = 0; i < 3; i++) (await root.turn(call)).settle({ ...noUsage, unknownCalls: 1 });
  assert.deepEqual(notices, [
    "maxMoneySpent cannot be enforced: the provider reports no cost",
    "maxPromptTokens cannot be enforced: the provider reports no prompt tokens",
  ]);
  assert.equal(budget.usage().cost, undefined);
  assert.equal(budget.usage().promptTokens, undefined);
  assert.equal(budget.usage().calls, 3);
  // Prompts still count by their size.
  for (let i = 0; i < 7; i++) (await root.turn(call)).settle({ ...noUsage });
  assert.equal((await root.turn(call)).last, "maxPromptTokens");
});

Deno.test("a call whose prompt cannot fit is refused before it is sent", async () => {
  const { budget } = budgetOf({ maxPromptTokens: 1_000 });
  await assert.rejects(
    budget.agent("0", 0).turn({ model: "m", promptTokens: 1_001 }),
    refusedBy("maxPromptTokens"),
  );
  assert.equal(budget.usage().calls, 0);
});

Deno.test("prompt sizes are corrected by what replies report", async () => {
  const { budget } = budgetOf({ maxPromptTokens: 10_000 });
  (await budget.agent("0", 0).turn({ ...call, promptTokens: 1_000 })).settle(
    used(undefined, 2_000),
  );
  // 4,500 by the estimate, 9,000 in fact: more than the 8,000 that are left.
  await assert.rejects(
    budget.agent("0.0", 1).turn({ model: "m", promptTokens: 4_500 }),
    refusedBy("maxPromptTokens"),
  );
});

Deno.test("what a provider adds to a tiny prompt does not make large ones look larger", async () => {
  const { budget } = budgetOf({ maxPromptTokens: 10_000 });
  const tiny = { ...call, promptTokens: 3 };
  (await budget.agent("0", 0).complete(tiny)).settle(used(undefined, 40));
  (await budget.agent("0", 0).turn({ ...call, promptTokens: 5_000 })).settle(
    used(undefined, 5_000),
  );
  assert.equal(budget.usage().calls, 2);
});

Deno.test("the output bound never exceeds what maxCompletionTokens leaves", async () => {
  const { budget } = budgetOf({ maxCompletionTokens: 10_000 });
  const agent = budget.agent("0", 0);
  const free = await agent.turn(call);
  assert.equal(free.maxOutputTokens, undefined);
  free.settle(used(undefined, 100, 7_000));
  const narrow = await agent.turn(call);
  assert.equal(narrow.maxOutputTokens, 3_000);
  narrow.release();
  assert.equal((await agent.turn({ ...call, maxOutputTokens: 500 })).maxOutputTokens, 500);
});

Deno.test("bounded replies never pass maxCompletionTokens: the burst waits instead", async () => {
  const { budget } = budgetOf({ maxCompletionTokens: 1_000 });
  let admitted = 0;
  const asked = Array.from({ length: 5 }, async (_, i) => {
    const reservation = await budget.agent(`0.${i}`, 1).turn({ ...call, maxOutputTokens: 400 });
    admitted++;
    return reservation;
  });
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(admitted, 2);
  (await asked[0]!).settle(used(undefined, 100, 10));
  await asked[2];
  assert.equal(admitted, 3);
});

Deno.test("wall time: the last tenth is the root's last turn, the last fifth a sub-agent's", async () => {
  const { budget, clock } = budgetOf({ maxSeconds: 100 });
  const root = budget.agent("0", 0);
  const child = budget.agent("0.0", 1);
  assert.deepEqual(root.deadline, { code: 90_000, all: 100_000 });
  assert.deepEqual(child.deadline, { code: 80_000, all: 90_000 });
  (await root.turn(call)).settle(used(0));
  clock.seconds = 85;
  assert.equal((await child.turn(call)).last, "maxSeconds");
  assert.equal((await root.turn(call)).last, undefined);
  clock.seconds = 95;
  assert.equal((await root.turn(call)).last, "maxSeconds");
  clock.seconds = 100;
  await assert.rejects(budget.agent("0.1", 1).turn(call), refusedBy("maxSeconds"));
  assert.equal(budget.exhausted(), "maxSeconds");
  assert.equal(budgetOf({}).budget.agent("0", 0).deadline, undefined);
});

Deno.test("released calls do not count, failed ones do, and an open reservation is released by using", async () => {
  const { budget } = budgetOf({ maxGlobalCalls: 3 });
  const root = budget.agent("0", 0);
  {
    using _open = await root.turn(call);
  }
  assert.equal(budget.usage().calls, 0);
  const failed = await root.turn(call);
  failed.fail();
  failed.settle(used(1));
  assert.equal(budget.usage().calls, 1);
  assert.equal(budget.usage().cost, undefined);
  const retried = await root.turn(call);
  retried.settle({ ...used(0), calls: 2 });
  assert.equal(budget.exhausted(), "maxGlobalCalls");
});

Deno.test("a wait ends with its signal and frees its place", async () => {
  const { budget } = budgetOf({ maxMoneySpent: 1 });
  const first = await budget.agent("0.0", 1).turn(call);
  const abort = new AbortController();
  const second = budget.agent("0.1", 1).turn({ ...call, signal: abort.signal });
  const third = budget.agent("0.2", 1).turn(call);
  abort.abort(new Error("stopped"));
  await assert.rejects(second, /stopped/);
  first.settle(used(0.01));
  (await third).release();
  await assert.rejects(
    budget.agent("0.3", 1).turn({ ...call, signal: AbortSignal.abort(new Error("early")) }),
    /early/,
  );
});

Deno.test("two runs share nothing", async () => {
  const one = budgetOf({ maxGlobalCalls: 1 }).budget;
  const two = budgetOf({ maxGlobalCalls: 1 }).budget;
  (await one.agent("0", 0).turn(call)).settle(used(0.01));
  (await two.agent("0", 0).turn(call)).settle(used(0.01));
  assert.equal(one.usageOf("0").calls, 1);
  assert.equal(two.usage().cost, 0.01);
  assert.equal(two.usageOf("0.9").calls, 0);
});

Deno.test("whatever the order of calls, counts hold and money overshoots by at most one call and the last turn", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 20 }),
      fc.array(
        fc.record({ path: fc.integer({ min: 0, max: 5 }), turn: fc.boolean(), ok: fc.boolean() }),
        { maxLength: 60 },
      ),
      async (max, steps) => {
        const { budget } = budgetOf({ maxGlobalCalls: max, maxMoneySpent: 0.1 });
        const open: Reservation[] = [];
        const finish = (): void => open.splice(0).forEach((r) => r.settle(used(0.01)));
        for (const { path, turn, ok } of steps) {
          const agent = path === 0 ? budget.agent("0", 0) : budget.agent(`0.${path}`, 1);
          const asked = turn ? agent.turn(call) : agent.complete(call);
          asked.then((r) => open.push(r), () => {});
          await Promise.resolve();
          if (ok) finish();
          assert.ok(open.length + budget.usage().calls <= max);
        }
        for (let i = 0; i < 100; i++) {
          await Promise.resolve();
          finish();
        }
        assert.ok(budget.usage().calls <= max);
        assert.ok((budget.usage().cost ?? 0) <= 0.1 + 0.02 + 1e-9);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("tokens are estimated from UTF-8 bytes", () => {
  assert.equal(roughTokens(""), 0);
  assert.equal(roughTokens("a".repeat(400)), 100);
  for (const text of ["é", "語", "😀", "a語é😀"]) {
    assert.equal(roughTokens(text), Math.ceil(new TextEncoder().encode(text).length / 4));
  }
});
