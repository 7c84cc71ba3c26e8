import assert from "node:assert/strict";
import { MemoryWorker, roundTrip } from "../support/memory.ts";

Deno.test("which closures share a scope is proven, however equal their values are", async () => {
  const steps = [
    "const mk = () => { let n = 0; return {inc: () => ++n, get: () => n} }",
    "const a = mk(), b = mk(), many = Array.from({length: 20}, mk)",
  ];
  const { value, snapshot } = await roundTrip(
    steps,
    "a.inc(); a.inc(); b.inc(); many[3].inc(); " +
      "JSON.stringify([a.get(), b.get(), many[3].get(), many[4].get()])",
  );
  assert.equal(value, "[2,1,1,0]");
  assert.ok(snapshot.variables.every(({ loss }) => loss === undefined));
});

Deno.test("restored closures share what they shared, also after a second restore", async () => {
  const { again } = await roundTrip(
    "const o = (() => { let n = 5; return {inc: () => ++n, get: () => n} })()",
    "1",
  );
  using worker = await MemoryWorker.start();
  await worker.restore(again);
  assert.equal(await worker.run("o.inc(); o.inc(); o.get()"), 7);
});

Deno.test("a variable that is not initialised yet does not stop the sweep", async () => {
  const { value } = await roundTrip(
    "const f = (() => { const g = () => late; if (g) return g; let late = 1 })()\nconst x = 1",
    "x",
  );
  assert.equal(value, 1);
});

Deno.test("parameters, catch bindings, loops and destructured names are captured", async () => {
  const { value } = await roundTrip(
    [
      "const p = (a, {b}, [c] = [3], ...d) => () => [a, b, c, d]",
      "const f = p(1, {b: 2}, undefined, 4, 5)",
      "let g; try { throw {code: 7} } catch ({code}) { g = () => code }",
      "const j = (($, $k, key) => () => [$, $k, key].flat())([8], {}, [9])",
      "const h = []; for (const k of ['x', 'y']) h.push(() => k)",
    ],
    "JSON.stringify([f(), g(), h.map(k => k()), j()])",
  );
  assert.equal(value, '[[1,2,3,[4,5]],7,["x","y"],[8,{},9]]');
});
