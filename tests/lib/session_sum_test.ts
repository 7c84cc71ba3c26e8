import assert from "node:assert/strict";
import type { Manifest } from "../../lib/session_format.ts";
import type { SessionStore } from "../../lib/session_store.ts";
import { openStore, sessionOf, stepOf, sweepOf, withDir } from "../support/session_fixture.ts";

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`v${index}`, `["value ${index}"]`]),
);

/** The text of v7 as it is in the file, and another. */
const altered: [string, string] = [
  String.raw`"text":"[\"value 7\"`,
  String.raw`"text":"[\"value x\"`,
];

const stateOf = async (dir: string): Promise<Manifest> =>
  JSON.parse(await Deno.readTextFile(`${dir}/state.json`));

/** The file with other text in the place of some, and nothing else changed. */
async function alter(dir: string, from: string, to: string): Promise<void> {
  const text = await Deno.readTextFile(`${dir}/state.json`);
  assert.equal(text.split(from).length, 2, from);
  await Deno.writeTextFile(`${dir}/state.json`, text.replace(from, to));
}

/** Names that are found damaged, and whether anything is left to prove. */
async function checkOf(store: SessionStore): Promise<{ failed: string[]; unproved: number }> {
  const { check } = await store.readSnapshot();
  const { snapshot, unproved } = await check();
  return { failed: snapshot.failed.map(({ name }) => name), unproved: unproved.length };
}

Deno.test("many inline payloads have a sum that vouches for them, few have none", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ a: "[1]" }, many]);
    const first = JSON.parse(await Deno.readTextFile(`${dir}/state.json`));
    assert.match(first.sum, /^[0-9a-f]{64}$/);
    await using store = await openStore(dir);
    assert.deepEqual(await checkOf(store), { failed: [], unproved: 60 });
    assert.equal(store.hasUnproved, true);
    await store.prove();
    assert.equal(store.hasUnproved, false);
    assert.equal(store.knownPayloads().length, 60);
    await store.beginQuery("next");
    assert.equal((await stateOf(dir)).sum, first.sum, "what did not change has the same sum");
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ a: "[1]" }) }));
    assert.equal((await stateOf(dir)).sum, undefined);
  }));

Deno.test("a payload, an id or a sum that was altered is found, and fails its own names only", async (t) => {
  const alterations: Record<string, (state: Manifest) => [string, string, string[]]> = {
    "a text": () => [...altered, ["v7"]],
    "two ids": (state) => {
      const id = state.variables["v7"]!.value.payload;
      return [`"${id}": {`, `"${id.replace(/^./, (digit) => digit === "0" ? "1" : "0")}": {`, [
        "v7",
      ]];
    },
    "the sum": (state) => [state.sum!, "0".repeat(64), []],
  };
  for (const [what, alteration] of Object.entries(alterations)) {
    await t.step(what, () =>
      withDir(async (dir) => {
        await sessionOf(dir, [many]);
        const [from, to, names] = alteration(await stateOf(dir));
        await alter(dir, from, to);
        await using store = await openStore(dir);
        assert.deepEqual(await checkOf(store), { failed: names, unproved: 0 });
      }));
  }
});

Deno.test("a text under an id that is not its own, with the right sum, is never taken for the id's", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [many]);
    const { payload } = (await stateOf(dir)).variables["v7"]!.value;
    await alter(dir, ...altered);
    {
      // The sum of the altered file, as who altered it would write it.
      await using store = await openStore(dir);
      await store.beginQuery("q");
      const sum = (await stateOf(dir)).sum!;
      const text = await Deno.readTextFile(`${dir}/state.json`);
      const start = text.indexOf('"payloads": ') + '"payloads": '.length;
      const bytes = new TextEncoder().encode(text.slice(start, text.indexOf("\n}", start) + 2));
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      assert.notEqual(hash, sum);
      await alter(dir, sum, hash);
    }
    await using store = await openStore(dir);
    assert.deepEqual(await checkOf(store), { failed: [], unproved: 60 });
    await store.prove();
    assert.ok(!store.knownPayloads().includes(payload));
    await store.beginQuery("next");
    const snapshot = await sweepOf(many);
    await store.saveStep(stepOf(1, { snapshot }));
    const { payloads, variables } = await stateOf(dir);
    assert.equal(variables["v7"]!.value.payload, payload);
    assert.equal(payloads[payload]!.text, '["value 7"]');
  }));
