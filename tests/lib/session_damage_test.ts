import assert from "node:assert/strict";
import type { RlmError } from "../../lib/errors.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { repairSession } from "../../lib/session_repair.ts";
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

type State = Record<string, Record<string, Record<string, unknown>>> & Record<string, unknown>;

/** Ways to harm a state file, and what the error says of it. */
const damages: Record<string, [harm: (text: string) => string | Uint8Array, told: RegExp]> = {
  "cut in half": [(text) => text.slice(0, text.length / 2), /no valid JSON/],
  "without its last character": [(text) => text.trimEnd().slice(0, -1), /no valid JSON/],
  "empty": [() => "", /is empty/],
  "NUL-filled": [(text) => "\0".repeat(text.length), /holds only NUL bytes/],
  "not UTF-8": [() => new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), /no valid JSON/],
  "null": [() => "null", /holds no JSON object/],
  "a list": [() => "[1]", /holds no JSON object/],
  "a foreign object": [() => '{"name":"x","version":"1"}', /"format" is missing/],
  "format as text": [changed((state) => state["format"] = "1" as never), /"format" is "1"/],
  "format 0": [changed((state) => state["format"] = 0 as never), /"format" is 0/],
  "format 1.5": [changed((state) => state["format"] = 1.5 as never), /"format" is 1.5/],
  "a newer format": [
    changed((state) => state["format"] = 99 as never),
    /has format 99, this engine reads up to 1.*open it with the fast-rlm that wrote it/,
  ],
  "a newer devalue": [changed((state) => state["devalue"] = "7.0.0" as never), /devalue 7\.0\.0/],
  "no devalue": [changed((state) => delete state["devalue"]), /no version in "devalue"/],
  "no variables": [changed((state) => delete state["variables"]), /no record "variables"/],
  "variables as a list": [
    changed((state) => state["variables"] = [] as never),
    /no record "variables"/,
  ],
  "steps as an object": [changed((state) => state["steps"] = {}), /no list "steps"/],
  "a variable that is null": [
    changed((state) => state["variables"]!["a"] = null as never),
    /is no object/,
  ],
  "a variable without a value": [
    changed((state) => delete state["variables"]!["a"]!["value"]),
    /variables\["a"\]\.value is missing/,
  ],
  "a path for a payload": [
    changed((state) => state["variables"]!["a"]!["value"] = { payload: "../../x", slot: 0 }),
    /variables\["a"\]\.value is an object/,
  ],
  "a payload named by a path": [
    changed((state) => state["payloads"]!["../x"] = { bytes: 1 }),
    /not named by a SHA-256/,
  ],
  "a negative size": [changed((state) => state["variables"]!["a"]!["bytes"] = -1), /bytes is -1/],
  "a query numbered past the end": [
    changed((state) =>
      (state["queries"] as unknown as Record<string, unknown>[])[0]!["number"] = 2 ** 53 - 1
    ),
    /queries\[0\]\.number is 9007199254740991/,
  ],
  "a status of its own": [
    changed((state) =>
      (state["queries"] as unknown as Record<string, unknown>[])[0]!["status"] = "done"
    ),
    /queries\[0\]\.status is "done"/,
  ],
  "names that are no list": [
    changed((state) => (state["steps"] as unknown as Record<string, unknown>[])[0]!["names"] = "a"),
    /steps\[0\]\.names is "a"/,
  ],
  "a hostile name": [
    changed((state) => state["variables"]!["\u001b[2J\u202e"] = {}),
    /variables\["\\\\x1b\[2J\\\\u202e"\]/,
  ],
};

function changed(change: (state: State) => unknown): (text: string) => string {
  return (text) => {
    const state = JSON.parse(text);
    change(state);
    return JSON.stringify(state);
  };
}

Deno.test("a damaged or newer state file is refused by name, and not a byte changes (cases 63, 66)", async (t) => {
  for (const [kind, [harm, told]] of Object.entries(damages)) {
    await t.step(kind, () =>
      withDir(async (dir) => {
        await sessionOf(dir, [{ a: "[1]" }]);
        await Deno.remove(`${dir}/session.lock`);
        const path = `${dir}/state.json`;
        const harmed = harm(await Deno.readTextFile(path));
        const bytes = typeof harmed === "string" ? new TextEncoder().encode(harmed) : harmed;
        await Deno.writeFile(path, bytes);
        const before = await contentOf(dir);
        for (const open of [openStore, SessionStore.read]) {
          const error: RlmError = await open(dir).then(() => assert.fail(kind), (error) => error);
          assert.equal(error.code, "session_unreadable");
          assert.match(error.message, told);
          assert.ok(error.message.includes(path) && !/[\p{Cc}\u202e]/u.test(error.message));
          if (!kind.includes("newer")) assert.match(error.message, /fast-rlm session repair /);
        }
        assert.deepEqual(await contentOf(dir), before);
        await assert.rejects(Deno.stat(`${dir}/session.lock`));
      }));
  }
});

