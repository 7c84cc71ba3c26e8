import assert from "node:assert/strict";
import * as devalue from "devalue";
import { DecodeError, decodeValue, EncodeError, encodeValue } from "../../repl/codec.ts";
import { difference } from "../support/same.ts";

const copy = (value: unknown): unknown => decodeValue(encodeValue(value).text);

const data: readonly (readonly [string, () => unknown])[] = [
  [
    "primitives",
    () => [undefined, null, true, -0, NaN, 1n, "é\ud800\u0000\u2028", Symbol.for("x")],
  ],
  ["sparse arrays", () => Object.assign([], { 3: 1, length: 9 })],
  ["collections", () => new Map<unknown, unknown>([[{ k: 1 }, new Set([[1]])]])],
  ["errors with a cause", () => new TypeError("t", { cause: { a: [1] } })],
  ["shared buffers", () => {
    const buffer = new ArrayBuffer(8);
    return [new Uint8Array(buffer, 2, 2), buffer, new DataView(buffer)];
  }],
  [
    "frozen objects and hidden properties",
    () => Object.freeze([Object.defineProperty({ a: 1 }, "h", { value: 2 })]),
  ],
  ["__proto__ keys", () => JSON.parse('{"__proto__":{"admin":true},"n":1}')],
  ["cycles", () => {
    const o: Record<string, unknown> = {};
    o["self"] = [o, new Map([[o, o]])];
    return o;
  }],
  ["null prototypes", () => Object.assign(Object.create(null), { a: 1 })],
  ["falsy errors (case 32)", () => [new Error(""), new Error(), Object(0), Object("")]],
];

for (const [name, make] of data) {
  Deno.test(`${name} cross the pipe unchanged`, () => {
    const { text, loss } = encodeValue(make());
    assert.deepEqual(loss, []);
    assert.equal(difference(decodeValue(text), make()), undefined);
  });
}

Deno.test("plain data is devalue's own format", () => {
  const value = { a: [1, , undefined, NaN], m: new Map([["k", new Date(0)]]), r: /x/g, n: 10n };
  const { v } = devalue.parse(encodeValue(value).text) as { v: unknown[] };
  assert.equal(difference(v[0], value), undefined);
});

Deno.test("what is no data is left out and named by path (cases 26, 27, 49)", () => {
  class Doc {
    t = 1;
    constructor() {}
  }
  const value = { rows: [{}, { h: () => 1 }], doc: new Doc(), p: Promise.resolve(), ok: 1 };
  const { text, loss } = encodeValue(value);
  assert.deepEqual(decodeValue(text), { rows: [{}, {}], doc: { t: 1 }, ok: 1 });
  assert.deepEqual(loss.map(({ path, reason }) => `${path} ${reason}`).sort(), [
    "value.doc is a Doc, kept as plain data",
    "value.p is a promise",
    "value.rows[1].h is a function",
  ]);
});

Deno.test("a value of which nothing is left is refused with its path (cases 44, 47)", () => {
  for (
    const [value, reason] of [
      [() => 1, /it is a function/],
      [Promise.resolve(1), /it is a promise/],
      [[Promise.resolve(1)], /value\[0\] is a promise/],
      [new Proxy({}, {}), /it is a Proxy/],
      [new WeakMap(), /it is a WeakMap/],
    ] as const
  ) {
    assert.throws(() => encodeValue(value), (error) => {
      assert.ok(error instanceof EncodeError);
      assert.match(error.message, reason);
      return true;
    });
  }
});

Deno.test("the cap counts UTF-8 bytes and escapes, and stops early (cases 34, 35)", () => {
  assert.throws(() => encodeValue("\u0000".repeat(1000), { capBytes: 6000 }), EncodeError);
  assert.throws(() => encodeValue("é".repeat(600), { capBytes: 1000 }), EncodeError);
  assert.ok(encodeValue("é".repeat(400), { capBytes: 1000 }).text.length > 400);
  assert.throws(
    () => encodeValue(new Uint8Array(new ArrayBuffer(6e6), 0, 2), { capBytes: 5e6 }),
    EncodeError,
  );
  const endless = {
    get next(): unknown {
      throw new Error("accessors are not called");
    },
  };
  assert.equal(encodeValue(endless).loss[0]?.path, "value.next (getter)");
});

