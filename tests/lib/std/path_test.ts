import assert from "node:assert/strict";
import * as path from "@std/path";

Deno.test("paths are joined, taken apart and resolved as by @std/path", {
  ignore: Deno.build.os === "windows",
}, () => {
  assert.equal(path.join("/a", "../b", "c.txt"), "/b/c.txt");
  assert.equal(path.join(new URL("file:///a/b"), "c"), "/a/b/c");
  assert.equal(path.resolve("/a", "b", "/c"), "/c");
  assert.equal(path.dirname("/a/b.txt"), "/a");
  assert.equal(path.basename("/a/b.txt", ".txt"), "b");
  assert.equal(path.basename("/a/b/"), "b");
  assert.equal(path.extname(new URL("file:///a/b.tar.gz")), ".gz");
  assert.equal(path.relative("/a/b", "/a/c/d"), "../c/d");
  assert.equal(path.normalize("/a//b/./c/.."), "/a/b");
  assert.deepEqual([path.isAbsolute("/a"), path.isAbsolute("a")], [true, false]);
  assert.equal(path.SEPARATOR, "/");
  assert.deepEqual("a//b/c".split(path.SEPARATOR_PATTERN), ["a", "b", "c"]);
});

Deno.test(
  "paths and file URLs turn into each other",
  { ignore: Deno.build.os === "windows" },
  () => {
    const name = "/a b/ü#1%.txt";
    assert.equal(path.fromFileUrl(path.toFileUrl(name)), name);
    assert.throws(() => path.toFileUrl("a"), TypeError);
    assert.throws(() => path.fromFileUrl("https://example.com/a"), TypeError);
  },
);
