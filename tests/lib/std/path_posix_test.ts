import assert from "node:assert/strict";
import * as node from "node:path/posix";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import * as ours from "../../../lib/std/path_posix.ts";

const segment = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "...",
    "a",
    "b.ts",
    ".rc",
    "a.b.c",
    "x.",
    " ",
    "ü",
    "a%20b",
    "..a",
  ),
  fc.string({ maxLength: 4 }).map((text) => text.replaceAll("\0", "")),
);
const path = fc.tuple(fc.constantFrom("", "/", "//"), fc.array(segment, { maxLength: 5 }))
  .map(([root, parts]) => root + parts.join("/"));
const seed = Date.now() % 1_000_000;
const options = { seed, numRuns: 1_000 };

Deno.test(`paths are what node:path makes of them (seed ${seed})`, () => {
  fc.assert(
    fc.property(path, path, segment, (a, b, suffix) => {
      for (const name of ["normalize", "extname", "isAbsolute", "dirname"] as const) {
        assert.equal(ours[name](a), node[name](a), name);
      }
      for (const name of ["join", "resolve", "relative"] as const) {
        assert.equal(ours[name](a, b), node[name](a, b), name);
      }
      assert.equal(ours.basename(a), node.basename(a));
      // Where a separator ends the path, node:path lets the suffix undo that the separator is dropped.
      const plain = a.replace(/\/+$/, "");
      assert.equal(ours.basename(plain, suffix), node.basename(plain, suffix));
    }),
    options,
  );
});

Deno.test(`file URLs name the same file as those of node:url, there and back (seed ${seed})`, () => {
  fc.assert(
    fc.property(path.map((text) => `/${text}`), (given) => {
      const url = ours.toFileUrl(given);
      assert.equal(fileURLToPath(url), fileURLToPath(pathToFileURL(given)));
      assert.equal(ours.fromFileUrl(url), fileURLToPath(url));
      assert.equal(ours.fromFileUrl(url.href), ours.fromFileUrl(url));
    }),
    options,
  );
  assert.throws(() => ours.fromFileUrl("https://a/b"), TypeError);
  assert.throws(() => ours.fromFileUrl("file://host/b"), TypeError);
  assert.throws(() => ours.fromFileUrl("file:///a%2fb"), TypeError);
});
