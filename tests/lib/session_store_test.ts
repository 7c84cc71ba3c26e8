import assert from "node:assert/strict";
import type { RlmError } from "../../lib/errors.ts";
import { denoFileSystem } from "../../lib/file_system.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { diskFull } from "../support/session_file_system.ts";
import {
  openStore,
  sessionOf,
  stepOf,
  sweepOf,
  textOf,
  withDir,
} from "../support/session_fixture.ts";

const answered = { status: "answered", final: 1, steps: 1, usage: noUsage } as const;

Deno.test("a step's state comes back in the next query with its texts", () =>
  withDir(async (dir) => {
    const big = textOf(100_000, "big");
    await sessionOf(dir, [{ small: '["x"]', big }]);
    await using store = await openStore(dir);
    const loaded = await store.snapshot();
    assert.deepEqual(loaded.variables.map(({ name }) => name), ["small", "big"]);
    const text = (name: string) => {
      const ref = loaded.variables.find((variable) => variable.name === name)?.ref;
      return loaded.payloads.find(({ id }) => id === ref?.payload)?.text;
    };
    assert.equal(text("small"), '["x"]');
    assert.equal(text("big"), big);
    assert.deepEqual(loaded.failed, []);
    assert.equal(store.manifest.queries[0]?.final, "answer 1");
  }));

Deno.test("payloads up to 64 KiB are inline, larger ones a file written once", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const snapshot = await sweepOf({ a: textOf(65_536, "a"), b: textOf(65_537, "b") });
    const first = await store.saveStep(stepOf(1, { snapshot }));
    const files = await Array.fromAsync(Deno.readDir(`${dir}/values`), ({ name }) => name);
    assert.deepEqual(files, [snapshot.variables[1]?.ref.payload]);
    const again = await store.saveStep(stepOf(2, { snapshot }));
    assert.ok(first.bytesWritten > 131_000 && again.bytesWritten < 80_000);
    assert.deepEqual({ saved: again.saved, dropped: again.dropped }, { saved: 2, dropped: 0 });
  }));

Deno.test("many middling values do not make the manifest heavy: past 1 MiB they become files", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
    const values = Object.fromEntries(names.map((name) => [name, textOf(60_000, name)]));
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ ...values, small: "[1]" }) }));
    assert.ok((await Deno.stat(`${dir}/state.json`)).size < 1_200_000);
    assert.deepEqual((await store.snapshot()).failed, []);
    const entry = store.manifest.variables["small"];
    assert.equal(store.manifest.payloads[entry?.value.payload ?? ""]?.text, "[1]");
  }));

Deno.test("a value that no manifest names any more is removed, the previous state's is kept", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const count = async () => (await Array.fromAsync(Deno.readDir(`${dir}/values`))).length;
    for (let step = 1; step <= 4; step++) {
      const snapshot = await sweepOf({ rows: textOf(70_000, `v${step}`) });
      await store.saveStep(stepOf(step, { snapshot }));
      assert.equal(await count(), Math.min(step, 2));
    }
    await store.endQuery(answered);
    assert.equal(await count(), 1);
  }));

Deno.test("values that a checkpoint names outlive the queries that replace them", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ rows: textOf(70_000, "v1") }, { rows: textOf(70_000, "v2") }]);
    assert.equal((await Array.fromAsync(Deno.readDir(`${dir}/values`))).length, 2);
  }));

Deno.test("a query found running is interrupted, and the next one gets the next number", () =>
  withDir(async (dir) => {
    {
      await using store = await openStore(dir);
      await store.beginQuery("first");
      await store.saveStep(stepOf(1, { snapshot: await sweepOf({ x: "[1]" }) }));
    }
    await using store = await openStore(dir);
    assert.equal(await store.beginQuery("second", "logs/run.jsonl"), 2);
    const [first, second] = store.manifest.queries;
    assert.equal(first?.status, "interrupted");
    assert.equal(first?.steps, 1);
    assert.equal(second?.status, "running");
    assert.equal(second?.log, "logs/run.jsonl");
    assert.ok("x" in store.manifest.variables);
  }));

Deno.test("files that a crash left without a manifest are removed at the next query", () =>
  withDir(async (dir) => {
    {
      await using store = await openStore(dir);
      await store.beginQuery("killed");
    }
    const orphan = `${dir}/values/${"a".repeat(64)}`;
    const foreign = `${dir}/values/notes.txt`;
    const stale = `${dir}/.state.json.0123456789ab.rlm-tmp`;
    await Deno.mkdir(`${dir}/values`);
    for (const path of [orphan, foreign, stale, `${dir}/state.json.tmp`]) {
      await Deno.writeTextFile(path, "x");
    }
    await using store = await openStore(dir);
    await store.beginQuery("next");
    await assert.rejects(Deno.stat(orphan));
    await assert.rejects(Deno.stat(stale));
    await Deno.stat(foreign);
    await Deno.stat(`${dir}/state.json.tmp`);
  }));

