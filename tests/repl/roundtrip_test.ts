import assert from "node:assert/strict";
import { values } from "../support/corpus.ts";
import { type Program, programs } from "../support/programs.ts";
import { MemoryWorker } from "../support/memory.ts";

const BATCH = 60;

for (let start = 0; start < values.length; start += BATCH) {
  const batch = values.slice(start, start + BATCH);
  Deno.test(`values ${start} to ${start + batch.length - 1} come back the same in a fresh worker`, async () => {
    using first = await MemoryWorker.start();
    for (const [i, value] of batch.entries()) await first.run(`const v${i} = ${value};`);
    const snapshot = await first.sweep();
    using second = await MemoryWorker.start();
    const report = await second.restore(snapshot);
    const again = await second.sweep();
    const problems = [...snapshot.dropped, ...report.failed, ...report.degraded]
      .map(({ name, reason }) => `${batch[Number(name.slice(1))]} ${reason}`);
    for (const [i, value] of batch.entries()) {
      const compare =
        `(() => { const v${i} = ${value}; return difference(globalThis.v${i}, v${i}) })()`;
      const wrong = await second.run(compare);
      if (wrong !== undefined) problems.push(`${value} ${wrong}`);
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(again.payloads.map(({ id }) => id), snapshot.payloads.map(({ id }) => id));
    assert.deepEqual(again.functions, snapshot.functions);
  });
}

/** The programs run in one pair of workers, each with names of its own: they must not disturb another. */
const named = (text: string, i: number): string => text.replaceAll("$", `p${i}_`);

Deno.test("programs leave to the next process what they made", async (t) => {
  using first = await MemoryWorker.start();
  for (const [i, { steps }] of programs.entries()) {
    for (const step of named(steps, i).split("\n")) await first.run(step);
  }
  const snapshot = await first.sweep();
  using second = await MemoryWorker.start();
  const report = await second.restore(snapshot);
  const again = await second.sweep();

  const reasons = (list: readonly { name: string; reason: string }[], i: number): string[] =>
    list.filter(({ name }) => name.startsWith(`p${i}_`)).map(({ name, reason }) =>
      `${name} ${reason}`
    );
  const compare = (actual: string[], expected: Program["lost"] = {}, i: number): void => {
    const rest = [...actual];
    for (const [path, part] of Object.entries(expected)) {
      const at = rest.findIndex((line) =>
        line.startsWith(`${named(path, i)} `) && line.includes(named(part, i))
      );
      assert.notEqual(at, -1, `${path} ${part} is not in:\n${actual.join("\n")}`);
      rest.splice(at, 1);
    }
    assert.deepEqual(rest, []);
  };
  for (const [i, program] of programs.entries()) {
    await t.step(program.name, async () => {
      compare(reasons(snapshot.dropped, i), program.dropped, i);
      const losses = [...snapshot.variables, ...snapshot.functions]
        .flatMap(({ loss = [] }) => loss.map(({ path, reason }) => ({ name: path, reason })));
      compare(reasons(losses, i), program.lost, i);
      compare(reasons(report.failed, i), program.failed, i);
      assert.equal(await second.run(named(program.check, i)), true);
    });
  }
  await t.step("a second round trip equals the first", () => {
    const failed = new Set(report.failed.map(({ name }) => name));
    const refs = ({ variables, functions }: typeof snapshot): Map<string, string> =>
      new Map(
        [...variables, ...functions].filter(({ name }) => !failed.has(name))
          .map(({ name, ref }) => [name, ref.payload]),
      );
    assert.deepEqual(refs(again), refs(snapshot));
  });
});
