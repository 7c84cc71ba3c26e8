import assert from "node:assert/strict";
import { finalAsJson, finalAsText } from "../../lib/final_json.ts";

Deno.test("what JSON keeps exactly is stored as it is, anything else as its text", () => {
  const shared = { n: 1 };
  for (const value of [0, "", false, null, [1, "a"], { a: { b: [] } }, [shared, shared]]) {
    assert.equal(finalAsJson(value, 1_000), value);
  }
  for (
    const value of [1n, NaN, -0, Infinity, [undefined], { a: undefined }, new Date(0), new Set([1])]
  ) {
    assert.equal(typeof finalAsJson(value, 1_000), "string");
  }
  assert.equal(finalAsJson(undefined, 1_000), undefined);
});

Deno.test("a toJSON of its own or a depth beyond all reason is told as text", () => {
  assert.equal(typeof finalAsJson({ toJSON: () => "lie" }, 1_000), "string");
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];
  assert.match(String(finalAsJson(deep, 1_000)), /\[Array\]/);
});

Deno.test("a long answer is its beginning and a count", () => {
  assert.equal(finalAsJson("x".repeat(20), 10), "xxxxxxxxxx\n… 10 more characters");
  assert.equal(finalAsJson(["y".repeat(20)], 10), '["yyyyyyyy\n… 14 more characters');
  assert.equal(finalAsJson([1n, "z".repeat(20)], 10), '[ 1n, "zzz\n… 20 more characters');
});

Deno.test("a stored answer as text: strings bare, the rest as JSON", () => {
  assert.deepEqual(["a", 0, null, [1], undefined].map(finalAsText), [
    "a",
    "0",
    "null",
    "[1]",
    "undefined",
  ]);
});