Deno.test("a missing or damaged value fails its names only and is carried forward", () =>
  withDir(async (dir) => {
    const rows = textOf(70_000, "rows");
    const list = textOf(70_000, "list");
    await sessionOf(dir, [{ rows, list, n: "[1]" }]);
    const before = (await SessionStore.read(dir))!;
    await Deno.remove(`${dir}/values/${before.variables["rows"]?.value.payload}`);
    const damaged = `${dir}/values/${before.variables["list"]?.value.payload}`;
    await Deno.writeTextFile(damaged, "\0".repeat(70_000));

    await using store = await openStore(dir);
    const { variables, failed } = await store.snapshot();
    assert.deepEqual(variables.map(({ name }) => name), ["n"]);
    assert.deepEqual(failed.map(({ name }) => name), ["rows", "list"]);
    assert.match(failed[0]?.reason ?? "", /missing/);
    assert.match(failed[1]?.reason ?? "", /damaged/);

    await store.beginQuery("q");
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ n: "[1]" }) }));
    const carried = store.manifest.variables["list"];
    assert.equal(carried?.value.payload, before.variables["list"]?.value.payload);
    assert.match(carried?.failed ?? "", /damaged/);
    assert.equal(await Deno.readTextFile(damaged), "\0".repeat(70_000));

    assert.equal(store.knownPayloads().length, 1);

    await store.saveStep(stepOf(2, { snapshot: await sweepOf({ n: "[1]", list, rows }) }));
    assert.equal(store.manifest.variables["list"]?.failed, undefined);
    assert.equal(await Deno.readTextFile(damaged), list);
    assert.equal(store.knownPayloads().length, 3);
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("a value that goes back to what it was is saved though its text is not sent again", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const [one, two] = [await sweepOf({ a: textOf(70_000, "one") }), await sweepOf({ a: "[2]" })];
    await store.saveStep(stepOf(1, { snapshot: one }));
    // The sweep of step 3 was taken while step 2 was being saved: it counts on step 1's payloads.
    await store.saveStep(stepOf(2, { snapshot: two }));
    await store.saveStep(stepOf(3, { snapshot: { ...one, payloads: [] } }));
    assert.deepEqual((await store.snapshot()).failed, []);
    assert.match(store.manifest.variables["a"]?.preview ?? "", /one/);
  }));

Deno.test("the same where the step between could not be swept", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const [one, two] = [await sweepOf({ a: textOf(70_000, "one") }), await sweepOf({ a: "[2]" })];
    await store.saveStep(stepOf(1, { snapshot: one }));
    await store.saveStep(stepOf(2, { snapshot: two }));
    await store.saveStep(stepOf(3));
    await store.saveStep(stepOf(4, { snapshot: { ...one, payloads: [] } }));
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("a text of a step that a full disk refused is there for the step after the next", () =>
  withDir(async (dir) => {
    let isFull = false;
    const create: typeof denoFileSystem.create = (path) =>
      isFull ? Promise.reject(diskFull()) : denoFileSystem.create(path);
    await using store = await openStore(dir, { ...denoFileSystem, create });
    await store.beginQuery("q");
    const [one, two] = [await sweepOf({ a: '["one"]' }), await sweepOf({ a: '["two"]' })];
    isFull = true;
    await assert.rejects(store.saveStep(stepOf(1, { snapshot: one })));
    isFull = false;
    // The sweep of step 3 is told of these while step 2 is being saved.
    assert.deepEqual(store.knownPayloads(), one.payloads.map(({ id }) => id));
    await store.saveStep(stepOf(2, { snapshot: two }));
    await store.saveStep(stepOf(3, { snapshot: { ...one, payloads: [] } }));
    assert.equal(store.manifest.variables["a"]?.preview, '["one"]');
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("a damaged inline value that was set again stays good when it is not sent again", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: '["one"]', b: "[2]" }]);
    const state = JSON.parse(await Deno.readTextFile(`${dir}/state.json`));
    state.payloads[state.variables.a.value.payload].text = '["two"]';
    await Deno.writeTextFile(`${dir}/state.json`, JSON.stringify(state));
    await using store = await openStore(dir);
    assert.deepEqual((await store.snapshot()).failed.map(({ name }) => name), ["a"]);
    await store.beginQuery("q");
    const again = await sweepOf({ a: '["one"]', b: "[2]" });
    await store.saveStep(stepOf(1, { snapshot: again }));
    const known = again.payloads.map(({ id, bytes }) => ({ id, bytes }));
    await store.saveStep(stepOf(2, { snapshot: { ...again, payloads: known } }));
    assert.deepEqual((await store.snapshot()).failed, []);
    assert.equal(store.knownPayloads().length, 2);
  }));

