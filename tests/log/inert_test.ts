import assert from "node:assert/strict";
import fc from "fast-check";
import { inert, inertLine } from "../../log/inert.ts";

Deno.test("inert shows what would act on a terminal as escapes", () => {
  for (
    const [text, shown] of [
      ["\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"],
      ["\x1b[2Jgone", "\\x1b[2Jgone"],
      ["\x9b2J\x90", "\\x9b2J\\x90"],
      ["abc\u202edcba\u202c", "abc\\u202edcba\\u202c"],
      ["\u2066a\u2069\u200e\u200f\u061c", "\\u2066a\\u2069\\u200e\\u200f\\u061c"],
      ["a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\x85d"],
      ["half \ud83e and \udd95", "half \\ud83e and \\udd95"],
      ["\0\b\x7f\r", "\\x00\\b\\x7f\\r"],
      ["\ufeffx\u{e0041}", "\\ufeffx\\u{e0041}"],
    ] as const
  ) assert.equal(inert(text), shown);
});

Deno.test("inert leaves letters, emoji sequences, newlines and marks as they are", () => {
  for (const text of ["漢字 ñ e\u0301", "👩‍🚀🏽 🦕 ❤️", "a\nb", "नमस्ते", "\u00a0"]) {
    assert.equal(inert(text), text);
  }
  assert.equal(inert("a\r\nb\tc"), "a\nb  c");
});

Deno.test("inertLine is one line", () => {
  assert.equal(inertLine("  a\n\n b\t\x1b[0m \n"), "a b \\x1b[0m");
});

Deno.test("a plain line is made inert as any other", () => {
  const unit = fc.constantFrom("a", " ", "  ", "\t", "\n", "~", "\x7f", "é", "\x1b", "\u00a0");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
      assert.equal(inertLine(text), inert(text).replace(/\s+/gu, " ").trim());
    }),
  );
});

Deno.test("no code point that acts survives", () => {
  for (let code = 0; code < 0x3000; code++) {
    const out = inert(String.fromCodePoint(code));
    // deno-lint-ignore no-control-regex
    const acts = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/.test(out);
    assert.equal(acts, false, `U+${code.toString(16)}`);
  }
});
