import assert from "node:assert/strict";
import { MemoryWorker } from "../support/memory.ts";
import type { Snapshot } from "../../repl/snapshot.ts";

async function snapshotOf(code: string): Promise<Snapshot> {
  using worker = await MemoryWorker.start();
  for (const step of code.split("\n")) await worker.run(step);
  return await worker.sweep();
}

/** Replaces the text that a name is saved in. */
function damage(snapshot: Snapshot, name: string, change: (text: string) => string): Snapshot {
  const entry = [...snapshot.variables, ...snapshot.functions].find((e) => e.name === name);
  return {
    ...snapshot,
    payloads: snapshot.payloads.map((payload) =>
      payload.id === entry?.ref.payload ? { ...payload, text: change(payload.text ?? "") } : payload
    ),
  };
}

const hostile: readonly (readonly [string, string])[] = [
  ["cut short", "[{"],
  ["a huge sparse array (case 37)", '[{"v":1},[2],[-7,4294967295]]'],
  [
    "20,000 nested arrays with a loop",
    `[{"v":1},[2],${Array.from({ length: 2e4 }, (_, i) => `[${i + 3}]`).join()},[99999]]`,
  ],
  ["an index out of range", '[{"v":1},[7]]'],
  ["a prototype key (case 38)", '[{"v":1},[2],{"__proto__":2}]'],
  [
    "a patched built-in",
    '[{"v":1,"p":2},[],[3],[4,5,6,7,8],"property",["native",9],"x",7,1,"Object.prototype"]',
  ],
  ["a function that is not there", '[{"v":1},[2],["function",3],5]'],
  ["no slot", '[{"v":1},[]]'],
  ["text that is missing", ""],
];
for (const [name, text] of hostile) {
  Deno.test(`a damaged variable fails alone, by name: ${name}`, async () => {
    const snapshot = damage(
      await snapshotOf("var bad = [1]\nvar good = {n: 1}\nvar f = () => good.n"),
      "bad",
      () => text,
    );
    using worker = await MemoryWorker.start();
    const report = await worker.restore(snapshot);
    assert.deepEqual(report.failed.map((entry) => entry.name), ["bad"]);
    assert.deepEqual([...report.restored].sort(), ["f", "good"]);
    assert.equal(await worker.run("typeof bad + f() + ({}).x"), "undefined1undefined");
  });
}

Deno.test("a definition that throws, does not end or does not parse fails alone", async () => {
  const snapshot = await snapshotOf(
    "class A { static x = 1 }\nclass B { static x = 2 }\nvar f = () => 3, g = () => 4",
  );
  let edited = damage(snapshot, "A", (text) => text.replace("static x = 1", "static x = boom()"));
  edited = damage(edited, "B", (text) => text.replace("static x = 2", "static { throw null }"));
  edited = damage(edited, "f", (text) => text.replace("() => 3", "() => }"));
  using worker = await MemoryWorker.start();
  const report = await worker.restore(edited);
  assert.deepEqual(report.failed.map(({ name }) => name).sort(), ["A", "B", "f"]);
  assert.match(report.failed.find(({ name }) => name === "A")?.reason ?? "", /boom is not defined/);
  assert.equal(await worker.run("g()"), 4);
});

Deno.test("built-in names in a state file are refused", async () => {
  const snapshot = await snapshotOf("var x = [1]");
  const renamed = {
    ...snapshot,
    variables: snapshot.variables.map((v) => ({ ...v, name: "Array" })),
  };
  using worker = await MemoryWorker.start();
  const report = await worker.restore(renamed);
  assert.match(report.failed[0]?.reason ?? "", /built-in/);
  assert.equal(await worker.run("[].constructor === Array"), true);
});

Deno.test("globals may be called what objects inherit (case 38)", async () => {
  const snapshot = await snapshotOf(
    "var constructor = 1, hasOwnProperty = {a: 2}, valueOf = () => 3",
  );
  using worker = await MemoryWorker.start();
  const report = await worker.restore(snapshot);
  assert.deepEqual(report.failed, []);
  assert.equal(await worker.run("constructor + hasOwnProperty.a + valueOf()"), 6);
});

Deno.test("a value already present is overwritten (case 58)", async () => {
  const snapshot = await snapshotOf("var x = 'saved', f = () => 'saved'");
  using worker = await MemoryWorker.start();
  await worker.run("var x = 'new', f = 1");
  await worker.restore(snapshot);
  assert.equal(await worker.run("x + f()"), "savedsaved");
});

Deno.test("a variable with a named loss is degraded, with the path", async () => {
  const snapshot = await snapshotOf("var rows = [{}, {h: Promise.resolve()}]");
  using worker = await MemoryWorker.start();
  const report = await worker.restore(snapshot);
  assert.deepEqual(report.degraded, [{ name: "rows", reason: "rows[1].h is a promise" }]);
});

Deno.test("an empty snapshot restores nothing", async () => {
  using worker = await MemoryWorker.start();
  const report = await worker.restore({ variables: [], functions: [], dropped: [], payloads: [] });
  assert.deepEqual(report, { restored: [], degraded: [], failed: [] });
});
