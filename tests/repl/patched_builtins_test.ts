import assert from "node:assert/strict";
import type { Snapshot } from "../../repl/snapshot.ts";
import { TestRepl, withRepl } from "../support/repl.ts";

const SETUP = `const data = { list: [1, { n: 2 }], map: new Map([[1, 2]]), at: new Date(5) };
function twice(x) { return x * 2 }
class Doc { constructor(t) { this.t = t } length() { return this.t.length } }
const docs = [new Doc("hi")];
const make = () => { let c = 0; return () => ++c };
const count = make();
count();`;
const NAMES = ["Doc", "answer", "count", "data", "docs", "later", "make", "twice"];
const CHECK =
  `[data.list[1].n, data.map.get(1), +data.at, twice(4), docs[0].length(), count(), later]`;

/** Runs hostile code between two ordinary steps; sweeps, restores elsewhere, and looks at the values. */
async function survives(hostile: string): Promise<Snapshot> {
  await using repl = await TestRepl.start();
  assert.equal((await repl.run(SETUP)).failure, undefined);
  assert.equal((await repl.run(hostile)).failure, undefined);
  const next = await repl.run(`var later = 5; const answer = await llm_query("q"); "x" + later`);
  assert.equal(next.failure, undefined);
  assert.equal(next.echo, "x5");
  const snapshot = await repl.sweep();
  const saved = [...snapshot.variables, ...snapshot.functions];
  assert.deepEqual(saved.map(({ name }) => name).sort(), NAMES);
  assert.deepEqual(saved.flatMap(({ loss }) => loss ?? []), []);
  assert.deepEqual((await repl.run("FINAL({ a: [later] })")).answer, { a: [5] });

  await using fresh = await TestRepl.start();
  const { restored, degraded, failed } = await fresh.restore(snapshot);
  assert.deepEqual([degraded, failed], [[], []]);
  assert.equal(restored.length, NAMES.length);
  const again = await fresh.sweep();
  assert.deepEqual(again.payloads.map(({ id }) => id), snapshot.payloads.map(({ id }) => id));
  assert.deepEqual((await fresh.run(`FINAL(${CHECK})`)).answer, [2, 2, 5, 8, 2, 2, 5]);
  return snapshot;
}

const patchAll = (targets: string, by: string): string =>
  `for (let targets = [${targets}], keys = targets.map(Reflect.ownKeys), i = 0; i < keys.length; i++) {
    for (let k = 0; k < keys[i].length; k++) try { targets[i][keys[i][k]] = ${by} } catch {}
  }`;

Deno.test("case 30: polluted prototypes and a replaced Map keep nothing from being saved", async () => {
  const { dropped } = await survives(
    `Object.prototype.x = () => 1; Array.prototype.last = function () {}; globalThis.Map = class {}`,
  );
  assert.deepEqual(dropped, [
    { name: "Map", type: "built-in", reason: "replaces a built-in, which is not saved" },
  ]);
});

Deno.test("case 30: collections, promises and text methods that throw", async () => {
  await survives(
    patchAll(
      "Map.prototype, Set.prototype, WeakMap.prototype, Promise.prototype, String.prototype, RegExp.prototype",
      "() => { throw new Error('patched') }",
    ),
  );
});

Deno.test("case 30: methods of Object, Reflect, JSON and arrays that answer nothing", async () => {
  await survives(
    patchAll(
      "Array.prototype, Array, Promise, Math, Symbol, Number, Uint8Array.prototype, " +
        "Object.getPrototypeOf(Uint8Array.prototype), JSON, Reflect, Object",
      "() => undefined",
    ),
  );
});

Deno.test("case 30: built-ins that are gone altogether", async () => {
  const { dropped } = await survives(
    `globalThis.Promise = null; delete globalThis.Array; globalThis.Reflect = JSON = String = 0;
     globalThis.Uint8Array = globalThis.Set = globalThis.TextEncoder = undefined`,
  );
  assert.deepEqual(dropped.map(({ name }) => name).sort(), [
    "Array",
    "JSON",
    "Promise",
    "Reflect",
    "Set",
    "String",
    "TextEncoder",
    "Uint8Array",
  ]);
});

Deno.test("case 30: what the worker cannot do without is put back, and the agent is told", async () => {
  await withRepl(async (repl) => {
    const sync = await repl.run(
      `Array.prototype[Symbol.iterator] = function* () { yield 666 }; await llm_query("q"); 1`,
    );
    assert.deepEqual(sync.notices, [
      "Array.prototype[Symbol.iterator]: the REPL needs it; your change was undone",
    ]);
    assert.equal((await repl.run("print([...[1, 2]].length)")).text, "2\n");
    assert.equal((await repl.run(`await llm_query("q"); 1`)).echo, "1");
  });
});
