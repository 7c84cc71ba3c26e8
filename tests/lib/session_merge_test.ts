import assert from "node:assert/strict";
import { emptyManifest, type Manifest } from "../../lib/session_format.ts";
import { mergeState, type StateChange } from "../../lib/session_merge.ts";
import { sweepOf, type VariableGiven } from "../support/session_fixture.ts";

type Change = Partial<Omit<StateChange, "snapshot" | "comments">> & {
  readonly variables?: Record<string, VariableGiven>;
  readonly functions?: Record<string, string>;
  readonly dropped?: Record<string, string>;
  readonly comments?: Record<string, string>;
};

/** The manifest after each of the changes; the n-th is step n of query 1. */
async function after(...changes: Change[]): Promise<Manifest> {
  let manifest = emptyManifest();
  for (
    const [index, { variables = {}, functions, dropped, comments = {}, ...rest }] of changes
      .entries()
  ) {
    const snapshot = await sweepOf(variables, {
      ...(functions && { functions }),
      ...(dropped && { dropped }),
    });
    const fresh = new Map(
      snapshot.payloads.map(({ id, bytes, text }) => [id, { bytes, text: text! }]),
    );
    const change = {
      query: 1,
      step: index + 1,
      assigned: [],
      failed: [],
      ...rest,
      comments: new Map(Object.entries(comments)),
      snapshot,
      fresh,
    };
    manifest = { ...manifest, ...mergeState(manifest, change) };
  }
  return manifest;
}

Deno.test("a name's origin is the step that last assigned it or changed its payload", async () => {
  const { variables } = await after(
    { variables: { same: "[1]", assigned: "[2]", changed: "[3]" } },
    { variables: { same: "[1]", assigned: "[2]", changed: "[3]" } },
    { variables: { same: "[1]", assigned: "[2]", changed: "[4]" }, assigned: ["assigned"] },
  );
  assert.deepEqual(Object.values(variables).map(({ step }) => step), [1, 3, 3]);
});

Deno.test("a function's origin moves with its source", async () => {
  const one = "function f() { return 1; }";
  const { functions } = await after(
    { functions: { f: one, g: one } },
    { functions: { f: one, g: "function g() { return 2; }" } },
  );
  assert.deepEqual(Object.values(functions).map(({ step }) => step), [1, 2]);
});

Deno.test("a name's last use is kept apart from its origin, also through the functions it was used by", async () => {
  const variables = { rows: "[1]", index: "[2]", old: "[3]" };
  const functions = {
    find: "function find(n) { return look(n); }",
    look: "function look(n) { return index[n]; }",
  };
  const same = { variables, functions };
  const { variables: saved, functions: defined } = await after(
    same,
    { ...same, used: ["rows", "find"] },
    { ...same, used: ["rows"], assigned: ["rows"] },
    { ...same, used: ["rows"] },
    same,
  );
  const use = (entry: { used?: { step: number }; step: number }) => [entry.step, entry.used?.step];
  assert.deepEqual(use(saved["rows"]!), [3, 4]);
  assert.deepEqual(use(saved["index"]!), [1, 2]);
  assert.deepEqual(use(saved["old"]!), [1, undefined]);
  assert.deepEqual(use(defined["find"]!), [1, 2]);
  assert.deepEqual(use(defined["look"]!), [1, 2]);
  const [again] = Object.values(
    (await after(same, { ...same, used: ["rows"], assigned: ["rows"] })).variables,
  );
  assert.deepEqual(use(again!), [2, undefined]);
});

Deno.test("the newest comment wins and is kept by steps that say nothing", async () => {
  const { variables } = await after(
    { variables: { a: "[1]", b: "[1]" }, comments: { a: "first", b: "of b" } },
    { variables: { a: "[2]", b: "[1]" }, comments: { a: "second" } },
    { variables: { a: "[3]", b: "[1]" } },
  );
  assert.deepEqual(Object.values(variables).map(({ comment }) => comment), ["second", "of b"]);
});

Deno.test("notes and commits stay with their name, though later sandboxes know nothing of them", async () => {
  const committed = { text: "[1]", note: "kept", committed: true } as const;
  const first = await after({ variables: { a: committed } });
  assert.deepEqual([first.variables["a"]?.note, first.variables["a"]?.committed], ["kept", true]);
  const then = await after({ variables: { a: committed } }, { variables: { a: "[1]" } });
  assert.deepEqual([then.variables["a"]?.note, then.variables["a"]?.committed], ["kept", true]);
  const gone = await after({ variables: { a: committed } }, {}, { variables: { a: "[1]" } });
  assert.deepEqual([gone.variables["a"]?.note, gone.variables["a"]?.committed], [
    undefined,
    undefined,
  ]);
});

Deno.test("what an earlier process dropped is told until its name is there again or assigned", async () => {
  const dropped = { a: "a promise", b: "a promise", c: "a promise", d: "a promise" };
  const state = await after(
    { dropped },
    { variables: { b: "[1]" }, assigned: ["c"], lost: ["a", "b", "c", "never"] },
  );
  assert.deepEqual(Object.keys(state.dropped), ["a"]);
  assert.equal(state.dropped["a"]?.step, 1);
});

Deno.test("a name that is gone is removed with its comment and its payload", async () => {
  const { variables, payloads } = await after(
    { variables: { a: "[1]", b: "[2]" }, comments: { a: "of a" } },
    { variables: { b: "[2]" } },
    { variables: { a: "[9]", b: "[2]" } },
  );
  assert.equal(variables["a"]?.comment, undefined);
  assert.equal(Object.keys(payloads).length, 2);
});

Deno.test("a failed name is carried forward untouched until its name appears again", async () => {
  const failed = [{ name: "a", reason: "its class is gone" }, { name: "unknown", reason: "x" }];
  const first = { variables: { a: "[1]" }, comments: { a: "of a" } };
  const carried = await after(first, { variables: { b: "[2]" }, failed });
  const entry = carried.variables["a"];
  assert.deepEqual([entry?.failed, entry?.comment, entry?.step], ["its class is gone", "of a", 1]);
  assert.equal(carried.payloads[entry?.value.payload ?? ""]?.text, "[1]");
  assert.ok(!("unknown" in carried.variables));
  for (
    const again of [{ variables: { a: "[3]" } }, { functions: { a: "function a() {}" } }, {
      dropped: { a: "a promise" },
    }]
  ) {
    const manifest = await after(first, { failed }, { ...again, failed });
    assert.notEqual(manifest.variables["a"]?.preview, "[1]");
    assert.equal(manifest.variables["a"]?.failed, undefined);
  }
});

Deno.test("a name that changes kind is in one record only", async () => {
  const { variables, functions, dropped } = await after(
    { variables: { x: "[1]" } },
    { functions: { x: "function x() {}" } },
    { dropped: { x: "a promise" } },
  );
  assert.deepEqual([Object.keys(variables), Object.keys(functions)], [[], []]);
  assert.deepEqual({ ...dropped["x"] }, {
    type: "Promise",
    reason: "a promise",
    query: 1,
    step: 3,
  });
});

Deno.test("a dropped name keeps the step at which it was first dropped for this reason", async () => {
  const { dropped } = await after(
    { dropped: { p: "a promise", q: "a promise" } },
    { dropped: { p: "a promise", q: "a timer" } },
  );
  assert.deepEqual(Object.values(dropped).map(({ step }) => step), [1, 2]);
});
