import assert from "node:assert/strict";
import { denoFileSystem } from "../../lib/file_system.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { forkSession } from "../../lib/session_admin.ts";
import { exportSession, importSession } from "../../lib/session_bundle.ts";
import { clearSession } from "../../lib/session_clear.ts";
import { listSessions } from "../../lib/session_list.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { diskFull } from "../support/session_file_system.ts";
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
const rows = (version: number) => textOf(70_000, `rows ${version}`);
const three = [{ rows: rows(1), n: "[1]" }, { rows: rows(2), n: "[2]" }, {
  rows: rows(3),
  m: "[3]",
}];

async function namesOf(dir: string): Promise<Record<string, string>> {
  await using store = await openStore(dir);
  const { variables, failed } = await store.snapshot();
  assert.deepEqual(failed, []);
  return Object.fromEntries(
    variables.map(({ name, preview }) => [name, preview.replace(/\.+/, "")]),
  );
}

Deno.test("a fork holds the session as it was at the end of any query", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, three);
    const before = await contentOf(`${dir}/src`);
    for (let at = 1; at <= 3; at++) {
      const report = await forkSession(`${dir}/src`, `${dir}/at${at}`, { clock, at });
      assert.equal(report.query, at);
      const names = await namesOf(`${dir}/at${at}`);
      assert.equal(names["rows"], `["rows ${at}`);
      assert.deepEqual(Object.keys(names).sort(), at < 3 ? ["n", "rows"] : ["m", "rows"]);
      const manifest = await SessionStore.read(`${dir}/at${at}`);
      assert.deepEqual(manifest?.queries.map(({ number }) => number), [1, 2, 3].slice(0, at));
      assert.equal(manifest?.steps.length, at);
    }
    assert.deepEqual(await contentOf(`${dir}/src`), before);
  }));

Deno.test("a fork goes its own way, and its source's values are not touched", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, three);
    await forkSession(`${dir}/src`, `${dir}/fork`, { clock, at: 1 });
    {
      await using store = await openStore(`${dir}/fork`);
      assert.equal(await store.beginQuery("other"), 2);
      await store.saveStep(stepOf(1, { snapshot: await sweepOf({ other: rows(9) }) }));
      await store.endQuery({ status: "answered", final: 1, steps: 1, usage: noUsage });
    }
    await clearSession(`${dir}/fork`, { clock });
    assert.deepEqual(await namesOf(`${dir}/src`), { rows: '["rows 3', m: "[3]" });
  }));

Deno.test("a fork of now holds what an interrupted query left, and says that it was interrupted", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, [{ a: "[1]" }]);
    {
      await using store = await openStore(`${dir}/src`);
      await store.beginQuery("killed", "logs/run.jsonl");
      await store.saveStep(stepOf(1, { snapshot: await sweepOf({ b: "[2]" }) }));
      await assert.rejects(forkSession(`${dir}/src`, `${dir}/x`, { clock }), {
        name: "SessionBusyError",
      });
      await forkSession(`${dir}/src`, `${dir}/y`, { clock, at: 1 });
    }
    await Deno.mkdir(`${dir}/src/logs`);
    await Deno.writeTextFile(`${dir}/src/logs/run.jsonl`, "{}\n");
    await forkSession(`${dir}/src`, `${dir}/now`, { clock });
    const manifest = await SessionStore.read(`${dir}/now`);
    assert.equal(manifest?.queries.at(-1)?.status, "interrupted");
    assert.equal(await Deno.readTextFile(`${dir}/now/${manifest?.queries.at(-1)?.log}`), "{}\n");
    assert.deepEqual(await namesOf(`${dir}/now`), { b: "[2]" });
    assert.deepEqual(await namesOf(`${dir}/y`), { a: "[1]" });
  }));

Deno.test("a fork that cannot be made says why and leaves nothing", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, three);
    await assert.rejects(
      forkSession(`${dir}/src`, `${dir}/f`, { clock, at: 7 }),
      /Cannot fork at query 7: checkpoints are there for queries 1 to 3/,
    );
    await assert.rejects(forkSession(`${dir}/none`, `${dir}/f`, { clock }), /does not exist/);
    await assert.rejects(forkSession(`${dir}/src`, `${dir}/src`, { clock }), /is not empty/);
    const create = () => Promise.reject(diskFull());
    const fs = { ...denoFileSystem, create };
    await assert.rejects(forkSession(`${dir}/src`, `${dir}/f`, { clock, fs }), /no space left/);
    await assert.rejects(Deno.stat(`${dir}/f`));
  }));

