import assert from "node:assert/strict";
import { noUsage } from "../../lib/model/usage.ts";
import { repairSession } from "../../lib/session_repair.ts";
import { SessionStore } from "../../lib/session_store.ts";
import {
  contentOf,
  instantClock,
  openStore,
  sessionOf,
  stepOf,
  sweepOf,
  textOf,
  withDir,
} from "../support/session_fixture.ts";

const clock = instantClock();

Deno.test("a whole session is left as it is", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]" }]);
    const before = await contentOf(dir);
    const report = await repairSession(dir, { clock });
    assert.equal(report.fault, undefined);
    assert.deepEqual(report.lost, []);
    assert.deepEqual(await contentOf(dir), before);
  }));

Deno.test("a torn state is restored from the one before it, kept, and what is lost is told", () =>
  withDir(async (dir) => {
    {
      await using store = await openStore(dir);
      await store.beginQuery("q");
      for (let step = 1; step <= 3; step++) {
        await store.saveStep(stepOf(step, { snapshot: await sweepOf({ n: `[${step}]` }) }));
      }
    }
    const path = `${dir}/state.json`;
    const torn = (await Deno.readTextFile(path)).trimEnd().slice(0, -1);
    await Deno.writeTextFile(path, torn);
    const report = await repairSession(dir, { clock });
    assert.match(report.fault ?? "", /no valid JSON/);
    assert.equal(report.restoredFrom, "state.prev.json");
    assert.deepEqual([report.query, report.step], [1, 2]);
    assert.deepEqual(report.lost, ["step 3 of query 1"]);
    assert.equal(await Deno.readTextFile(`${dir}/${report.keptAs}`), torn);
    await using store = await openStore(dir);
    assert.equal(store.manifest.variables["n"]?.preview, "[2]");
  }));

Deno.test("without a good previous state the checkpoints give state and ledger back", () =>
  withDir(async (dir) => {
    const rows = textOf(70_000, "rows");
    await sessionOf(dir, [{ a: "[1]" }, { a: "[2]", rows }, { a: "[3]", rows }]);
    const whole = await SessionStore.read(dir);
    await Deno.writeTextFile(`${dir}/state.json`, "");
    await Deno.writeTextFile(`${dir}/state.prev.json`, "\0\0\0");
    const report = await repairSession(dir, { clock });
    assert.equal(report.restoredFrom, "checkpoints/3.json");
    const repaired = await SessionStore.read(dir);
    assert.deepEqual(repaired?.queries, whole?.queries);
    assert.deepEqual(repaired?.steps, whole?.steps);
    assert.deepEqual(repaired?.variables, whole?.variables);
    await using store = await openStore(dir);
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("the end of the last query is taken from its checkpoint, not the step before it", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]" }]);
    await Deno.writeTextFile(`${dir}/state.json`, "{");
    const report = await repairSession(dir, { clock });
    assert.equal(report.restoredFrom, "checkpoints/1.json");
    assert.equal((await SessionStore.read(dir))?.queries[0]?.status, "answered");
  }));

Deno.test("values that cannot be had are named", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ rows: textOf(70_000, "rows") }]);
    await Deno.remove(`${dir}/values`, { recursive: true });
    const { fault, lost } = await repairSession(dir, { clock });
    assert.equal(fault, undefined);
    assert.match(lost.join(), /^the value of rows: its file values\/[0-9a-f]{12}… is missing$/);
  }));

Deno.test("earlier queries whose values or checkpoint are gone are told, once each", () =>
  withDir(async (dir) => {
    const rows = (query: number) => textOf(70_000, `rows ${query}`);
    await sessionOf(dir, [{ rows: rows(1) }, { rows: rows(2) }, { rows: rows(3) }]);
    await Deno.remove(`${dir}/values`, { recursive: true });
    await Deno.writeTextFile(`${dir}/checkpoints/2.json`, "{");
    const { lost } = await repairSession(dir, { clock });
    assert.equal(lost.length, 3);
    assert.match(lost[0]!, /^the value of rows: /);
    assert.equal(lost[1], "1 earlier value of the end of query 1");
    assert.match(lost[2]!, /^the state at the end of query 2: its checkpoint is no valid JSON/);
  }));

Deno.test("nothing to restore from, a newer format and a busy session are refused untouched", () =>
  withDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/state.json`, "{");
    await assert.rejects(repairSession(dir, { clock }), /no earlier state is left to restore/);
    assert.equal(await Deno.readTextFile(`${dir}/state.json`), "{");
    await assert.rejects(repairSession(`${dir}/none`, { clock }), /none does not exist/);

    await sessionOf(`${dir}/s`, [{ a: "[1]" }]);
    const newer = (await Deno.readTextFile(`${dir}/s/state.json`)).replace(
      '"format": 1',
      '"format": 99',
    );
    await Deno.writeTextFile(`${dir}/s/state.json`, newer);
    await assert.rejects(repairSession(`${dir}/s`, { clock }), /format 99/);
    assert.equal(await Deno.readTextFile(`${dir}/s/state.json`), newer);

    await using store = await openStore(`${dir}/busy`);
    await store.beginQuery("q");
    await store.endQuery({ status: "failed", steps: 0, usage: noUsage });
    await assert.rejects(repairSession(`${dir}/busy`, { clock }), { name: "SessionBusyError" });
  }));
