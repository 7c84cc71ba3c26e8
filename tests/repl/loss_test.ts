import assert from "node:assert/strict";
import type { Snapshot } from "../../repl/snapshot.ts";
import { TestRepl, withRepl } from "../support/repl.ts";

const BUILD = `const rows = [{}, { h: new Proxy({}, {}), n: 1 }];
const alias = rows;
const holder = { inside: rows };`;

Deno.test("a lost part is told of every name that reaches it (case 49)", async () => {
  await withRepl(async (repl) => {
    await repl.run(BUILD);
    const { variables } = await repl.sweep();
    assert.deepEqual(variables.map(({ name, loss }) => [name, loss?.map(({ path }) => path)]), [
      ["alias", ["alias[1].h"]],
      ["holder", ["holder.inside[1].h"]],
      ["rows", ["rows[1].h"]],
    ]);
  });
});

Deno.test("what was lost is told after a resume too, until the name is assigned again", async () => {
  await using first = await TestRepl.start();
  await first.run(BUILD);
  const saved = await first.sweep();
  await using second = await TestRepl.start();
  assert.equal((await second.restore(saved)).degraded.length, 3);
  const untouched = await second.sweep();
  const told = (snapshot: Snapshot) =>
    snapshot.variables.map(({ name, loss, ref }) => [name, loss, ref]);
  assert.deepEqual(told(untouched), told(saved));
  await second.run("rows.push(3); var other = rows; holder = { inside: 1 }");
  const changed = await second.sweep();
  assert.deepEqual(changed.variables.map(({ name, loss }) => [name, loss?.map((l) => l.path)]), [
    ["alias", ["alias[1].h"]],
    ["holder", undefined],
    ["other", ["other[1].h"]],
    ["rows", ["rows[1].h"]],
  ]);

  await using third = await TestRepl.start();
  const report = await third.restore(changed);
  assert.deepEqual(report.degraded.map(({ name }) => name), ["alias", "other", "rows"]);
  await third.run("rows = alias = other = [1]");
  assert.deepEqual((await third.sweep()).variables.flatMap(({ loss }) => loss ?? []), []);
});

Deno.test("a part that is taken out in the same query is lost no longer", async () => {
  await withRepl(async (repl) => {
    await repl.run(BUILD);
    await repl.sweep();
    await repl.run("delete rows[1].h");
    assert.deepEqual((await repl.sweep()).variables.flatMap(({ loss }) => loss ?? []), []);
  });
});
