import assert from "node:assert/strict";
import fc from "fast-check";
import type { RlmError } from "../../lib/errors.ts";
import { checkSessionId, portableFileName, segmentFault } from "../../lib/session_path.ts";

Deno.test("ordinary ids are taken as they are", () => {
  const ids = [
    "a",
    "2026-01-02",
    "my session",
    "ünïcødé",
    "会議",
    "v1.2",
    "a".repeat(100),
    "con1",
    "common",
  ];
  for (const id of [...ids, "...x", "-", "com", "nulls", "CON-1"]) {
    assert.equal(checkSessionId(id), id);
  }
});

Deno.test("ids that are no portable path segment are refused by name", () => {
  const ids = [
    "",
    ".",
    "..",
    "../../x",
    "/etc",
    "a/b",
    "a\\b",
    "C:\\x",
    "a:b",
    "a*",
    "a?",
    'a"',
    "<a",
    "a>",
  ]
    .concat(
      "a|b",
      "a\0b",
      "a\nb",
      "a\tb",
      " a",
      "a ",
      "a.",
      "con",
      "CON",
      "Nul.txt",
      "com1",
      "lpt9.log",
    )
    .concat(
      "com¹",
      "conin$",
      "x".repeat(101),
      "x".repeat(300),
      "e\u0301",
      "\ud800",
      "a\u202eb",
      "会".repeat(90),
    );
  for (const id of ids) {
    assert.throws(
      () => checkSessionId(id),
      (error: RlmError) =>
        error.code === "config" &&
        /^Cannot use sessionId: .*; current value is "/.test(error.message) &&
        !/[\p{Cc}\u202e]/u.test(error.message) && error.message.length < 250,
      JSON.stringify(id),
    );
  }
});

Deno.test("an accepted id is one segment and names the same file on every system", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 20 }), (id) => {
      if (segmentFault(id) !== undefined) return;
      assert.ok(!/[/\\:\p{Cc}]/u.test(id) && id !== ".." && id.trim() === id && !id.endsWith("."));
    }),
    { verbose: true },
  );
});

Deno.test("log names hold a time without colons and sort by it", () => {
  const first = portableFileName("run", Date.UTC(2026, 0, 2, 3, 4, 5, 678), ".jsonl");
  assert.equal(first, "run-20260102T030405-678Z.jsonl");
  assert.ok(first < portableFileName("run", Date.UTC(2026, 0, 2, 3, 4, 6), ".jsonl"));
});

Deno.test("a prefix of any kind gives a portable name", () => {
  for (
    const prefix of ["a:b", "../x", "", "...", "con", "a b", "x".repeat(500), "a/b\\c", "\u001b[2J"]
  ) {
    const name = portableFileName(prefix, 0, ".jsonl");
    assert.equal(segmentFault(name), undefined, name);
  }
});
