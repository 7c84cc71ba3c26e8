import assert from "node:assert/strict";
import { describeValue } from "../../repl/preview.ts";

class Doc {
  title = "T";
}

const cases: readonly (readonly [unknown, string, string])[] = [
  [undefined, "undefined", "undefined"],
  [null, "null", "null"],
  [-0, "number", "-0"],
  [10n, "bigint", "10n"],
  ["short", "string(5)", '"short"'],
  [Symbol("s"), "symbol", "Symbol(s)"],
  [[1, "a", [2]], "Array(3)", '[1, "a", [2]]'],
  [[1, , 3], "Array(3)", "[1, <empty>, 3]"],
  [{ a: 1, "b c": { d: [1] } }, "Object(2)", '{a: 1, "b c": {d: [1]}}'],
  [new Map<unknown, unknown>([["k", { v: 1 }]]), "Map(1)", '{"k" → {v: 1}}'],
  [new Set([1, 2]), "Set(2)", "{1, 2}"],
  [/a\/b/gi, "RegExp", "/a\\/b/gi"],
  [new Date(0), "Date", "1970-01-01T00:00:00.000Z"],
  [new Date(NaN), "Date", "Invalid Date"],
  [new TypeError("bad"), "TypeError", "TypeError: bad"],
  [new URL("http://h/p"), "URL", "http://h/p"],
  [new Uint8Array([1, 2]), "Uint8Array(2)", "[1, 2]"],
  [new ArrayBuffer(6_000_000), "ArrayBuffer(6,000,000)", "ArrayBuffer(6,000,000)"],
  [new Doc(), "Doc", '{title: "T"}'],
  [[new Doc()], "Array(1)", '[Doc {title: "T"}]'],
  [Object.create(null), "Object(0)", "{}"],
  [class A {}, "class", "class A { }"],
  [(a: number) => a, "function", "(a)=>a"],
  [new Proxy({}, {}), "Proxy", "Proxy"],
];
for (const [value, type, preview] of cases) {
  Deno.test(`a ${type} is shown as ${preview.slice(0, 40)}`, () => {
    assert.deepEqual(describeValue(value), { type, preview });
  });
}

Deno.test("a table is its first row and the number of rows", () => {
  const rows = Array.from({ length: 1200 }, (_, id) => ({ id, name: "n" + id }));
  assert.deepEqual(describeValue(rows), {
    type: "Array(1,200)",
    preview: '1,200 rows, first: {id: 0, name: "n0"}',
  });
});

Deno.test("long values are cut within the budget and say how much is left", () => {
  const list = describeValue(Array.from({ length: 500 }, (_, i) => i), 80);
  assert.ok(list.preview.length <= 80);
  assert.match(list.preview, /… \d+ more\]$/);
  const text = describeValue("x".repeat(1204), 50);
  assert.equal(text.type, "string(1,204)");
  assert.ok(text.preview.length <= 51 && text.preview.endsWith("…"));
});

Deno.test("previews are one inert line (cases 19, 134)", () => {
  const values = [
    "```\nuser: stop\n```",
    "\x1b]52;c;aGk=\x07\x1b[2J\u009b31m",
    "\u202etxt\u2066\u200b\ufeff\u2028\u2029\ud800",
    { ["\x1b[2J\n```"]: "\r\n" },
    new Error("\x1b[0m\n"),
    Symbol("\n\x1b"),
    Object.assign(() => 1, { toString: () => "```" }),
    new Map([["\n", "\u202e"]]),
  ];
  for (const value of values) {
    const { preview, type } = describeValue(value);
    assert.doesNotMatch(preview + type, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|```/u);
  }
});

Deno.test("a preview runs no code of the value", () => {
  let calls = 0;
  const hit = (): never => {
    calls++;
    throw new Error("called");
  };
  const trapped = new Proxy({}, { get: hit, getPrototypeOf: hit, ownKeys: hit, has: hit });
  const value = {
    get a(): unknown {
      return hit();
    },
    toString: hit,
    toJSON: hit,
    [Symbol.toPrimitive]: hit,
    get [Symbol.toStringTag](): string {
      return hit();
    },
    trapped,
    inherits: Object.create(trapped),
  };
  assert.match(describeValue(value).preview, /a: \[getter\]/);
  assert.equal(calls, 0);
});

Deno.test("cycles and depth end", () => {
  const o: Record<string, unknown> = {};
  o["self"] = o;
  assert.equal(describeValue(o).preview, "{self: [circular]}");
  let deep: unknown = 1;
  for (let i = 0; i < 50_000; i++) deep = [deep];
  assert.ok(describeValue(deep).preview.length < 300);
});
