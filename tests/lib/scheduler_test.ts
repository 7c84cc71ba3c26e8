import assert from "node:assert/strict";
import fc from "fast-check";
import { defaultConcurrency, Scheduler, type Slot } from "../../lib/scheduler.ts";

const GIB = 1024 ** 3;

/** Lets every promise that can settle do so. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

Deno.test("the default is four a core, bounded by memory, from 1 to 32", () => {
  assert.equal(defaultConcurrency(2, 24 * GIB), 8);
  assert.equal(defaultConcurrency(2, 2 * GIB), 4);
  assert.equal(defaultConcurrency(64, 256 * GIB), 32);
  assert.equal(defaultConcurrency(1, 0.25 * GIB), 1);
  assert.equal(defaultConcurrency(NaN, NaN), 4);
});

Deno.test("at most max work at once and the rest start in order", async () => {
  const scheduler = new Scheduler(2);
  const started: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const runs = gates.map((gate, i) =>
    scheduler.run(() => {
      started.push(i);
      return gate.promise;
    }, { depth: 1 })
  );
  await settle();
  assert.deepEqual(started, [0, 1]);
  assert.equal(scheduler.waiting, 3);
  gates[1]!.resolve();
  await settle();
  assert.deepEqual(started, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(runs);
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  assert.equal(scheduler.working, 0);
});

Deno.test("a failing sub-agent gives its place back", async () => {
  const scheduler = new Scheduler(1);
  await assert.rejects(
    scheduler.run(() => Promise.reject(new Error("broken")), { depth: 1 }),
    /broken/,
  );
  assert.equal(await scheduler.run(() => Promise.resolve(7), { depth: 1 }), 7);
});

Deno.test("trees of depth 3 get through with one or two places, with few agents open", async () => {
  for (const max of [1, 2]) {
    const scheduler = new Scheduler(max);
    let open = 0;
    let mostOpen = 0;
    let mostWorking = 0;
    const node = (depth: number): Promise<number> =>
      scheduler.run(async (slot) => {
        mostOpen = Math.max(mostOpen, ++open);
        mostWorking = Math.max(mostWorking, scheduler.working);
        await Promise.resolve();
        const children = depth === 3
          ? []
          : await slot.yieldWhile(() => Promise.all([1, 2, 3, 4].map(() => node(depth + 1))));
        mostWorking = Math.max(mostWorking, scheduler.working);
        open--;
        return 1 + children.reduce((a, b) => a + b, 0);
      }, { depth });
    const total = await Promise.all(Array.from({ length: 8 }, () => node(1)));
    assert.equal(total.reduce((a, b) => a + b, 0), 8 * 21);
    assert.equal(mostWorking, max);
    assert.ok(mostOpen <= max * 3, `${mostOpen} open with ${max} places`);
    assert.equal(scheduler.working, 0);
    assert.equal(scheduler.waiting, 0);
  }
});

Deno.test("separate waits of one agent give away one place and take one back", async () => {
  const scheduler = new Scheduler(2);
  await scheduler.run(async (slot) => {
    const a = Promise.withResolvers<void>();
    const b = Promise.withResolvers<void>();
    const waits = [slot.yieldWhile(() => a.promise), slot.yieldWhile(() => b.promise)];
    await settle();
    assert.equal(scheduler.working, 0);
    a.resolve();
    await waits[0];
    assert.equal(scheduler.working, 0);
    b.resolve();
    await waits[1];
    assert.equal(scheduler.working, 1);
  }, { depth: 1 });
  assert.equal(scheduler.working, 0);
});

Deno.test("deeper agents come first, and one that goes on before one that begins", async () => {
  const scheduler = new Scheduler(2);
  const order: string[] = [];
  const child = Promise.withResolvers<void>();
  const [x, y] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = (name: string, depth: number): Promise<void> =>
    scheduler.run(() => {
      order.push(name);
      return Promise.resolve();
    }, { depth });
  const parent = scheduler.run(async (slot) => {
    await slot.yieldWhile(() => child.promise);
    order.push("goes on");
  }, { depth: 2 });
  const holders = [x, y].map((gate) => scheduler.run(() => gate!.promise, { depth: 4 }));
  await settle();
  const others = [run("shallow", 1), run("begins", 2), run("deep", 3)];
  child.resolve();
  await settle();
  assert.deepEqual(order, []);
  x!.resolve();
  await Promise.all([parent, ...others]);
  y!.resolve();
  await Promise.all(holders);
  assert.deepEqual(order, ["deep", "goes on", "begins", "shallow"]);
});

Deno.test("a place that comes while the agent waits again goes back", async () => {
  const scheduler = new Scheduler(1);
  const [a, b, holder] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  await Promise.all([
    scheduler.run(async (slot) => {
      const first = slot.yieldWhile(() => a!.promise);
      await settle();
      a!.resolve();
      await settle();
      const second = slot.yieldWhile(() => b!.promise);
      holder!.resolve();
      await first;
      assert.equal(scheduler.working, 0);
      b!.resolve();
      await second;
      assert.equal(scheduler.working, 1);
    }, { depth: 1 }),
    scheduler.run(() => holder!.promise, { depth: 2 }),
  ]);
  assert.equal(scheduler.working, 0);
});

Deno.test("a wait that outlives its agent needs no place to end", async () => {
  const scheduler = new Scheduler(1);
  const child = Promise.withResolvers<void>();
  let floating = Promise.resolve();
  await scheduler.run((slot) => {
    floating = slot.yieldWhile(() => child.promise);
    return Promise.resolve();
  }, { depth: 1 });
  const holder = Promise.withResolvers<void>();
  const other = scheduler.run(() => holder.promise, { depth: 1 });
  child.resolve();
  await floating;
  holder.resolve();
  await other;
});

Deno.test("an abort ends the wait for a place and leaks none", async () => {
  const scheduler = new Scheduler(1);
  const gate = Promise.withResolvers<void>();
  const first = scheduler.run(() => gate.promise, { depth: 1 });
  const abort = new AbortController();
  const second = scheduler.run(() => Promise.resolve(), { depth: 1, signal: abort.signal });
  abort.abort(new Error("stopped"));
  await assert.rejects(second, /stopped/);
  assert.equal(scheduler.waiting, 0);
  gate.resolve();
  await first;
  await assert.rejects(
    scheduler.run(() => Promise.resolve(), { depth: 1, signal: abort.signal }),
    /stopped/,
  );
  assert.equal(scheduler.working, 0);
});

Deno.test("an agent that ends while it waits, or cannot come back, leaks no place", async () => {
  const scheduler = new Scheduler(1);
  const child = Promise.withResolvers<void>();
  let floating: Promise<void> | undefined;
  await scheduler.run((slot) => {
    floating = slot.yieldWhile(() => child.promise);
    return Promise.resolve();
  }, { depth: 1 });
  assert.equal(scheduler.working, 0);
  child.resolve();
  await floating;
  assert.equal(scheduler.working, 0);

  const abort = new AbortController();
  const gate = Promise.withResolvers<void>();
  const other = Promise.withResolvers<void>();
  const parent = scheduler.run(
    (slot) => slot.yieldWhile(() => gate.promise),
    { depth: 1, signal: abort.signal },
  );
  const holder = scheduler.run(() => other.promise, { depth: 2 });
  await settle();
  gate.resolve();
  await settle();
  abort.abort(new Error("stopped"));
  await assert.rejects(parent, /stopped/);
  other.resolve();
  await holder;
  assert.equal(scheduler.working, 0);
});

Deno.test("random trees always finish and never pass max", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }), { maxLength: 6 }),
      async (max, trees) => {
        const scheduler = new Scheduler(max);
        let done = 0;
        const within = (): void => assert.ok(scheduler.working <= max);
        const leaves = (slot: Slot, n: number): Promise<void[]> =>
          slot.yieldWhile(() =>
            Promise.all(Array.from({ length: n }, () =>
              scheduler.run(() => {
                within();
                done++;
                return Promise.resolve();
              }, { depth: 3 })))
          );
        await Promise.all(trees.map((tree) =>
          scheduler.run(async (slot) => {
            // One after the other and side by side, as agent code does both.
            for (const n of tree) await leaves(slot, n);
            await Promise.all(tree.map((n) => leaves(slot, n)));
            within();
          }, { depth: 2 })
        ));
        assert.equal(done, 2 * trees.flat().reduce((a, b) => a + b, 0));
        assert.equal(scheduler.working, 0);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("a scheduler without places is refused", () => {
  assert.throws(() => new Scheduler(0), RangeError);
  assert.throws(() => new Scheduler(NaN), RangeError);
});