Deno.test("a cleared session is empty, on the disk too, and can be used", () =>
  withDir(async (dir) => {
    await sessionOf(dir, three);
    await Deno.mkdir(`${dir}/logs`);
    await Deno.writeTextFile(`${dir}/logs/mine.txt`, "stays");
    await clearSession(dir, { clock });
    assert.deepEqual([...(await contentOf(dir)).keys()].sort(), ["logs/mine.txt", "state.json"]);
    await sessionOf(dir, [{ a: "[1]" }]);
    assert.deepEqual(await namesOf(dir), { a: "[1]" });
    await Deno.writeTextFile(`${dir}/state.json`, "torn");
    await clearSession(dir, { clock });
    assert.deepEqual(await namesOf(dir), {});
    await Deno.writeTextFile(`${dir}/state.json`, '{"format":99}');
    await assert.rejects(clearSession(dir, { clock }), /format 99/);
  }));

Deno.test("a list marks bad sessions and shows the others", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/a/good`, three);
    await sessionOf(`${dir}/good/nested`, [{ a: "[1]" }]);
    for (
      const [name, content] of [["empty", ""], ["nul", "\0".repeat(99)], ["newer", '{"format":99}']]
    ) {
      await Deno.mkdir(`${dir}/${name}`);
      await Deno.writeTextFile(`${dir}/${name}/state.json`, content!);
    }
    const found = await listSessions(dir);
    assert.deepEqual(found.map((one) => one.dir.slice(dir.length + 1)), [
      "a/good",
      "empty",
      "good/nested",
      "newer",
      "nul",
    ]);
    const [good, empty] = found;
    assert.deepEqual([good?.queries, good?.variables, good?.lastStatus], [3, 2, "answered"]);
    assert.ok(good!.bytes > 210_000 && typeof good!.modified === "number");
    assert.match(empty?.fault ?? "", /is empty/);
    assert.deepEqual(await listSessions(`${dir}/none`), []);
  }));

Deno.test("an exported session is imported whole, with its checkpoints and transcripts", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, three);
    {
      await using store = await openStore(`${dir}/src`);
      await store.beginQuery("four", "logs/run.jsonl");
      await store.endQuery({ status: "answered", final: 4, steps: 0, usage: noUsage });
    }
    await Deno.mkdir(`${dir}/src/logs`);
    await Deno.writeTextFile(`${dir}/src/logs/run.jsonl`, "{}\u2028\n");
    await exportSession(`${dir}/src`, `${dir}/one.jsonl`, { clock });
    assert.equal(((await Deno.stat(`${dir}/one.jsonl`)).mode ?? 0o600) & 0o777, 0o600);
    await importSession(`${dir}/one.jsonl`, `${dir}/copy`, { clock });
    const [from, to] = [await contentOf(`${dir}/src`), await contentOf(`${dir}/copy`)];
    from.delete("state.prev.json");
    assert.deepEqual([...to.keys()].sort(), [...from.keys()].sort());
    for (const [path, bytes] of from) {
      if (!path.startsWith("checkpoints")) assert.equal(to.get(path), bytes);
    }
    await forkSession(`${dir}/copy`, `${dir}/fork`, { clock, at: 2 });
    assert.equal((await namesOf(`${dir}/fork`))["rows"], '["rows 2');
    await assert.rejects(
      exportSession(`${dir}/src`, `${dir}/one.jsonl`, { clock }),
      /exists already/,
    );
  }));

Deno.test("a hostile or torn export creates nothing", async (t) => {
  const hash = "a".repeat(64);
  const harms: Record<string, [(text: string) => string, RegExp]> = {
    torn: [(text) => text.slice(0, -30), /no valid JSON|ends after/],
    "without its end": [(text) => text.replace(/\{"end".*\n$/, ""), /it ends after/],
    "with a line gone": [(text) => text.replace(/\{"value".*\n/, ""), /tells of/],
    empty: [() => "", /it ends after 0 records/],
    foreign: [() => '{"a":1}\n', /it is no export of a session; nothing was created/],
    "a text": [() => "Once upon a time\n", /it is no export of a session; nothing was created/],
    "another version": [(text) => text.replace('session":1', 'session":2'), /line 1/],
    "a value under a wrong hash": [
      (text) => text.replace(/"value":"[0-9a-f]{64}"/, `"value":"${hash}"`),
      /wrong hash/,
    ],
    "a value in the state under a wrong hash": [
      (text) => text.replace(/("manifest":.*)\[3\]/, "$1[4]"),
      /wrong hash/,
    ],
    "a value in a checkpoint under a wrong hash": [
      (text) => text.replace(/("checkpoint":.*)\[1\]/, "$1[4]"),
      /wrong hash/,
    ],
    "a value outside": [
      (text) => text.replace(/"value":"[0-9a-f]{64}"/, '"value":"../../x"'),
      /wrong hash/,
    ],
    "a transcript outside": [
      (text) => text.replace(/\n/, '\n{"log":"logs/../../x","text":"y"}\n'),
      /line 2 names a transcript/,
    ],
    "a transcript on a stream": [
      (text) => text.replace(/\n/, '\n{"log":"logs/a:b","text":"y"}\n'),
      /line 2 names a transcript/,
    ],
    "a newer state": [
      (text) => text.replace('{"manifest":{"format":1', '{"manifest":{"format":99'),
      /format 99/,
    ],
  };
  for (const [kind, [harm, told]] of Object.entries(harms)) {
    await t.step(kind, () =>
      withDir(async (dir) => {
        await sessionOf(`${dir}/src`, three);
        await exportSession(`${dir}/src`, `${dir}/one.jsonl`, { clock });
        await Deno.writeTextFile(
          `${dir}/bad.jsonl`,
          harm(await Deno.readTextFile(`${dir}/one.jsonl`)),
        );
        await assert.rejects(importSession(`${dir}/bad.jsonl`, `${dir}/copy`, { clock }), told);
        await assert.rejects(Deno.stat(`${dir}/copy`));
      }));
  }
});

Deno.test("a damaged value in the state does not keep the others from being exported", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/src`, [{ m: "[3]", n: "[5]" }]);
    const state = await Deno.readTextFile(`${dir}/src/state.json`);
    await Deno.writeTextFile(
      `${dir}/src/state.json`,
      state.replace('"text":"[3]"', '"text":"[4]"'),
    );
    await exportSession(`${dir}/src`, `${dir}/one.jsonl`, { clock });
    await importSession(`${dir}/one.jsonl`, `${dir}/copy`, { clock });
    await using store = await openStore(`${dir}/copy`);
    const { variables, failed } = await store.snapshot();
    assert.deepEqual(variables.map(({ name }) => name), ["n"]);
    assert.deepEqual(failed.map(({ name }) => name), ["m"]);
  }));

Deno.test("an export takes no transcript from where a link leads", () =>
  withDir(async (dir) => {
    await Deno.mkdir(`${dir}/elsewhere`);
    await Deno.writeTextFile(`${dir}/elsewhere/run.jsonl`, "somebody else's secret\n");
    for (const [name, link] of [["all", "logs"], ["one", "logs/run.jsonl"]] as const) {
      const src = `${dir}/${name}`;
      {
        await using store = await openStore(src);
        await store.beginQuery("q", "logs/run.jsonl");
        await store.endQuery({ status: "answered", final: 1, steps: 0, usage: noUsage });
      }
      if (link === "logs") await Deno.symlink(`${dir}/elsewhere`, `${src}/logs`);
      else {
        await Deno.mkdir(`${src}/logs`);
        await Deno.symlink(`${dir}/elsewhere/run.jsonl`, `${src}/logs/run.jsonl`);
      }
      await exportSession(src, `${dir}/${name}.jsonl`, { clock });
      const exported = await Deno.readTextFile(`${dir}/${name}.jsonl`);
      assert.ok(!exported.includes("secret"), name);
    }
  }));
