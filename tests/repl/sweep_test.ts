import assert from "node:assert/strict";
import { MemoryWorker, roundTrip } from "../support/memory.ts";
import type { Snapshot } from "../../repl/snapshot.ts";

const reason = ({ dropped }: Snapshot, name: string): string | undefined =>
  dropped.find((entry) => entry.name === name)?.reason;

Deno.test("host names and built-ins are not swept; a replaced built-in is named", async () => {
  using worker = await MemoryWorker.start();
  await worker.run("context = 'mine'; globalThis.Map = class Mine {}; var x = 1");
  const snapshot = await worker.sweep();
  assert.deepEqual(snapshot.variables.map(({ name }) => name), ["x"]);
  assert.deepEqual(snapshot.functions, []);
  assert.match(reason(snapshot, "Map") ?? "", /replaces a built-in/);
});

Deno.test("patched and polluted built-ins change nothing and stay as the agent made them (case 30)", async () => {
  const pollution = `
    Object.prototype.x = () => 1;
    Array.prototype.last = function () { return this[this.length - 1] };
    Map.prototype.get = Set.prototype.has = String.prototype.startsWith = () => { throw new Error('patched') };
    globalThis.Map = class {}; JSON.stringify = () => 'evil';`;
  using first = await MemoryWorker.start();
  await first.run("var m = new Map([['k', [1, {a: 2}]]]), f = x => x + 1, s = 'text'");
  await first.run(pollution);
  const snapshot = await first.sweep();
  assert.equal(await first.run("[7].last() + JSON.stringify(1)"), "7evil");
  using second = await MemoryWorker.start();
  assert.deepEqual((await second.restore(snapshot)).failed, []);
  assert.equal(await second.run("m.get('k')[1].a + f(1) + s"), "4text");
});

Deno.test("a variable over the cap is dropped with its size, its neighbours are kept", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "var big = Array.from({length: 2000}, (_, i) => ({i})), small = {part: big[5]}, s = 'é'.repeat(900)",
  );
  const snapshot = await worker.sweep({ capBytes: 1500 });
  assert.deepEqual(snapshot.variables.map(({ name }) => name), ["small"]);
  assert.match(reason(snapshot, "big") ?? "", /over the cap of 1,500 bytes/);
  assert.equal(snapshot.dropped.find(({ name }) => name === "s")?.bytes, 1802);
});

Deno.test("a small view of a huge buffer counts the buffer (case 34)", async () => {
  using worker = await MemoryWorker.start();
  await worker.run("var v = new Uint8Array(new ArrayBuffer(6e6), 0, 2)");
  assert.match(reason(await worker.sweep(), "v") ?? "", /over the cap/);
});

const LIVE = "new ArrayBuffer(8, { maxByteLength: 16 })";
const beyond: readonly (readonly [what: string, value: string, why: RegExp])[] = [
  ["shared memory", "new Int32Array(new SharedArrayBuffer(4))", /a view of a SharedArrayBuffer/],
  ["a DataView of it", "new DataView(new SharedArrayBuffer(4))", /a view of a SharedArrayBuffer/],
  [
    "a buffer without bytes",
    "(() => { const b = new ArrayBuffer(8); b.transfer(); return b })()",
    /a detached ArrayBuffer/,
  ],
  [
    "a view of it",
    "(() => { const v = new Uint8Array(8); v.buffer.transfer(); return v })()",
    /a view of a detached/,
  ],
  [
    "a view past the end",
    `(() => { const b = ${LIVE}; const v = new DataView(b, 4, 4); b.resize(2); return v })()`,
    /beyond the end/,
  ],
];
for (const [what, value, why] of beyond) {
  Deno.test(`bytes that cannot be kept are dropped by name, their neighbours saved: ${what}`, async () => {
    using worker = await MemoryWorker.start();
    await worker.run(`var v = ${value}, inside = { v, n: 1 }, x = 1`);
    const snapshot = await worker.sweep();
    assert.match(reason(snapshot, "v") ?? "", why);
    assert.deepEqual(snapshot.variables.map(({ name }) => name), ["inside", "x"]);
    assert.match(snapshot.variables[0]?.loss?.[0]?.reason ?? "", why);
  });
}