Deno.test("a state file that is gone while an earlier one is there is no new session", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]" }]);
    await Deno.remove(`${dir}/state.json`);
    await assert.rejects(openStore(dir), /state\.json is missing, but there is an earlier state/);
    await Deno.remove(`${dir}/state.prev.json`);
    await assert.rejects(openStore(dir), /is missing, but there is an earlier state/);
    await Deno.remove(`${dir}/checkpoints`, { recursive: true });
    await using store = await openStore(dir);
    assert.deepEqual(store.manifest.queries, []);
  }));

Deno.test("a state file that is a directory, or far too large, is refused", () =>
  withDir(async (dir) => {
    await Deno.mkdir(`${dir}/state.json`);
    await assert.rejects(openStore(dir), /state\.json is no regular file/);
    await Deno.remove(`${dir}/state.json`);
    const file = await Deno.create(`${dir}/state.json`);
    await file.truncate(500 * 1024 * 1024);
    file.close();
    await assert.rejects(openStore(dir), /has 500 MB, at most 400 are read/);
  }));

Deno.test("what has no end is not read: state and values that are pipes or devices", {
  ignore: Deno.build.os === "windows",
}, () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{
      small: "[1]",
      large: textOf(70_000, "x"),
      other: textOf(70_000, "y"),
    }]);
    const id = (await SessionStore.read(dir))!.variables["large"]!.value.payload;
    const path = `${dir}/values/${id}`;
    const replacements: Record<string, () => Promise<unknown>> = {
      "a pipe": () => new Deno.Command("mkfifo", { args: [path] }).output(),
      "a link to a device": () => Deno.symlink("/dev/zero", path),
      "a directory": () => Deno.mkdir(path),
    };
    for (const [kind, replace] of Object.entries(replacements)) {
      await Deno.remove(path);
      await replace();
      await using store = await openStore(dir);
      const { variables, failed } = await store.snapshot();
      assert.deepEqual(variables.map(({ name }) => name), ["small", "other"], kind);
      assert.match(failed[0]?.reason ?? "", /cannot be read: it is no regular file/);
    }
    await Deno.rename(`${dir}/state.json`, `${dir}/kept.json`);
    await Deno.symlink("/dev/zero", `${dir}/state.json`);
    await assert.rejects(openStore(dir), /state\.json is no regular file/);
    const repaired = await repairSession(dir, { clock: instantClock() });
    assert.match(repaired.keptAs ?? "", /^state\.damaged-/);
    assert.equal((await SessionStore.read(dir))!.queries.length, 1);
  }));

Deno.test("values/ that is a file fails the names in it, the others are there", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ small: "[1]", large: textOf(70_000, "x") }]);
    await Deno.remove(`${dir}/values`, { recursive: true });
    await Deno.writeTextFile(`${dir}/values`, "");
    await using store = await openStore(dir);
    const { variables, failed } = await store.snapshot();
    assert.deepEqual(variables.map(({ name }) => name), ["small"]);
    assert.match(failed[0]?.reason ?? "", /cannot be read: a part of the path is no directory/);
  }));

Deno.test("a name whose payload the manifest does not have is carried forward", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]", b: "[2]" }]);
    const path = `${dir}/state.json`;
    const state = JSON.parse(await Deno.readTextFile(path));
    delete state.payloads[state.variables.a.value.payload];
    await Deno.writeTextFile(path, JSON.stringify(state));
    for (const number of [2, 3]) {
      await using store = await openStore(dir);
      await store.beginQuery(`question ${number}`);
      const { failed } = await store.snapshot();
      assert.deepEqual(failed, [{ name: "a", reason: "state.json does not hold its value" }]);
      const snapshot = await sweepOf({ b: "[2]" });
      await store.saveStep(stepOf(1, { snapshot, restoreFailed: failed }));
      assert.equal(store.manifest.variables["a"]?.failed, "state.json does not hold its value");
    }
  }));
