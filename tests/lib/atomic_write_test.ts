import assert from "node:assert/strict";
import { linkAtomic, removeStaleTemporaries, writeAtomic } from "../../lib/atomic_write.ts";
import { denoFileSystem } from "../../lib/file_system.ts";
import { diskFull } from "../support/session_file_system.ts";
import { instantClock, withDir } from "../support/session_fixture.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const namesIn = async (dir: string) =>
  (await Array.fromAsync(Deno.readDir(dir), ({ name }) => name)).sort();

Deno.test("a file is replaced whole, 0600 also over a wider one", () =>
  withDir(async (dir) => {
    const path = `${dir}/f`;
    await Deno.writeTextFile(path, "old", { mode: 0o644 });
    await writeAtomic(path, bytes("new"), { fs: denoFileSystem, clock: instantClock() });
    assert.equal(await Deno.readTextFile(path), "new");
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
    assert.deepEqual(await namesIn(dir), ["f"]);
  }));

Deno.test("the order is: temporary file, content, flush, rename, flush of the directory", () =>
  withDir(async (dir) => {
    const done: string[] = [];
    const fs = {
      ...denoFileSystem,
      create: async (path: string) => {
        done.push("create");
        const file = await denoFileSystem.create(path);
        return {
          write: (data: Uint8Array) => (done.push("write"), file.write(data)),
          sync: () => (done.push("sync"), file.sync()),
          close: () => (done.push("close"), file.close()),
        };
      },
      rename: (from: string, to: string) => (done.push("rename"), denoFileSystem.rename(from, to)),
      syncDir: (path: string) => (done.push("syncDir"), denoFileSystem.syncDir(path)),
    };
    await writeAtomic(`${dir}/f`, bytes("x"), { fs, clock: instantClock() });
    assert.deepEqual(done, ["create", "write", "sync", "close", "rename", "syncDir"]);
  }));

Deno.test("a rename that another program hinders for a moment is tried again", () =>
  withDir(async (dir) => {
    const clock = instantClock();
    let hindered = 3;
    const rename = (from: string, to: string) =>
      hindered-- > 0
        ? Promise.reject(new Deno.errors.PermissionDenied("in use"))
        : denoFileSystem.rename(from, to);
    await writeAtomic(`${dir}/f`, bytes("x"), { fs: { ...denoFileSystem, rename }, clock });
    assert.equal(await Deno.readTextFile(`${dir}/f`), "x");
    assert.deepEqual(clock.slept, [20, 40, 80]);
  }));

Deno.test("a rename that never works, or fails for good, leaves the old file and no temporary one", () =>
  withDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/f`, "old");
    for (
      const [error, sleeps] of [[new Deno.errors.PermissionDenied("in use"), 5], [
        diskFull(),
        0,
      ]] as const
    ) {
      const clock = instantClock();
      const fs = { ...denoFileSystem, rename: () => Promise.reject(error) };
      await assert.rejects(writeAtomic(`${dir}/f`, bytes("new"), { fs, clock }), error);
      assert.equal(clock.slept.length, sleeps);
      assert.equal(await Deno.readTextFile(`${dir}/f`), "old");
      assert.deepEqual(await namesIn(dir), ["f"]);
    }
  }));

Deno.test("a second name shares the file and replaces what was there", () =>
  withDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a`, "a");
    await Deno.writeTextFile(`${dir}/b`, "b");
    const context = { fs: denoFileSystem, clock: instantClock() };
    await linkAtomic(`${dir}/a`, `${dir}/b`, context);
    assert.equal(await Deno.readTextFile(`${dir}/b`), "a");
    await writeAtomic(`${dir}/a`, bytes("new"), context);
    assert.equal(await Deno.readTextFile(`${dir}/b`), "a");
    assert.deepEqual(await namesIn(dir), ["a", "b"]);
  }));

Deno.test("only own temporary files are cleaned", () =>
  withDir(async (dir) => {
    const own = [".state.json.0123456789ab.rlm-tmp", ".x.ffffffffffff.rlm-tmp"];
    const foreign = ["state.json.tmp", ".state.json.swp", ".x.rlm-tmp", "x.0123456789ab.rlm-tmp"];
    for (const name of [...own, ...foreign]) await Deno.writeTextFile(`${dir}/${name}`, "");
    await removeStaleTemporaries(dir, denoFileSystem);
    assert.deepEqual(await namesIn(dir), foreign.sort());
    await removeStaleTemporaries(`${dir}/none`, denoFileSystem);
  }));
