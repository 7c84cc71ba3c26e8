import assert from "node:assert/strict";
import fc from "fast-check";
import { inertBlock } from "../../lib/inert_block.ts";
import { cut, inertLine } from "../../lib/inert_text.ts";

Deno.test("a line holds nothing that can move a cursor or turn text around", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.integer({ min: 1, max: 60 }),
      (text, max) => {
        const line = inertLine(text, max);
        assert.ok(line.length <= max && line.isWellFormed());
        assert.ok(!/[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u.test(line));
      },
    ),
  );
});

Deno.test("ordinary text of any script, emoji included, stays as it is", () => {
  for (const text of ["plain", "Größe", "漢字かな", "👩‍💻 🇩🇪", "नमस्ते", "a`b```c"]) {
    assert.equal(inertLine(text, 100), text);
    assert.equal(inertBlock(text, 100), text);
  }
});

Deno.test("what is active is shown as an escape, what is cut is marked", () => {
  assert.equal(inertLine("\u001b[2J\u0085\ud800", 100), "\\x1b[2J\\x85\\ud800");
  assert.equal(inertLine(" a\n\t b ", 100), "a b");
  assert.equal(inertLine("x".repeat(1_000_000), 5), "xxxx…");
  assert.equal(inertBlock("a\u2028b\nc\td", 100), "a\\u2028b\nc\td");
  assert.equal(inertBlock("abcdef", 3), "abc\n… 3 more characters");
  assert.equal(cut("ab😀d", 4), "ab…");
});
