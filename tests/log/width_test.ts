import assert from "node:assert/strict";
import { displayWidth, fit, pad, wrap } from "../../log/width.ts";

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
  const long = "漢字x".repeat(5000);
  const lines = wrap(long, 7);
  assert.equal(lines.join(""), long);
  assert.ok(lines.every((line) => displayWidth(line) <= 7));
});