Deno.test("a failed name that was set again and then removed does not come back", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]", n: "[1]" }]);
    await using store = await openStore(dir);
    await store.beginQuery("q");
    const restoreFailed = [{ name: "a", reason: "its class is gone" }];
    const step = async (number: number, variables: Record<string, string>) => {
      const snapshot = await sweepOf(variables);
      await store.saveStep(stepOf(number, { snapshot, restoreFailed }));
      return Object.keys(store.manifest.variables);
    };
    assert.deepEqual(await step(1, { n: "[1]" }), ["n", "a"]);
    assert.deepEqual(await step(2, { n: "[1]", a: "[2]" }), ["n", "a"]);
    assert.deepEqual(await step(3, { n: "[1]" }), ["n"]);
  }));

Deno.test("a damaged inline value fails its name, and its raw text survives the next save", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: '["one"]', b: "[2]" }]);
    const state = JSON.parse(await Deno.readTextFile(`${dir}/state.json`));
    state.payloads[state.variables.a.value.payload].text = "[[-7,4294967295]]";
    await Deno.writeTextFile(`${dir}/state.json`, JSON.stringify(state));
    await using store = await openStore(dir);
    const loaded = await store.snapshot();
    assert.deepEqual(loaded.failed.map(({ name }) => name), ["a"]);
    await store.beginQuery("q");
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ b: "[2]" }) }));
    const id = store.manifest.variables["a"]?.value.payload ?? "";
    assert.equal(store.manifest.payloads[id]?.text, "[[-7,4294967295]]");
  }));

Deno.test("a payload under a wrong hash, or one that was never sent, is refused", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q");
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ a: "[1]" }) }));
    const lie = await sweepOf({ a: "[2]" });
    const wrong = {
      ...lie,
      payloads: lie.payloads.map((payload) => ({ ...payload, text: "[3]" })),
    };
    await assert.rejects(
      store.saveStep(stepOf(2, { snapshot: wrong })),
      (error: RlmError) => error.code === "sandbox" && /wrong hash/.test(error.message),
    );
    await assert.rejects(
      store.saveStep(stepOf(2, { snapshot: { ...lie, payloads: [] } })),
      (error: RlmError) => error.code === "sandbox" && /never sent/.test(error.message),
    );
    const traversal = lie.variables.map((entry) => ({
      ...entry,
      ref: { payload: "../../x", slot: 0 },
    }));
    await assert.rejects(store.saveStep(stepOf(2, { snapshot: { ...lie, variables: traversal } })));
    assert.equal(store.manifest.variables["a"]?.preview, "[1]");
  }));

Deno.test("unknown keys survive at the top, in variables, payloads, queries and steps", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]" }]);
    const path = `${dir}/state.json`;
    const state = JSON.parse(await Deno.readTextFile(path));
    state.colour = { of: "magic" };
    state.variables.a.mood = "fine";
    state.queries[0].stars = 5;
    state.steps[0].tags = ["x"];
    state.payloads[state.variables.a.value.payload].origin = "elsewhere";
    await Deno.writeTextFile(path, JSON.stringify(state));
    await using store = await openStore(dir);
    await store.beginQuery("q");
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ a: "[1]" }) }));
    const after = JSON.parse(await Deno.readTextFile(path));
    assert.deepEqual(after.colour, { of: "magic" });
    assert.equal(after.variables.a.mood, "fine");
    assert.equal(after.queries[0].stars, 5);
    assert.deepEqual(after.steps[0].tags, ["x"]);
    assert.equal(after.payloads[after.variables.a.value.payload].origin, "elsewhere");
  }));

Deno.test("names of Object.prototype are names like others", () =>
  withDir(async (dir) => {
    const names = ["__proto__", "constructor", "hasOwnProperty", "toString"];
    const snapshot = await sweepOf({ x: "[1]" });
    const variables = names.map((name) => ({ ...snapshot.variables[0]!, name }));
    {
      await using store = await openStore(dir);
      await store.beginQuery("q");
      const comments = JSON.parse('{"__proto__":"a comment","constructor":"another"}');
      await store.saveStep(stepOf(1, { snapshot: { ...snapshot, variables }, comments }));
    }
    await using store = await openStore(dir);
    assert.deepEqual(
      (await store.snapshot()).variables.map(({ name }) => name).sort(),
      names.sort(),
    );
    assert.deepEqual(Object.keys(store.manifest.variables).sort(), names);
    const proto = Object.getOwnPropertyDescriptor(store.manifest.variables, "__proto__")?.value;
    assert.equal(proto.comment, "a comment");
    assert.equal(Object.getPrototypeOf(store.manifest.variables), null);
    assert.equal(({} as Record<string, unknown>)["comment"], undefined);
  }));

