import assert from "node:assert/strict";
import { bar, gauge } from "../../../log/viewer/bars.ts";
import { highlight } from "../../../log/viewer/highlight.ts";
import { clamp, movement } from "../../../log/viewer/keys.ts";
import { hints, pageTop } from "../../../log/viewer/layout.ts";
import {
  barLine,
  cutLine,
  fitLine,
  type Line,
  lineWidth,
  paint,
  plain,
  span,
  spread,
  wrapSpans,
} from "../../../log/viewer/line.ts";
import { amountText, compact, compactMoney, stopwatch } from "../../../log/viewer/numbers.ts";

const MIXED: Line = [span("ab", "strong"), span("漢字"), span("🦕é", "dim")];

Deno.test("a bar is drawn to an eighth of a cell, and a part is never invisible", () => {
  assert.equal(bar(1, 2, 4), "██");
  assert.equal(bar(5, 16, 4), "█▎");
  assert.equal(bar(1, 1_000_000, 4), "▏");
  assert.equal(bar(9, 2, 4), "████");
  for (const part of [0, -1, NaN]) assert.equal(bar(part, 2, 4), "");
  assert.equal(bar(1, 0, 4), "");
  assert.equal(gauge(1, 2, 4), "██··");
});

Deno.test("numbers keep their columns, and an unknown one is no zero", () => {
  const shown = [0, 999, 1000, 12_345, 99_949, 99_950, 999_499, 1_204_000, 99_950_000].map(compact);
  assert.deepEqual(shown, [
    "0",
    "999",
    "1.0k",
    "12.3k",
    "99.9k",
    "100k",
    "999k",
    "1.2M",
    "100M",
  ]);
  for (const text of shown) assert.ok(text.length <= 5);
  assert.equal(compact(undefined), "?");
  assert.deepEqual([0, 0.00042, 1, 12.345, undefined].map(compactMoney), [
    "$0.0000",
    "$0.0004",
    "$1.00",
    "$12.35",
    "?",
  ]);
  assert.equal(amountText({ value: 1500, partial: true }), "≥1.5k");
  assert.equal(amountText({ value: undefined, partial: false }), "?");
  assert.deepEqual([0, 59_999, 60_000, 3_723_000, -5].map(stopwatch), [
    "0:00",
    "0:59",
    "1:00",
    "1:02:03",
    "0:00",
  ]);
});

Deno.test("a line is cut between characters, with a mark, also between its spans", () => {
  const shown = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((cells) => plain(cutLine(MIXED, cells)));
  assert.deepEqual(shown, [
    "ab漢字🦕é",
    "ab漢字…",
    "ab漢字…",
    "ab漢…",
    "ab漢…",
    "ab…",
    "ab…",
    "a…",
    "…",
    "",
  ]);
  for (let cells = 0; cells < 12; cells++) {
    assert.ok(lineWidth(cutLine(MIXED, cells)) <= cells);
    assert.equal(lineWidth(fitLine(MIXED, cells)), cells);
    assert.equal(lineWidth(barLine(MIXED, cells, "selected")), cells);
  }
});

Deno.test("a styled line wraps at wide characters and keeps its styles", () => {
  const rows = wrapSpans(MIXED, 3);
  assert.deepEqual(rows.map(plain), ["ab", "漢", "字", "🦕é"]);
  assert.equal(rows.at(-1)?.[0]?.style, "dim");
  assert.deepEqual(wrapSpans([span("漢字")], 1).map(plain), ["漢", "字"]);
  assert.deepEqual(wrapSpans([], 5).map(plain), [""]);
});

Deno.test("the right end of a row gives way before the left one", () => {
  const [left, right] = [[span("left")], [span("right")]];
  assert.equal(plain(spread(left, right, 12)), "left   right");
  assert.equal(plain(spread(left, right, 9)), "left");
  assert.equal(plain(spread(left, right, 3)), "le…");
});

Deno.test("paint marks styles where colour is wanted, and the selection always", () => {
  const line = [span("a", "bad"), span("b", "selected"), span("", "good")];
  assert.equal(paint(line, true), "\x1b[31ma\x1b[0m\x1b[7mb\x1b[0m");
  assert.equal(paint(line, false), "a\x1b[7mb\x1b[0m");
});

Deno.test("as many key hints are shown as fit", () => {
  const pairs = [["a", "first"], ["b", "second"]] as const;
  assert.equal(plain(hints(pairs, 80)).trimEnd(), " a first  b second");
  assert.equal(plain(hints(pairs, 14)).trimEnd(), " a first");
});

Deno.test("movement keys mean rows, pages and ends; others mean nothing", () => {
  assert.deepEqual(["j", "up", "pagedown", " ", "g", "end", "x"].map((key) => movement(key, 10)), [
    1,
    -1,
    9,
    9,
    -Infinity,
    Infinity,
    undefined,
  ]);
  assert.deepEqual([clamp(-3, 5), clamp(9, 5), clamp(1, -1), clamp(Infinity, 4)], [0, 5, 0, 4]);
  assert.deepEqual([pageTop(0, 50, 10), pageTop(25, 50, 10), pageTop(49, 50, 10)], [0, 20, 40]);
});

/** The styled parts of code, as `style:text`. */
function styles(code: string): string[] {
  return highlight(code).flat().filter((part) => part.style !== "plain")
    .map((part) => `${part.style}:${part.text}`);
}

Deno.test("JavaScript is highlighted by its tokens, not by what strings and comments hold", () => {
  assert.deepEqual(styles('const a = "// no"; // if 1\nawait llm_query(`x ${1}`, 0x1f)'), [
    "keyword:const",
    'string:"// no"',
    "comment:// if 1",
    "keyword:await",
    "call:llm_query",
    "string:`x ${1}`",
    "number:0x1f",
  ]);
  assert.deepEqual(styles("a / b / c; x = /re[/]x/g.test(y)"), ["string:/re[/]x/g"]);
  assert.deepEqual(styles("f(1) / 2 / g"), ["number:1", "number:2"]);
  assert.deepEqual(styles("return /x/"), ["keyword:return", "string:/x/"]);
});

Deno.test("Python is highlighted in transcripts of the Python engine", () => {
  assert.deepEqual(styles('import re\n# note\nprint(f"a {b}")\nx = None'), [
    "keyword:import",
    "comment:# note",
    "call:print",
    'string:f"a {b}"',
    "keyword:None",
  ]);
});

Deno.test("highlighted code keeps every character, in its lines", () => {
  const code = "/* a\nb */ const s = `1\n2`\n\n'unclosed\nx = \"also";
  assert.equal(highlight(code).map(plain).join("\n"), code);
  const long = "x = 1;\n".repeat(30_000);
  assert.equal(highlight(long).map(plain).join("\n"), long);
});

Deno.test("highlighted code is inert", () => {
  assert.equal(highlight("a\x1b[2Jb\r\nc\td").map(plain).join("|"), "a\\x1b[2Jb|c  d");
});
