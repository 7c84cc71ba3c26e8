import assert from "node:assert/strict";
import fc from "fast-check";
import { displayWidth, fit, graphemes, pad, wrap } from "../../log/width.ts";

Deno.test("displayWidth counts columns, not characters", () => {
  for (
    const [text, columns] of [
      ["abc", 3],
      ["漢字", 4],
      ["e\u0301", 1],
      ["👩‍🚀", 2],
      ["🇩🇪", 2],
      ["❤️", 2],
      ["ｱ", 1],
      ["한국", 4],
      ["Ａ", 2],
      ["→ ★ …", 5],
    ] as const
  ) assert.equal(displayWidth(text), columns, text);
});

Deno.test("fit cuts between graphemes and never exceeds its columns", () => {
  assert.equal(fit("hello", 5), "hello");
  assert.equal(fit("hello world", 6), "hello…");
  assert.equal(fit("漢字漢字", 6), "漢字…");
  assert.equal(fit("漢字漢字", 5), "漢字…");
  assert.equal(fit("漢字漢字", 4), "漢…");
  assert.equal(fit("👩‍🚀👩‍🚀", 3), "👩‍🚀…");
  assert.equal(fit("anything", 0), "");
  for (let columns = 1; columns < 12; columns++) {
    assert.ok(displayWidth(fit("a漢b字🦕c日本語", columns)) <= columns);
  }
});

Deno.test("pad fills to exactly its columns", () => {
  assert.equal(pad("漢", 5), "漢   ");
  assert.equal(pad("7", 3, "right"), "  7");
  assert.equal(displayWidth(pad("日本語テキスト", 7)), 7);
});

Deno.test("wrap keeps every character and every line within its columns", () => {
  assert.deepEqual(wrap("one two three", 8), ["one two", "three"]);
  assert.deepEqual(wrap("漢字漢字漢", 4), ["漢字", "漢字", "漢"]);
  assert.deepEqual(wrap("a\n\nb", 10), ["a", "", "b"]);
  assert.deepEqual(wrap("four five", 4), ["four", "five"]);
  assert.deepEqual(wrap("a\u0301aa b\u0301c", 4), ["a\u0301aa", "b\u0301c"]);
  assert.deepEqual(wrap(`a${"\u0301".repeat(100)}bc`, 2), [`a${"\u0301".repeat(100)}b`, "c"]);
  const long = "漢字x".repeat(5000);
  const lines = wrap(long, 7);
  assert.equal(lines.join(""), long);
  assert.ok(lines.every((line) => displayWidth(line) <= 7));
});

Deno.test("plain text breaks where any text of the same widths does", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", " ", "-"), maxLength: 60 }),
      fc.integer({ min: 2, max: 20 }),
      (text, columns) => {
        const other = text.replaceAll("a", "é").replaceAll("b", "ß").replaceAll("-", "é");
        assert.deepEqual(
          wrap(text, columns).map((line) => line.length),
          wrap(other, columns).map((line) => line.length),
        );
      },
    ),
  );
});

Deno.test("what a reader takes for one character is found in mixed text as in all of it", () => {
  const whole = new Intl.Segmenter("en", { granularity: "grapheme" });
  const unit = fc.constantFrom(
    "a",
    "z ",
    "é",
    "e\u0301",
    "漢",
    "👩‍🚀",
    "🇩🇪",
    "\u0301",
    "\u200d",
    "한",
    "…",
    "★",
    "я",
    "⌚",
    "©\ufe0f",
    "\u0600",
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      assert.deepEqual(
        [...graphemes(text)].map(({ segment, index }) => ({ segment, index })),
        [...whole.segment(text)].map(({ segment, index }) => ({ segment, index })),
      );
    }),
  );
});

Deno.test("each character that is taken for a single one is one beside any other of them", () => {
  const whole = new Intl.Segmenter("en", { granularity: "grapheme" });
  const singles: string[] = [];
  for (let code = 0x20; code < 0x10000; code++) {
    const char = String.fromCharCode(code);
    // Of what must be asked for, an array is not made at once.
    if (Array.isArray(graphemes(char))) singles.push(char);
  }
  assert.ok(singles.length > 30_000);
  for (const text of [singles.join(""), singles.map((char) => char + char + "a漢").join("")]) {
    assert.equal([...whole.segment(text)].length, text.length);
  }
});

Deno.test("a character takes the columns that its class of characters says", () => {
  const zero = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
  for (let code = 0x20; code < 0x231a; code++) {
    const char = String.fromCharCode(code);
    const columns = zero.test(char) ? 0 : code >= 0x1100 && code <= 0x115f ? 2 : 1;
    assert.equal(displayWidth(char), columns, code.toString(16));
  }
});
