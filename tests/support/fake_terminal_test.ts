import assert from "node:assert/strict";
import { FakeTerminal } from "./fake_terminal.ts";

function written(columns: number, rows: number, text: string): FakeTerminal {
  const terminal = new FakeTerminal(columns, rows);
  terminal.write(text);
  return terminal;
}

Deno.test("the fake terminal wraps, scrolls and keeps what scrolled", () => {
  const terminal = written(4, 2, "abcdef\nghi\n");
  assert.deepEqual(terminal.screen(), ["ghi", ""]);
  assert.deepEqual(terminal.scrollback, ["abcd", "ef"]);
});

Deno.test("the fake terminal puts a wide character into two cells and never tears it", () => {
  assert.deepEqual(written(5, 3, "漢字かな").screen(), ["漢字", "かな", ""]);
  assert.deepEqual(written(5, 2, "a漢\x1b[3Gb").screen(), ["a b", ""]);
  assert.deepEqual(written(5, 2, "漢字\x1b[1Gx").screen(), ["x 字", ""]);
});

Deno.test("at the last column the next character wraps, and an erase hits the last cell", () => {
  const terminal = written(4, 2, "abcd\x1b[K");
  assert.deepEqual(terminal.screen(), ["abc", ""]);
});

Deno.test("the fake terminal takes sequences in pieces and refuses those that are not ours", () => {
  const terminal = new FakeTerminal(10, 3);
  for (const piece of ["ab\x1b", "[", "1", "D", "c"]) terminal.write(piece);
  assert.equal(terminal.text(), "ac");
  for (const stray of ["\x1b]52;c;eA==\x07", "\x07", "\x9b", "\x1bc", "\t"]) {
    assert.throws(() => terminal.write(stray), /Stray/);
  }
});

Deno.test("the alternate screen comes and goes without touching the main one", () => {
  const terminal = written(10, 3, "main\x1b[?1049hother\x1b[2J\x1b[Hx");
  assert.equal(terminal.text(), "x");
  terminal.write("\x1b[?1049l");
  assert.equal(terminal.text(), "main");
});

Deno.test("a narrower fake terminal wraps its lines again, or cuts them", () => {
  const wraps = written(6, 4, "abcdef\nx\n");
  wraps.resize(4, 4);
  assert.deepEqual(wraps.screen(), ["abcd", "ef", "x", ""]);
  assert.deepEqual(wraps.cursor, { x: 0, y: 3 });
  const cuts = new FakeTerminal(6, 4, { reflow: false });
  cuts.write("abcdef\nx\n");
  cuts.resize(4, 4);
  assert.deepEqual(cuts.screen(), ["abcd", "x", "", ""]);
});
