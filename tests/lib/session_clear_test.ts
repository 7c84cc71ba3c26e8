import assert from "node:assert/strict";
import { RlmError } from "../../lib/errors.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { forkSession } from "../../lib/session_admin.ts";
import { exportSession, importSession } from "../../lib/session_bundle.ts";
import { clearSession } from "../../lib/session_clear.ts";
import { repairSession } from "../../lib/session_repair.ts";
import { instantClock, openStore, sessionOf, textOf, withDir } from "../support/session_fixture.ts";

const clock = instantClock();

/** Every path below the directory with its text, the lock too. */
async function everything(dir: string, prefix = ""): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(`${dir}/${prefix}`)) {
    const path = prefix + name;
    if (isDirectory) Object.assign(all, { [`${path}/`]: "" }, await everything(dir, `${path}/`));
    else all[path] = await Deno.readTextFile(`${dir}/${path}`);
  }
  return all;
}

async function write(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${dir}/${path}`, text);
  }
}

const refused = (code: string, told: RegExp) => (error: unknown): boolean =>
  error instanceof RlmError && error.code === code && told.test(error.message) &&
  !error.message.includes("\n");

Deno.test("a folder that is no session is refused by every command, and nothing is left in it", async (t) => {
  const own = { "values/data.csv": "a,b", "checkpoints/model.pt": "weights" };
  const folders: Record<string, [Record<string, string>, string, RegExp]> = {
    "another program's state": [
      { ...own, "state.json": '{"app":1}' },
      "session_unreadable",
      /nothing was changed/,
    ],
    "a state that is no JSON": [{ ...own, "state.json": "x = 1" }, "session_unreadable", /JSON/],
    "no state": [{ ...own, "main.ts": "1" }, "input", /there is no session here/],
    "another program's checkpoints": [
      { "checkpoints/7.json": '{"loss":0.1}' },
      "session_unreadable",
      /no earlier state/,
    ],
    nothing: [{}, "input", /there is no session here/],
  };
  for (const [kind, [files, code, told]] of Object.entries(folders)) {
    await t.step(kind, () =>
      withDir(async (dir) => {
        await write(dir, files);
        const before = await everything(dir);
        await assert.rejects(clearSession(dir, { clock }), refused(code, told));
        assert.deepEqual(await everything(dir), before);
        await assert.rejects(repairSession(dir, { clock }), refused(code, /session/));
        assert.deepEqual(await everything(dir), before);
        if (code !== "input") return;
        await assert.rejects(forkSession(dir, `${dir}-x`, { clock }), refused(code, told));
        await assert.rejects(exportSession(dir, `${dir}-x`, { clock }), refused(code, told));
        assert.deepEqual(await everything(dir), before);
      }));
  }
});

Deno.test("a repair that cannot help does not advise itself", () =>
  withDir(async (dir) => {
    await write(dir, { "state.json": "{" });
    await assert.rejects(
      repairSession(dir, { clock }),
      (error) => error instanceof RlmError && !error.message.includes("try "),
    );
  }));

Deno.test("a plain file is called one by every command", () =>
  withDir(async (dir) => {
    await write(dir, { "README.md": "# hi", "x/y": "" });
    const file = `${dir}/README.md`;
    for (
      const attempt of [
        () => clearSession(file, { clock }),
        () => repairSession(file, { clock }),
        () => forkSession(file, `${dir}/to`, { clock }),
        () => forkSession(file, `${dir}/to`, { clock, at: 1 }),
        () => exportSession(file, `${dir}/to`, { clock }),
      ]
    ) await assert.rejects(attempt(), refused("input", /README\.md is a file; name a session/));
    await assert.rejects(clearSession(`${file}/x`, { clock }), refused("disk", /no directory/));
    await assert.rejects(importSession(`${dir}/x`, `${dir}/to`, { clock }), RlmError);
    await assert.rejects(importSession(file, file, { clock }), refused("input", /is a file/));
    assert.deepEqual(Object.keys(await everything(dir)).sort(), ["README.md", "x/", "x/y"]);
  }));

Deno.test("clearing removes what the store named, and no other file", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ rows: textOf(70_000, "rows") }]);
    {
      await using store = await openStore(dir);
      await store.beginQuery("logged", "logs/run.jsonl");
      await store.endQuery({ status: "answered", final: 1, steps: 0, usage: noUsage });
    }
    const own = {
      "values/data.csv": "a,b",
      "checkpoints/model.pt": "weights",
      "logs/notes.txt": "mine",
      "logs/other.jsonl": "{}",
      "state.md": "mine",
    };
    await write(dir, {
      ...own,
      "logs/run.jsonl": "{}",
      "state.damaged-20260102T000000000Z.json": "{",
      "values/.a.0123456789ab.rlm-tmp": "half",
    });
    await clearSession(dir, { clock });
    const { "state.json": state, ...left } = await everything(dir);
    assert.deepEqual(left, {
      ...own,
      "values/": "",
      "checkpoints/": "",
      "logs/": "",
      "session.lock": "",
    });
    assert.deepEqual(JSON.parse(state!).queries, []);
  }));

Deno.test("a damaged session is cleared where its own files show that it was one", async (t) => {
  const harms: Record<string, (dir: string) => Promise<void>> = {
    "torn, with a checkpoint": (dir) => Deno.writeTextFile(`${dir}/state.json`, "NUL"),
    "gone, with a checkpoint": (dir) => Deno.remove(`${dir}/state.json`),
    "torn, with nothing else": async (dir) => {
      const text = await Deno.readTextFile(`${dir}/state.json`);
      await Deno.remove(`${dir}/checkpoints`, { recursive: true });
      await Deno.remove(`${dir}/state.prev.json`);
      await Deno.writeTextFile(`${dir}/state.json`, text.slice(0, -20));
    },
  };
  for (const [kind, harm] of Object.entries(harms)) {
    await t.step(kind, () =>
      withDir(async (dir) => {
        await sessionOf(dir, [{ rows: textOf(70_000, "rows") }]);
        await harm(dir);
        await clearSession(dir, { clock });
        assert.deepEqual(Object.keys(await everything(dir)).sort(), ["session.lock", "state.json"]);
      }));
  }
});

Deno.test({
  name: "clearing does not follow a link out of the session",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withDir(async (dir) => {
      await sessionOf(`${dir}/s`, [{ a: "[1]" }]);
      await write(dir, { "mine/1.json": "mine" });
      await Deno.remove(`${dir}/s/checkpoints`, { recursive: true });
      await Deno.symlink(`${dir}/mine`, `${dir}/s/checkpoints`);
      await clearSession(`${dir}/s`, { clock });
      assert.equal(await Deno.readTextFile(`${dir}/mine/1.json`), "mine");
      await assert.rejects(Deno.lstat(`${dir}/s/checkpoints`));
    }),
});

Deno.test("a busy session is not told to wait where commands do not wait", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/s`, [{ a: "[1]" }]);
    await using _store = await openStore(`${dir}/s`);
    for (
      const attempt of [
        () => clearSession(`${dir}/s`, { clock }),
        () => repairSession(`${dir}/s`, { clock }),
        () => forkSession(`${dir}/s`, `${dir}/f`, { clock }),
      ]
    ) await assert.rejects(attempt(), refused("session_busy", /try again when it has ended$/));
    await assert.rejects(openStore(`${dir}/s`), refused("session_busy", /--wait$/));
  }));

Deno.test("an export to what exists names the way out", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/s`, [{ a: "[1]" }]);
    await write(dir, { "one.jsonl": "mine" });
    await assert.rejects(
      exportSession(`${dir}/s`, `${dir}/one.jsonl`, { clock }),
      refused("input", /name a new file, or remove that one first$/),
    );
    await assert.rejects(
      exportSession(`${dir}/s`, dir, { clock }),
      refused("input", /a directory/),
    );
    assert.equal(await Deno.readTextFile(`${dir}/one.jsonl`), "mine");
  }));

Deno.test("agreement is asked for once there is a session, and a no leaves all as it is", () =>
  withDir(async (dir) => {
    let asked = 0;
    const agree = () => {
      asked++;
      throw new Error("no");
    };
    const options = { clock: instantClock(), agree };
    await assert.rejects(clearSession(`${dir}/nowhere`, options), /does not exist/);
    assert.equal(asked, 0);
    await sessionOf(dir, [{ a: "[1]" }]);
    const before = await everything(dir);
    await assert.rejects(clearSession(dir, options), /^Error: no$/);
    assert.equal(asked, 1);
    assert.deepEqual(await everything(dir), before);
  }));
