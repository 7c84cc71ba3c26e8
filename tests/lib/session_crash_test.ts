import assert from "node:assert/strict";
import { dirname } from "@std/path";
import { denoFileSystem } from "../../lib/file_system.ts";
import { noUsage } from "../../lib/model/usage.ts";
import type { SessionStore } from "../../lib/session_store.ts";
import {
  diskFull,
  faultyFileSystem,
  type Loss,
  RecordingFileSystem,
} from "../support/session_file_system.ts";
import { openStore, stepOf, sweepOf, textOf, withDir } from "../support/session_fixture.ts";

const steps = 2;

/** A query of two steps, each with a value in a file; calls back as each is saved. */
async function runQuery(store: SessionStore, saved: (what: string) => void): Promise<void> {
  const number = await store.beginQuery("q");
  saved(`begin ${number}`);
  for (let step = 1; step <= steps; step++) {
    const rows = textOf(66_000, `query ${number} step ${step}`);
    const snapshot = await sweepOf({ rows, step: `[${step}]` });
    await store.saveStep(stepOf(step, { snapshot, assigned: ["rows", "step"] }));
    saved(`step ${number}.${step}`);
  }
  await store.endQuery({ status: "answered", final: number, steps, usage: noUsage });
  saved(`end ${number}`);
}

/** What the directory opens with; fails where a name cannot be restored. */
async function reopen(dir: string): Promise<string> {
  await using store = await openStore(dir);
  const { failed, variables } = await store.snapshot();
  assert.deepEqual(failed, []);
  const query = store.manifest.queries.at(-1);
  const last = store.manifest.steps.at(-1);
  if (last !== undefined) {
    const rows = variables.find(({ name }) => name === "rows");
    assert.match(rows?.preview ?? "", new RegExp(`query ${last.query} step ${last.step}\\.`));
  }
  // The directory is not only readable, a query can go on from it.
  await store.beginQuery("next");
  if (query === undefined) return "nothing";
  if (query.status === "answered") return `end ${query.number}`;
  return last?.query === query.number
    ? `step ${query.number}.${last.step}`
    : `begin ${query.number}`;
}

const order = ["nothing", "begin 1", "step 1.1", "step 1.2", "end 1"].concat(
  ["begin 2", "step 2.1", "step 2.2", "end 2"],
);

for (const forGood of [true, false]) {
  const kind = forGood ? "the process ending" : "a failure";
  Deno.test(`after ${kind} at any file operation the directory opens with the last saved step`, async () => {
    for (let at = 1;; at++) {
      let reached = false;
      await withDir(async (root) => {
        const dir = `${root}/s`;
        const fault = { at, forGood, error: () => new Error(`fault ${at}`) };
        const fs = faultyFileSystem(fault);
        let last = "nothing";
        try {
          for (let query = 1; query <= 2; query++) {
            await using store = await openStore(dir, fs);
            await runQuery(store, (what) => void (last = what));
          }
        } catch (error) {
          assert.match((error as Error).message, /^Cannot .*fault/);
        }
        reached = fs.operations() >= at;
        const found = await reopen(dir);
        assert.ok(order.indexOf(found) >= order.indexOf(last), `at ${at}: ${last}, found ${found}`);
      });
      if (!reached) return assert.ok(at > 60, `only ${at} operations`);
    }
  });
}

Deno.test("a power cut at any point, whatever it takes away, leaves the last saved step", async () => {
  await withDir(async (root) => {
    const dir = `${root}/s`;
    const fs = new RecordingFileSystem();
    const marks: { readonly what: string; readonly after: number }[] = [];
    for (let query = 1; query <= 2; query++) {
      await using store = await openStore(dir, fs);
      await runQuery(store, (what) => marks.push({ what, after: fs.operations.length }));
    }
    assert.ok(fs.operations.length > 60);
    for (let cut = 0; cut <= fs.operations.length; cut++) {
      const last = marks.findLast(({ after }) => after <= cut)?.what ?? "nothing";
      const losses: Loss[] = ["nothing", "contents", "names", "contents and names"];
      for (const loss of losses) {
        const copy = `${root}/cut`;
        await Deno.mkdir(copy);
        for (const [path, data] of fs.cutAfter(cut, loss)) {
          const target = path.replace(dir, copy);
          await Deno.mkdir(dirname(target), { recursive: true });
          await Deno.writeFile(target, data);
        }
        const found = await reopen(copy);
        const told = `cut ${cut}, lost ${loss}: ${last}, found ${found}`;
        assert.ok(order.indexOf(found) >= order.indexOf(last), told);
        await Deno.remove(copy, { recursive: true });
      }
    }
  });
});

Deno.test("state that a full disk refused is saved with the answer once there is room", () =>
  withDir(async (dir) => {
    let full = false;
    const rename = (from: string, to: string) =>
      full ? Promise.reject(diskFull()) : denoFileSystem.rename(from, to);
    {
      await using store = await openStore(dir, { ...denoFileSystem, rename });
      await store.beginQuery("q");
      full = true;
      const snapshot = await sweepOf({ a: "[1]" });
      const first = stepOf(1, { snapshot, comments: { a: "of step 1" }, assigned: ["a"] });
      await assert.rejects(store.saveStep(first), { code: "disk" });
      await assert.rejects(store.saveStep(stepOf(2, { snapshot })), { code: "disk" });
      assert.equal(store.knownPayloads().length, 1);
      full = false;
      await store.endQuery({ status: "answered", final: 1, steps: 2, usage: noUsage });
    }
    await using store = await openStore(dir);
    assert.equal(store.manifest.variables["a"]?.comment, "of step 1");
    assert.deepEqual(store.manifest.steps.map(({ step }) => step), [1, 2]);
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("a full disk leaves the old state, no temporary file, and an error that says so", () =>
  withDir(async (dir) => {
    {
      await using store = await openStore(dir);
      await store.beginQuery("q");
      await store.saveStep(stepOf(1, { snapshot: await sweepOf({ a: "[1]" }) }));
    }
    const before = await Deno.readTextFile(`${dir}/state.json`);
    let full = false;
    const create = async (path: string) => {
      const file = await denoFileSystem.create(path);
      return {
        ...file,
        write: async (data: Uint8Array) => {
          if (full) await file.write(data.subarray(0, 100));
          if (full) throw diskFull();
          await file.write(data);
        },
        sync: () => file.sync(),
      };
    };
    await using store = await openStore(dir, { ...denoFileSystem, create });
    full = true;
    const begun = await store.beginQuery("q").catch((error) => error);
    assert.match(begun.message, /no space left on the disk; the state before it is intact$/);
    assert.equal(begun.code, "disk");
    assert.equal(await Deno.readTextFile(`${dir}/state.json`), before);
    const names = await Array.fromAsync(Deno.readDir(dir), ({ name }) => name);
    assert.deepEqual(names.filter((name) => name.endsWith("tmp")), []);

    full = false;
    await store.beginQuery("q");
    full = true;
    const snapshot = await sweepOf({ a: "[1]", big: textOf(3_000_000, "big") });
    await assert.rejects(store.saveStep(stepOf(1, { snapshot })), { code: "disk" });
    full = false;
    // The sandbox does not send a text again that it sent once.
    const payloads = snapshot.payloads.map(({ id, bytes }) => ({ id, bytes }));
    await store.saveStep(stepOf(2, { snapshot: { ...snapshot, payloads } }));
    const { failed, variables } = await store.snapshot();
    assert.deepEqual(failed, []);
    assert.equal(variables.length, 2);
    assert.deepEqual(store.manifest.steps.map(({ step }) => step), [1, 1, 2]);
  }));