Deno.test("a getter that stands in for an error's stack is kept and never called", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "var e = Object.defineProperty(new Error('no'), 'stack', { get() { throw new Error('called') }, set: undefined })",
  );
  const snapshot = await worker.sweep();
  assert.deepEqual(snapshot.variables.map(({ name }) => name), ["e"]);
  using fresh = await MemoryWorker.start();
  assert.deepEqual((await fresh.restore(snapshot)).failed, []);
  assert.equal(await fresh.run("try { e.stack } catch (error) { error.message }"), "called");
});

Deno.test("what the host has is not sent again; unchanged strings are not even encoded", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "for (let i = 0; i < 5; i++) globalThis['s' + i] = String(i).repeat(1e5); var o = {n: 1}",
  );
  const first = await worker.sweep();
  assert.ok(first.payloads.every(({ text }) => text !== undefined));
  const known = first.payloads.map(({ id }) => id);
  const second = await worker.sweep({ known });
  assert.ok(second.payloads.every(({ text }) => text === undefined));
  assert.deepEqual(second.variables, first.variables);
  await worker.run("o.n = 2; s3 = 'changed'");
  const third = await worker.sweep({ known });
  assert.equal(third.payloads.filter(({ text }) => text !== undefined).length, 2);
  const forgotten = await worker.sweep({ known: [] });
  assert.ok(forgotten.payloads.every(({ text }) => text !== undefined));
});

Deno.test("ids are SHA-256 of the text and bytes are UTF-8", async () => {
  using worker = await MemoryWorker.start();
  await worker.run("var s = 'é'");
  const [payload] = (await worker.sweep()).payloads;
  const data = new TextEncoder().encode(payload?.text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  assert.equal(payload?.id, [...hash].map((b) => b.toString(16).padStart(2, "0")).join(""));
  assert.equal(payload?.bytes, data.length);
});

Deno.test("committed names carry their notes; a committed host name is saved under another", async () => {
  const { snapshot, value } = await roundTrip("var rows = [1], g = () => 1", "saved_context.text", {
    commits: [["rows", "the rows"], ["context", undefined], ["g", "a helper"]],
  });
  const rows = snapshot.variables.find(({ name }) => name === "rows");
  assert.deepEqual([rows?.committed, rows?.note], [true, "the rows"]);
  assert.equal(snapshot.functions[0]?.note, "a helper");
  assert.equal(value, "host");
});

Deno.test("check tells at once whether a name can be saved", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "var ok = {a: 1}, p = Promise.resolve(); Object.defineProperty(globalThis, 'acc', {get() { return 1 }, configurable: true})",
  );
  assert.equal(await worker.check("ok"), undefined);
  assert.match(await worker.check("p") ?? "", /promise/);
  assert.match(await worker.check("acc") ?? "", /getter/);
  assert.match(await worker.check("nothing") ?? "", /no variable/);
});

Deno.test("types and previews are what the inventory shows", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "class Doc { t = 1 }\nvar d = new Doc(), m = new Map([[1, 2]]), u = undefined, f = (a) => a",
  );
  const { variables, functions } = await worker.sweep();
  const types = Object.fromEntries(variables.map(({ name, type }) => [name, type]));
  assert.deepEqual(types, { d: "Doc", m: "Map(1)", u: "undefined" });
  assert.deepEqual(functions.map(({ name, kind }) => [name, kind]), [["Doc", "class"], [
    "f",
    "function",
  ]]);
});

Deno.test("accessor globals are named and never called", async () => {
  using worker = await MemoryWorker.start();
  await worker.run(
    "var n = 0; Object.defineProperty(globalThis, 'acc', {get() { n++; return 1 }, enumerable: true, configurable: true})",
  );
  const snapshot = await worker.sweep();
  assert.match(reason(snapshot, "acc") ?? "", /getter/);
  assert.equal(await worker.run("n"), 0);
});

Deno.test("deleting a variable deletes its entry", async () => {
  using worker = await MemoryWorker.start();
  await worker.run("globalThis.a = 1; globalThis.b = {}");
  assert.equal((await worker.sweep()).variables.length, 2);
  await worker.run("delete globalThis.a");
  assert.deepEqual((await worker.sweep()).variables.map(({ name }) => name), ["b"]);
});
