import assert from "node:assert/strict";
import { ensureDir, exists, walk } from "@std/fs";
import { withDir } from "../../support/session_fixture.ts";

Deno.test("exists tells files, directories and nothing apart", () =>
  withDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/f`, "");
    assert.deepEqual([await exists(dir), await exists(`${dir}/f`), await exists(`${dir}/x`)], [
      true,
      true,
      false,
    ]);
    assert.equal(await exists(`${dir}/f`, { isDirectory: true }), false);
    assert.equal(await exists(dir, { isFile: true }), false);
    await assert.rejects(exists(dir, { isFile: true, isDirectory: true }), TypeError);
  }));

Deno.test("ensureDir makes parents, is content with what is there, and refuses a file", () =>
  withDir(async (dir) => {
    await ensureDir(`${dir}/a/b`);
    await ensureDir(`${dir}/a/b`);
    await Deno.writeTextFile(`${dir}/f`, "");
    await assert.rejects(ensureDir(`${dir}/f`), /expected 'dir'/);
  }));

Deno.test("walk yields the root and everything below it, in order, to the depth given", () =>
  withDir(async (dir) => {
    await ensureDir(`${dir}/b/c`);
    await Deno.writeTextFile(`${dir}/b/c/deep`, "");
    await Deno.writeTextFile(`${dir}/a`, "");
    const paths = async (options = {}) =>
      (await Array.fromAsync(walk(dir, options))).map(({ path }) => path.slice(dir.length));
    assert.deepEqual(await paths(), ["", "/a", "/b", "/b/c", "/b/c/deep"]);
    assert.deepEqual(await paths({ maxDepth: 1 }), ["", "/a", "/b"]);
    assert.deepEqual(await paths({ includeDirs: false }), ["/a", "/b/c/deep"]);
    assert.deepEqual(await paths({ includeFiles: false }), ["", "/b", "/b/c"]);
  }));