Deno.test("what the sandbox says is cut and made inert before it is stored", () =>
  withDir(async (dir) => {
    await using store = await openStore(dir);
    await store.beginQuery("q\u001b[2J");
    const snapshot = await sweepOf({
      ok: { text: "[1]", preview: "\u001b]52;c;x\u0007" + "y".repeat(9_000), type: "a\nb" },
      ["n".repeat(400)]: "[1]",
      "esc\u001b": "[1]",
    });
    const comments = { ok: "line\nbreak \u202e turned" };
    await store.saveStep(stepOf(1, { snapshot, comments, error: "E\n".repeat(2_000) }));
    const text = await Deno.readTextFile(`${dir}/state.json`);
    assert.ok(!/\\u001b|\\u0007|\u202e/.test(text));
    const entry = store.manifest.variables["ok"];
    assert.equal(entry?.preview.length, 1_000);
    assert.equal(entry?.type, "a b");
    assert.equal(entry?.comment, "line break \\u202e turned");
    assert.ok((store.manifest.steps[0]?.error?.length ?? 0) <= 500);
    assert.deepEqual(Object.keys(store.manifest.variables), ["ok"]);
    assert.equal(Object.keys(store.manifest.dropped).length, 2);
  }));

Deno.test("answers that JSON cannot hold are stored as text, falsy ones as they are", async (t) => {
  const cyclic: Record<string, unknown> = { n: 1 };
  cyclic["self"] = cyclic;
  const cases: [unknown, unknown][] = [
    [null, null],
    [0, 0],
    ["", ""],
    [false, false],
    [undefined, undefined],
    [{ a: [1, null] }, { a: [1, null] }],
    [12n, "12n"],
    [NaN, "NaN"],
    [new Map([["k", 1]]), 'Map(1) { "k" => 1 }'],
    [cyclic, "<ref *1> { n: 1, self: [Circular *1] }"],
  ];
  for (const [given, stored] of cases) {
    await t.step(Deno.inspect(given), () =>
      withDir(async (dir) => {
        {
          await using store = await openStore(dir);
          await store.beginQuery("q");
          await store.endQuery({ ...answered, final: given });
        }
        const query = (await SessionStore.read(dir))?.queries[0];
        assert.deepEqual(query?.final, stored);
        assert.equal(query?.status, "answered");
      }));
  }
});

Deno.test("files are 0600 and directories 0700 whatever the umask", {
  ignore: Deno.build.os === "windows",
}, () =>
  withDir(async (root) => {
    const before = Deno.umask(0o022);
    try {
      const dir = `${root}/made/here`;
      await sessionOf(dir, [{ a: textOf(70_000, "a") }, { a: "[2]" }]);
      for (const path of ["state.json", "state.prev.json", "session.lock", "checkpoints/1.json"]) {
        assert.equal(((await Deno.stat(`${dir}/${path}`)).mode ?? 0) & 0o777, 0o600, path);
      }
      const [value] = await Array.fromAsync(Deno.readDir(`${dir}/values`), ({ name }) => name);
      assert.equal(((await Deno.stat(`${dir}/values/${value}`)).mode ?? 0) & 0o777, 0o600);
      for (const path of ["../", "", "values", "checkpoints"]) {
        assert.equal(((await Deno.stat(`${dir}/${path}`)).mode ?? 0) & 0o777, 0o700, path);
      }
    } finally {
      Deno.umask(before);
    }
  }));

Deno.test("a session is the same through a symbolic link, and a closed one says so", {
  ignore: Deno.build.os === "windows",
}, () =>
  withDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    await sessionOf(`${dir}/link`, [{ a: "[1]" }]);
    const store = await openStore(`${dir}/real/`);
    assert.ok("a" in store.manifest.variables);
    await assert.rejects(openStore(`${dir}/link`), { name: "SessionBusyError" });
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await assert.rejects(
      store.beginQuery("late"),
      (error: RlmError) => error.code === "session_closed",
    );
  }));

Deno.test("reading takes no lock and tells a missing session from an empty one", () =>
  withDir(async (dir) => {
    assert.equal(await SessionStore.read(`${dir}/none`), undefined);
    await using store = await openStore(dir);
    await store.beginQuery("q");
    assert.equal((await SessionStore.read(dir))?.queries.length, 1);
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(openStore(`${dir}/file`), (error: RlmError) => error.code === "config");
  }));
