import assert from "node:assert/strict";
import { sessionActions } from "../../../lib/cli/session_actions.ts";
import { displayWidth } from "../../../log/width.ts";
import {
  openStore,
  sessionOf,
  stepOf,
  sweepOf,
  textOf,
  type VariableGiven,
  withDir,
} from "../../support/session_fixture.ts";

const wide = { json: false, columns: 100 };

Deno.test("show names variables, functions and what was dropped, committed ones first", () =>
  withDir(async (dir) => {
    {
      await using store = await openStore(dir);
      await store.beginQuery("q");
      const snapshot = await sweepOf(
        {
          n: "[1]",
          rows: { text: "[2]", type: "Map(12)", committed: true, note: "the \u001b[2Jguests" },
        },
        {
          functions: { add: "function add(a, b) {\n  return a + b;\n}" },
          dropped: { sock: "it is a promise" },
        },
      );
      await store.saveStep(stepOf(1, { snapshot, comments: { n: "how many ".repeat(40) } }));
    }
    const lines = (await sessionActions.show(dir, wide)).split("\n");
    const at = lines.indexOf("Variables (★ committed)");
    assert.equal(lines[at + 1], "★ rows: Map(12)  — the \\x1b[2Jguests");
    assert.match(lines[at + 2]!, /^ {2}n: string\(3\) {2}— how many .*…$/);
    assert.deepEqual(lines.slice(at + 3), [
      "",
      "Functions",
      "  function add(a, b)",
      "",
      "Dropped (not saved)",
      "  sock: Promise — it is a promise",
      "",
    ]);
    for (const columns of [20, 40, 100]) {
      const text = await sessionActions.show(dir, { json: false, columns });
      assert.ok(text.split("\n").every((line) => displayWidth(line) <= columns));
    }
  }));

Deno.test("show ends long lists with a count, and keeps room for what comes after", () =>
  withDir(async (dir) => {
    const many: Record<string, VariableGiven> = {};
    for (let i = 0; i < 1_300; i++) many[`v${i}`] = "[1]";
    {
      await using store = await openStore(dir);
      await store.beginQuery("q");
      const snapshot = await sweepOf(many, { dropped: { sock: "it is a promise" } });
      await store.saveStep(stepOf(1, { snapshot }));
    }
    const lines = (await sessionActions.show(dir, wide)).split("\n");
    assert.ok(lines.includes("  … and 1,101 more"));
    assert.ok(lines.includes("  sock: Promise — it is a promise"));
    assert.ok(lines.length < 220);
  }));

Deno.test("lost and damaged value files are told by repair and marked by show", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ rows: textOf(70_000, "a"), more: textOf(70_000, "b"), n: "[1]" }]);
    assert.match((await sessionActions.repair(dir)).join(), / is in order$/);
    const [first, second] = [...Deno.readDirSync(`${dir}/values`)].map(({ name }) => name);
    await Deno.remove(`${dir}/values/${first}`);
    await Deno.writeTextFile(`${dir}/values/${second}`, "short");
    const [head, ...lost] = await sessionActions.repair(dir);
    assert.match(head!, /in order, but a part of what it saved is lost; all else can be used$/);
    assert.equal(lost.length, 2);
    assert.match(lost.join(), /lost: the value of \w+: its file values\/[0-9a-f]{12}… is missing/);
    assert.match(lost.join(), /lost: the value of \w+: its file .* is damaged/);
    const shown = await sessionActions.show(dir, wide);
    assert.match(shown, /0 dropped, 2 failed/);
    const failed = shown.slice(shown.indexOf("Failed"));
    assert.match(failed, / {2}more: string\(70000\) — its file values\/[0-9a-f]{12}… is /);
    assert.match(failed, / {2}rows: string\(70000\) — its file values\/[0-9a-f]{12}… is /);
    assert.doesNotMatch(failed, / n: /);
    const json = await sessionActions.show(dir, { json: true, columns: 100 });
    assert.match(json, /is missing/);
  }));

Deno.test("a list of a directory that is none says so, and one without sessions is empty", () =>
  withDir(async (dir) => {
    await assert.rejects(
      sessionActions.list(`${dir}/typo`),
      /Cannot list sessions: .*typo does not/,
    );
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(sessionActions.list(`${dir}/file`), /is a file; name a directory$/);
    assert.deepEqual(await sessionActions.list(dir), []);
  }));
