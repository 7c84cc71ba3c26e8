import assert from "node:assert/strict";
import fc from "fast-check";
import { describeSkipped, EntryReader, LineSplitter, type Skipped } from "../../log/reader.ts";
import type { Entry } from "../../log/entry.ts";
import { join } from "@std/path";
import { withTempDir } from "../support/temp_dir.ts";

const utf8 = new TextEncoder();
const entry = (n: number, extra: Record<string, unknown> = {}): string =>
  JSON.stringify({
    time: "2026-01-01T00:00:00Z",
    run_id: "r",
    depth: 0,
    event_type: "warning",
    step: n,
    ...extra,
  });

function read(
  text: string | Uint8Array,
  chunk = 1 << 20,
  limit?: number,
): { entries: Entry[]; skipped: Skipped } {
  const entries: Entry[] = [];
  const reader = new EntryReader((entry) => entries.push(entry), limit);
  const bytes = typeof text === "string" ? utf8.encode(text) : text;
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  reader.end();
  return { entries, skipped: reader.skipped };
}

Deno.test("a bad line in the middle of 100 costs one line, and is named", () => {
  const lines = Array.from({ length: 100 }, (_, i) => i === 49 ? '{"run_id": tru' : entry(i));
  const { entries, skipped } = read(`${lines.join("\n")}\n`);
  assert.equal(entries.length, 99);
  assert.equal(describeSkipped(skipped), "1 line skipped (line 50)");
});

Deno.test("lines split on \\n only", () => {
  const message = "a\u2028b\u2029c\u0085d\x0be\x0cf\r g";
  const { entries, skipped } = read(`${entry(1, { message })}\n${entry(2)}\n`);
  assert.equal(entries[0]?.message, message);
  assert.equal(entries.length, 2);
  assert.equal(skipped.count, 0);
});

Deno.test("byte order mark, CRLF, blank lines and a missing last newline are tolerated", () => {
  const { entries, skipped } = read(`\ufeff${entry(1)}\r\n\r\n  \n${entry(2)}\n\n${entry(3)}`);
  assert.deepEqual(entries.map((item) => item.step), [1, 2, 3]);
  assert.equal(skipped.count, 0);
});

Deno.test("NULs, foreign JSON, torn ends and binary are skipped with their numbers", () => {
  const text = [
    entry(1),
    "\0".repeat(4096),
    "null",
    '{"level":30,"msg":"other"}',
    "[1,2]",
    entry(2),
    "\u{fffd}\x01",
    entry(3).slice(0, 30),
  ].join("\n");
  const { entries, skipped } = read(text);
  assert.equal(entries.length, 2);
  assert.deepEqual(skipped, { count: 6, lines: [2, 3, 4, 5, 7, 8] });
  assert.equal(describeSkipped(skipped), "6 lines skipped (lines 2, 3, 4, 5, 7 and 8)");
});

Deno.test("a line over the limit is passed over, the next one read", () => {
  const { entries, skipped } = read(
    `${entry(1)}\n${entry(2, { message: "x".repeat(5000) })}\n${entry(3)}\n`,
    100,
    1000,
  );
  assert.deepEqual(entries.map((item) => item.step), [1, 3]);
  assert.deepEqual(skipped, { count: 1, lines: [2] });
});

Deno.test("many bad lines keep their count and the first numbers", () => {
  const { skipped } = read("bad\n".repeat(1000));
  assert.equal(skipped.count, 1000);
  assert.equal(skipped.lines.length, 20);
  assert.match(
    describeSkipped(skipped),
    /^1000 lines skipped \(lines 1, 2, .*, 20 and 980 more\)$/,
  );
});

Deno.test("where chunks end changes nothing, within a character neither", () => {
  const seed = 20260101;
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 40 }).map((s) => s.replaceAll("\n", " ")), {
        maxLength: 8,
      }),
      fc.integer({ min: 1, max: 9 }),
      (texts, size) => {
        const bytes = utf8.encode(texts.map((text) => `${text}\n`).join(""));
        const lines: string[] = [];
        const splitter = new LineSplitter({
          line: (text) => lines.push(text),
          tooLong: () => assert.fail("no line is that long"),
        });
        for (let at = 0; at < bytes.length; at += size) {
          splitter.push(bytes.subarray(at, at + size));
        }
        splitter.end();
        const whole = new TextDecoder();
        assert.deepEqual(lines, texts.map((text) => whole.decode(utf8.encode(text))));
      },
    ),
    { seed, numRuns: 200 },
  );
});

Deno.test("a small file that is read at once gives what it gives in pieces", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "run.jsonl");
    const part = fc.oneof(
      fc.constantFrom("\n", "\r\n", "\ufeff", " ", "\0", "{", '{"run_id":"r","event_type":"x"}')
        .map((text) => utf8.encode(text)),
      fc.string({ unit: "binary", maxLength: 5 }).map((text) =>
        utf8.encode(`{"run_id":"r","event_type":"x","text":${JSON.stringify(text)}}`)
      ),
      fc.uint8Array({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const bytes = Uint8Array.from(parts.flatMap((each) => [...each]));
        Deno.writeFileSync(path, bytes);
        const atOnce: Entry[] = [];
        const inPieces: Entry[] = [];
        const whole = new EntryReader((entry) => atOnce.push(entry));
        whole.file(path);
        const pieces = new EntryReader((entry) => inPieces.push(entry));
        pieces.push(bytes);
        pieces.end();
        assert.deepEqual(atOnce, inPieces);
        assert.deepEqual(whole.skipped, pieces.skipped);
        assert.equal(whole.bytes, pieces.bytes);
      }),
      { numRuns: 300 },
    );
  });
});

Deno.test("a small file is read in pieces where a line may be shorter still", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "run.jsonl");
    await Deno.writeTextFile(path, `{"run_id":"r","event_type":"x","text":"${"a".repeat(100)}"}\n`);
    const reader = new EntryReader(() => assert.fail("it is too long"), 64);
    reader.file(path);
    assert.equal(reader.skipped.count, 1);
  });
});