Deno.test("20,000 levels and links in all directions cross without recursion (case 42)", () => {
  interface Node {
    i: number;
    next?: Node;
    previous?: Node;
  }
  const first: Node = { i: 0 };
  const all = [first];
  for (let i = 1; i < 20_000; i++) {
    const node: Node = { i, previous: all[i - 1] as Node };
    (all[i - 1] as Node).next = node;
    all.push(node);
  }
  const [list, head] = copy([all, first]) as [Node[], Node];
  assert.equal(list[0], head);
  for (let i = 1; i < list.length; i++) {
    assert.equal(list[i - 1]?.next, list[i]);
    assert.equal(list[i]?.previous, list[i - 1]);
  }
  let deep: unknown = null;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  let levels = 0;
  for (let at = copy(deep); Array.isArray(at); at = at[0]) levels++;
  assert.equal(levels, 20_000);
});

Deno.test("a resizable buffer is kept at its length, and named", () => {
  const { text, loss } = encodeValue({ b: new ArrayBuffer(2, { maxByteLength: 8 }) });
  assert.equal((decodeValue(text) as { b: ArrayBuffer }).b.byteLength, 2);
  assert.deepEqual(loss, [{ path: "value.b", reason: "is resizable, kept at its length" }]);
});

const deepText = (): string => {
  const rows = ['{"v":1}', "[2]"];
  for (let i = 2; i < 300_000; i++) rows.push(`[${i + 1}]`);
  return `[${rows.join()},1]`;
};
const hostile: readonly (readonly [string, string])[] = [
  ["a huge sparse array (case 37)", '[{"v":1},[2],[-7,4294967295]]'],
  ["a sparse index beyond its array", '[{"v":1},[2],[-7,3,5,1]]'],
  ["an index out of range", '[{"v":1},[9]]'],
  ["a negative index", '[{"v":1},[-9]]'],
  ["a fraction as an index", '[{"v":1},[1.5]]'],
  ["nested arrays beyond the stack", deepText()],
  ["a prototype key (case 38)", '[{"v":1},[2],{"__proto__":1}]'],
  ["a prototype key of a null-prototype object", '[{"v":1},[2],["null","__proto__",1]]'],
  ["a view without a buffer", '[{"v":1},[2],["Uint8Array",3],1000000000]'],
  ["a boxed object", '[{"v":1},[2],["Object",2]]'],
  ["an unknown tag", '[{"v":1},[2],["Evil",1]]'],
  ["a bigint that is code", '[{"v":1},[2],["BigInt","0x10"]]'],
  ["a bigint that takes minutes", `[{"v":1},[2],["BigInt","${"9".repeat(1_000_001)}"]]`],
  ["a regular expression with bad flags", '[{"v":1},[2],["RegExp","a","zz"]]'],
  ["a regular expression that does not parse", '[{"v":1},[2],["RegExp","("]]'],
  ["a built-in", '[{"v":1},[2],["native",3],"Function"]'],
  ["a function", '[{"v":1},[2],["function",3],0]'],
  ["a definition", '[{"d":1,"v":6},{"f":2,"o":3},[4],[5],{"s":7},0,[5],"()=>1"]'],
  [
    "a patch of a built-in",
    '[{"v":1,"p":2},[],[3],[4,5,6,7,8],"property",["native",9],"x",7,1,"Object.prototype"]',
  ],
  ["a patch with an unknown operation", '[{"v":1,"p":2},[],[3],[4,1],"evil"]'],
  ["an accessor without functions", '[{"v":1,"p":2},[6],[3],[4,6,5,7,8],"accessor","x",{},7,5]'],
  ["a cycle of prototypes", '[{"v":1,"p":2},[3],[4],{},[5,3,3],"prototype"]'],
  ["a prototype that is no prototype", '[{"v":1,"p":2},[3],[4],{},[5,3,6],"prototype","Function"]'],
  ["no table", "{}"],
  ["an empty table", "[]"],
  ["no values", '[{"x":1},1]'],
  ["no JSON", "[{"],
  ["an empty text", ""],
  ["a bare number", "-1"],
];

for (const [name, text] of hostile) {
  Deno.test(`hostile text is refused: ${name}`, () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    assert.throws(() => decodeValue(text), (error) => {
      assert.ok(error instanceof DecodeError, String(error));
      assert.ok(error.message.length < 300);
      return true;
    });
    assert.equal(Reflect.ownKeys(Object.prototype).length, before);
  });
}
