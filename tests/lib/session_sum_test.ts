/** What the sum of a manifest says of its inline payloads, and what it must not say. */
import assert from "node:assert/strict";
import { noUsage } from "../../lib/model/usage.ts";
import { forkSession } from "../../lib/session_admin.ts";
import type { Manifest } from "../../lib/session_format.ts";
import type { CheckedSnapshot } from "../../lib/session_snapshot.ts";
import type { SessionStore } from "../../lib/session_store.ts";
import {
  instantClock,
  openStore,
  sessionOf,
  stepOf,
  sweepOf,
  withDir,
} from "../support/session_fixture.ts";

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`n${index}`, `["value ${index}"]`]),
);

const stateOf = async (dir: string): Promise<Manifest> =>
  JSON.parse(await Deno.readTextFile(`${dir}/state.json`));

/** Puts another text under the payload of `a`, in a file that is otherwise byte for byte the same. */
async function alter(dir: string): Promise<void> {
  const { variables, payloads } = await stateOf(dir);
  const entry = payloads[variables["a"]!.value.payload]!;
  const whole = await Deno.readTextFile(`${dir}/state.json`);
  const altered = whole.replace(JSON.stringify(entry), JSON.stringify({ ...entry, text: '["!"]' }));
  assert.notEqual(altered, whole);
  await Deno.writeTextFile(`${dir}/state.json`, altered);
}

/** As a query does it, up to its first step. */
async function restored(store: SessionStore): Promise<CheckedSnapshot> {
  await store.beginQuery("next");
  const { check } = await store.readSnapshot();
  return await check();
}

const failedIn = ({ snapshot }: CheckedSnapshot) => snapshot.failed.map(({ name }) => name);

/** A query of one step, after which the variables are these. Resolves to what could not be had. */
async function query(dir: string, variables: Readonly<Record<string, string>>): Promise<string[]> {
  await using store = await openStore(dir);
  const checked = await restored(store);
  await store.prove();
  await store.saveStep(stepOf(1, { snapshot: await sweepOf(variables) }));
  await store.endQuery({ status: "answered", steps: 1, usage: noUsage });
  return failedIn(checked);
}

Deno.test("one sum vouches for many inline payloads, each of which is proved before a sweep", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [many]);
    await using store = await openStore(dir);
    assert.equal((await restored(store)).unproved.length, 60);
    assert.equal(store.hasUnproved, true);
    await store.prove();
    assert.equal(store.hasUnproved, false);
    assert.equal(store.knownPayloads().length, 60);
  }));

Deno.test("an inline payload that was altered fails its name at every resume, not the first alone", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ ...many, a: '["one"]' }]);
    await alter(dir);
    assert.deepEqual(await query(dir, { ...many, n1: '["new"]' }), ["a"]);
    assert.equal((await stateOf(dir)).sum, undefined);
    assert.deepEqual(await query(dir, { ...many, n1: '["newer"]' }), ["a"]);
  }));

Deno.test("once no altered payload is left, there is a sum again", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [{ ...many, a: '["one"]' }]);
    await alter(dir);
    await query(dir, { ...many, n1: '["new"]' });
    await query(dir, { ...many, a: '["one"]' });
    assert.match((await stateOf(dir)).sum ?? "", /^[0-9a-f]{64}$/);
    await using store = await openStore(dir);
    assert.deepEqual(failedIn(await restored(store)), []);
  }));

Deno.test("a fork of a session with an altered payload does not vouch for it", () =>
  withDir(async (dir) => {
    await sessionOf(`${dir}/from`, [{ ...many, a: '["one"]' }]);
    await alter(`${dir}/from`);
    await forkSession(`${dir}/from`, `${dir}/to`, { clock: instantClock() });
    await using store = await openStore(`${dir}/to`);
    assert.deepEqual(failedIn(await restored(store)), ["a"]);
  }));

/** The file with other text in the place of some, and nothing else changed. */
async function replace(dir: string, from: string, to: string): Promise<void> {
  const text = await Deno.readTextFile(`${dir}/state.json`);
  assert.equal(text.split(from).length, 2, from);
  await Deno.writeTextFile(`${dir}/state.json`, text.replace(from, to));
}

/** The text of n7 as it is in the file, and another. */
const texts: [string, string] = [
  String.raw`"text":"[\"value 7\"`,
  String.raw`"text":"[\"value x\"`,
];

Deno.test("a text, an id or a sum that was altered fails its own names only", async (t) => {
  const alterations: Record<string, (state: Manifest) => [string, string, string[]]> = {
    "a text": () => [...texts, ["n7"]],
    "an id": (state) => {
      const id = state.variables["n7"]!.value.payload;
      const other = id.replace(/^./, (digit) => digit === "0" ? "1" : "0");
      return [`"${id}": {`, `"${other}": {`, ["n7"]];
    },
    "the sum": (state) => [state.sum!, "0".repeat(64), []],
  };
  for (const [what, alteration] of Object.entries(alterations)) {
    await t.step(what, () =>
      withDir(async (dir) => {
        await sessionOf(dir, [many]);
        const [from, to, names] = alteration(await stateOf(dir));
        await replace(dir, from, to);
        await using store = await openStore(dir);
        const checked = await restored(store);
        assert.deepEqual([failedIn(checked), checked.unproved], [names, []]);
      }));
  }
});

Deno.test("a text under an id that is not its own, with the right sum, is never taken for the id's", () =>
  withDir(async (dir) => {
    await sessionOf(dir, [many]);
    const { variables: { n7 }, sum } = await stateOf(dir);
    const { payload } = n7!.value;
    await replace(dir, ...texts);
    const text = await Deno.readTextFile(`${dir}/state.json`);
    const start = text.indexOf('"payloads": ') + '"payloads": '.length;
    const bytes = new TextEncoder().encode(text.slice(start, text.indexOf("\n}", start) + 2));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    await replace(dir, sum!, hash);
    await using store = await openStore(dir);
    assert.equal((await restored(store)).unproved.length, 60);
    await store.prove();
    assert.ok(!store.knownPayloads().includes(payload));
    await store.saveStep(stepOf(1, { snapshot: await sweepOf(many) }));
    const { payloads, variables } = await stateOf(dir);
    assert.equal(variables["n7"]!.value.payload, payload);
    assert.equal(payloads[payload]!.text, '["value 7"]');
  }));
