import assert from "node:assert/strict";
import fc from "fast-check";
import type { Manifest } from "../../lib/session_format.ts";
import { parseFields } from "../../lib/session_layout.ts";
import { ManifestText } from "../../lib/session_text.ts";
import { longSession } from "../support/long_session.ts";

const seed = Number(Deno.env.get("FC_SEED") ?? Date.now() % 2 ** 31);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A manifest as it is read from what the engine writes. */
function reread(manifest: Manifest): { manifest: Manifest; written: ManifestText } {
  const { value, fields } = parseFields(new ManifestText().encode(manifest));
  const written = new ManifestText();
  assert.ok(fields);
  written.remember(value as Manifest, fields);
  return { manifest: value as Manifest, written };
}

const session: Manifest = Object.assign(longSession(20), {
  dropped: { "}\n]": { query: 1, step: 1, type: "Promise – 约", reason: "}\n],\n" } },
  "x-other": { deep: [1, { "}": null }] },
  "x-null": null,
});

Deno.test("what the engine wrote is read as JSON reads it, and written again as it was", () => {
  const bytes = new ManifestText().encode(session);
  const { manifest, written } = reread(session);
  assert.deepEqual(manifest, JSON.parse(text(bytes)));
  assert.equal(text(written.encode(manifest)), text(bytes));
});

Deno.test("what changed is written anew beside what stays", () => {
  const { manifest, written } = reread(session);
  const changed = { ...manifest, engine: "9.9.9", queries: manifest.queries.slice(1), dropped: {} };
  assert.equal(text(written.encode(changed)), text(new ManifestText().encode(changed)));
});

Deno.test(`whatever the layout, the value is that of the whole (seed ${seed})`, () => {
  const line = fc.constantFrom(
    ...[
      "{",
      "}",
      "[",
      "]",
      "},",
      "],",
      '"a": {',
      '"b": [',
      '"c": 1',
      '"a": 2,',
      '"__proto__": {},',
    ],
    ...['"d": {}', '"e": [],', "1,", "2", '{"f": ","}', '"g": "}",', ""],
  );
  const joined = fc.array(line, { maxLength: 12 }).map((lines) => `{\n${lines.join("\n")}\n}\n`);
  const laidOut = fc.object().map((value) => text(new ManifestText().encode(value as never)));
  const spaced = fc.tuple(fc.object(), fc.constantFrom(0, 1, "\n"))
    .map(([value, space]) => JSON.stringify(value, undefined, space));
  fc.assert(
    fc.property(fc.oneof(joined, laidOut, spaced), (json) => {
      const read = (parse: () => unknown): unknown => {
        try {
          return parse();
        } catch (error) {
          return (error as Error).name;
        }
      };
      const expected = read(() => JSON.parse(json));
      assert.deepEqual(read(() => parseFields(utf8(json)).value), expected);
    }),
    { seed, numRuns: 2_000 },
  );
});

for (
  const [what, json] of [
    ["a record that ends inside another", '{\n"a": {\n"b": {\n"c": 1\n},\n"d": 2\n}\n}\n'],
    ["a key that comes twice", '{\n"a": {},\n"a": 1\n}\n'],
    ["one line", '{"a":{"b":1}}'],
    ["more behind the end", '{\n"a": {}\n}\n\n'],
  ] as const
) {
  Deno.test(`no field is told of another layout: ${what}`, () => {
    assert.deepEqual(parseFields(utf8(json)), { value: JSON.parse(json) });
  });
}

Deno.test("a torn text is no JSON at any length", () => {
  const bytes = new ManifestText().encode(session);
  for (let length = 0; length < bytes.length - 3; length += 97) {
    assert.throws(() => parseFields(bytes.subarray(0, length)));
  }
});
