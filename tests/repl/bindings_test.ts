import assert from "node:assert/strict";
import { roundTrip } from "../support/memory.ts";
import { TestRepl } from "../support/repl.ts";

/** Code of a step, what is looked at afterwards, and what that is in the process that wrote it. */
const kept: readonly (readonly [what: string, code: string, check: string, value: unknown])[] = [
  [
    "a closure is not bound to a global of its captured name (case 53)",
    "const c = 100\nconst mk = () => { let c = 0; return () => ++c }\nconst inc = mk()\ninc()",
    "[inc(), c].join()",
    "2,100",
  ],
  [
    "names of built-ins are captured like others",
    "const say = (() => { const JSON = { stringify: () => 'mine' }; return (x) => JSON.stringify(x) })()",
    "say(1)",
    "mine",
  ],
  [
    "variables of a loop are one for each turn, though equal",
    "const fs = []\nfor (let i = 0; i < 3; i++) fs.push(() => i++)\nfs[1]()",
    "fs.map((f) => f()).join()",
    "0,2,2",
  ],
  [
    "a function expression calls itself by its own name",
    "const fact = function f(n) { return n < 2 ? 1 : n * f(n - 1) }\nvar f = () => 'global'",
    "fact(5)",
    120,
  ],
  [
    "and so does what is written inside it, where a global is that function",
    "const walk = function walk(n) { return n === 0 ? [] : [() => walk(0), ...walk(n - 1)] }\nconst w = walk(2)",
    "w[1]().length",
    0,
  ],
  [
    "a class knows itself by its inner name",
    "const K = class Named { static who() { return Named.x } }\nK.x = 4",
    "K.who()",
    4,
  ],
  [
    "members of a class that were deleted stay deleted",
    "class A { m() { return 1 } n() { return 2 } static s() {} static k = 1; static z = 2 }\n" +
    "delete A.prototype.m; delete A.s; delete A.k",
    "['m' in A.prototype, new A().n(), 's' in A, 'k' in A, A.z].join()",
    "false,2,false,false,2",
  ],
  [
    "a mixin is applied again and its side effect is not",
    "let n = 0\nconst mix = (B) => { n++; return class extends B { mixed() { return 'm' } } }\n" +
    "class Base {}\nclass A extends mix(Base) {}\nconst a = new A()",
    "[n, a.mixed(), a instanceof Base, new A().mixed()].join()",
    "1,m,true,m",
  ],
  [
    "a function that strict code made is strict, another one is not",
    "const strict = (function () { 'use strict'; return function () { return this } })()\n" +
    "const sloppy = function () { return this === globalThis }",
    "[typeof strict(), sloppy()].join()",
    "undefined,true",
  ],
  [
    "well-known symbols are those of the realm",
    "const o = { *[Symbol.iterator]() { yield 1 }, get [Symbol.toStringTag]() { return 'T' } }",
    "[...o].join() + String(o)",
    "1[object T]",
  ],
  [
    "currying keeps every level",
    "const add = (a) => (b) => (c) => a + b + c\nconst one = add(1)\nconst three = one(2)",
    "[three(3), one(5)(5)].join()",
    "6,11",
  ],
  [
    "accessors of a module share its private state",
    "const m = (() => { let p = 1; return { get p() { return p }, set p(v) { p = v }, inc() { p++ } } })()\nm.inc()",
    "m.p = m.p + 1; m.inc(); m.p",
    4,
  ],
];

for (const [what, code, check, value] of kept) {
  Deno.test(`bound as it was: ${what}`, async () => {
    const trip = await roundTrip(code.split("\n"), check);
    assert.deepEqual([trip.report.degraded, trip.report.failed, trip.snapshot.dropped], [
      [],
      [],
      [],
    ]);
    assert.equal(trip.value, value);
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();
    assert.deepEqual(ids(trip.again.payloads), ids(trip.snapshot.payloads));
  });
}

const dropped: readonly (readonly [code: string, name: string, reason: string])[] = [
  [
    "const mk = function outer() { return () => outer.tag }\nvar outer = 5\nconst g = mk()",
    "g",
    "captures outer, the name of a function around it",
  ],
  [
    "const g = (function () { return () => this.x }).call({ x: 3 }); var x = 99",
    "g",
    "captures this",
  ],
  ["const g = () => this.x", "g", "captures this"],
  ["const g = (function () { return () => arguments.length })(1, 2)", "g", "captures arguments"],
  ["const g = new (function () { return () => new.target })()", "g", "captures new.target"],
  ["const t = { hi() { return super.toString() } }\nconst g = t.hi", "g", "uses super"],
  [
    "class C { #x = 1; mk() { const s = this; return () => s.#x } }\nconst g = new C().mk()",
    "g",
    "captures s, which is a C with private fields",
  ],
  [
    "class Index { #x = 1; mk() { const s = this; return () => s.#x } }\nconst g = new Index().mk()",
    "g",
    "captures s, which is an Index with private fields",
  ],
  [
    "const g = (() => { const cache = new WeakMap(); return (o) => cache.get(o) })()",
    "g",
    "captures cache, which is a WeakMap",
  ],
  ["const g = (function () { return this }).bind(1)", "g", "is a native or bound function"],
];

for (const [code, name, reason] of dropped) {
  Deno.test(`dropped by name and never bound to something else: ${reason}`, async () => {
    const trip = await roundTrip(code.split("\n"), `typeof ${name}`);
    assert.equal(trip.snapshot.dropped.find((entry) => entry.name === name)?.reason, reason);
    assert.equal(trip.value, "undefined");
  });
}

Deno.test("an object keeps the rest when a method of it uses super", async () => {
  const trip = await roundTrip(
    "const o = { n: 1, hi() { return super.toString() } }",
    "o.n + typeof o.hi",
  );
  assert.deepEqual(trip.snapshot.variables[0]?.loss, [{ path: "o.hi", reason: "uses super" }]);
  assert.equal(trip.value, "1undefined");
});

Deno.test("a class whose computed member would get another name fails by name", async () => {
  const trip = await roundTrip("let n = 0\nclass A { [`k${++n}`]() {} }", "typeof A + n");
  assert.deepEqual(trip.report.failed, [
    { name: "A", reason: "its source does not make k1 again" },
  ]);
  assert.equal(trip.value, "undefined1");
});

Deno.test("names of function expressions are seen in a step that awaits too, in its functions", async () => {
  await using repl = await TestRepl.start();
  await repl.run(
    "await 0; function wrap() { return function outer() { return () => outer.tag } }\n" +
      "const inner = wrap()(); var outer = { tag: 'another' }",
  );
  const { dropped, functions } = await repl.sweep();
  assert.deepEqual(functions.map(({ name }) => name), ["wrap"]);
  assert.equal(dropped.length, 1);
  assert.match(`${dropped[0]!.name}: ${dropped[0]!.reason}`, /^inner: .*outer/);
});
