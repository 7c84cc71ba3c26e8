import assert from "node:assert/strict";
import * as devalue from "devalue";
import { encodeValue } from "../../repl/codec.ts";
import { linkTable } from "../../repl/link.ts";
import { DecodeError, MAX_DEPTH, readTable } from "../../repl/table.ts";
import { difference } from "../support/same.ts";

const link = (text: string): unknown => linkTable(readTable(text))?.root;

const shared = { a: [1] };
const loop: Record<string, unknown> = { n: 1 };
loop["self"] = [loop, new Map([[loop, new Set([loop])]])];
const plain: readonly (readonly [string, unknown])[] = [
  ["nothing", []],
  ["numbers of every kind", [0, -0, 1.5, NaN, Infinity, -Infinity, { z: -0 }]],
  ["holes at both ends and between", [, 1, , 2, ,]],
  ["undefined, null, booleans and strings", { u: undefined, n: null, t: true, s: "é\u2028" }],
  ["keys that are indices", { 7: "b", a: 1, 0: "a" }],
  ["rows of a table", Array.from({ length: 50 }, (_, n) => ({ n, half: n / 2, text: `t${n}` }))],
  ["what is shared", [shared, { shared }, new Map([["k", shared]])]],
  ["cycles", loop],
  [
    "collections in each other",
    new Map<unknown, unknown>([[new Set([[1]]), new Map()], [NaN, -0]]),
  ],
  ["dates", [new Date(0), new Date(NaN)]],
];

for (const [name, value] of plain) {
  Deno.test(`a table is made in its rows as devalue makes it: ${name}`, () => {
    const { text } = encodeValue(value);
    assert.equal(difference(link(text), devalue.parse(text)), undefined);
  });
}

for (
  const [name, value] of [
    ["sparse arrays", Object.assign([], { 1_000: 1 })],
    ["null prototypes", Object.assign(Object.create(null), { a: 1 })],
    ["typed arrays", new Uint8Array(2)],
    ["symbols", [Symbol.for("x")]],
  ] as const
) {
  Deno.test(`a table is left to devalue as it was: ${name}`, () => {
    const { text } = encodeValue([{ a: 1 }, new Map([[1, 2]]), value]);
    const rows = readTable(text);
    assert.equal(linkTable(rows), undefined);
    assert.deepEqual(rows, JSON.parse(text));
  });
}

Deno.test("a table is made to the depth at which encoders begin to patch, and no further", () => {
  const nested = (levels: number): string => {
    const rows = ['{"v":1}', "[2]"];
    for (let i = 0; i < levels; i++) rows.push(`[${rows.length + 1}]`);
    return `[${rows.join()},1]`;
  };
  let depth = 0;
  const { v } = link(nested(MAX_DEPTH)) as { v: unknown };
  for (let at = v; Array.isArray(at); at = at[0]) depth++;
  assert.equal(depth, MAX_DEPTH + 1);
  assert.throws(() => link(nested(MAX_DEPTH + 1)), DecodeError);
});

Deno.test("rows that are nested from the last to the first are refused", () => {
  const rows = ['{"v":9}', "1"];
  for (let i = 2; i < 9; i++) rows.push(`[${i - 1}]`);
  assert.throws(() => link(`[${rows.join()},[8]]`), DecodeError);
});
