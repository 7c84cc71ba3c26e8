import assert from "node:assert/strict";
import fc from "fast-check";
import { toJsonText } from "../../../lib/cli/result_json.ts";

const loop: Record<string, unknown> = { a: 1 };
loop["self"] = loop;
const shared = { n: 1 };
class Doc {
  text = "x";
}

// deno-lint-ignore no-control-regex
const active = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

const cases: readonly (readonly [name: string, value: unknown, expected: unknown])[] = [
  ["undefined", undefined, null],
  ["undefined inside", { a: undefined, b: [undefined] }, { a: null, b: [null] }],
  ["numbers JSON has no form for", [NaN, Infinity, -Infinity], ["NaN", "Infinity", "-Infinity"]],
  ["bigint", 2n ** 64n, "18446744073709551616"],
  ["a map with text keys", new Map([["a", 1]]), { a: 1 }],
  ["a map with other keys", new Map<unknown, unknown>([[1, "x"], ["b", 2]]), [[1, "x"], ["b", 2]]],
  ["an empty map", new Map(), {}],
  ["a set", new Set([1, new Set([2])]), [1, [2]]],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["an invalid date", new Date(NaN), null],
  ["an error", new TypeError("bad"), { name: "TypeError", message: "bad" }],
  ["typed arrays", [new Uint8Array([1, 2]), new BigInt64Array([3n])], [[1, 2], ["3"]]],
  ["buffers", [new ArrayBuffer(2), new DataView(new ArrayBuffer(3), 1)], [[0, 0], [0, 0]]],
  ["url and pattern", [new URL("http://h/"), /a/gi], ["http://h/", "/a/gi"]],
  ["symbols and functions", [Symbol("s"), function f() {}, () => 1], [
    "Symbol(s)",
    "[function f]",
    "[function without a name]",
  ]],
  ["a cycle", loop, { a: 1, self: "[circular]" }],
  ["a shared value", [shared, shared], [{ n: 1 }, { n: 1 }]],
  ["a hole", Array(2), [null, null]],
  ["an instance", new Doc(), { text: "x" }],
  ["a null prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["a toJSON is not called", { toJSON: () => assert.fail() }, { toJSON: "[function toJSON]" }],
];

for (const [name, value, expected] of cases) {
  Deno.test(`JSON of ${name}`, () => {
    assert.deepEqual(JSON.parse(toJsonText(value)), expected);
  });
}

Deno.test("a __proto__ key stays a key", () => {
  assert.equal(toJsonText(JSON.parse('{"__proto__":1}')), '{\n  "__proto__": 1\n}');
});

Deno.test("deep values and values that multiply come to an end", () => {
  let deep: unknown = null;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  assert.match(toJsonText(deep), /nested too deep/);
  let wide: unknown = 0;
  for (let i = 0; i < 40; i++) wide = [wide, wide];
  assert.match(toJsonText(wide, 10_000), /too many values/);
});

Deno.test("no character of the text acts on a terminal, and the value stays the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = toJsonText({ text });
      assert.doesNotMatch(json, active);
      assert.equal(JSON.parse(json).text, text);
    }),
  );
});

Deno.test("JSON that has a form is rendered as JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(toJsonText(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});
