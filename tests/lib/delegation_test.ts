import assert from "node:assert/strict";
import { checkDelegation, holdsNearlyAll } from "../../lib/delegation.ts";

Deno.test("nearly all of a large context is refused with sizes and advice", () => {
  const refusal = checkDelegation({ parentBytes: 5_000_000, childBytes: 4_900_000, shared: true });
  assert.equal(
    refusal,
    "Cannot delegate nearly all of the context: it has 5.0 MB, the sub-agent would get 4.9 MB; " +
      "filter or split it in code first and pass the parts, or pass {whole: true} if one agent must " +
      "read it all",
  );
});

Deno.test("what may be passed down", () => {
  const big = { parentBytes: 5_000_000, childBytes: 5_000_000, shared: true };
  assert.equal(checkDelegation({ ...big, whole: true }), undefined);
  assert.equal(checkDelegation({ ...big, childBytes: 4_400_000, shared: true }), undefined);
  assert.equal(
    checkDelegation({ parentBytes: 65_536, childBytes: 65_536, shared: true }),
    undefined,
  );
  assert.equal(
    checkDelegation({ ...big, shared: false }),
    undefined,
    "other data of the same size",
  );
  assert.equal(checkDelegation({ parentBytes: 0, childBytes: 9e9 }), undefined);
});

Deno.test("a context wrapped in a longer text is still the whole context", () => {
  const big = { parentBytes: 100_000, childBytes: 900_000 };
  assert.ok(checkDelegation({ ...big, shared: true }));
  assert.ok(checkDelegation({ parentBytes: 100_000, childBytes: 101_000 }), "unknown, same size");
  assert.equal(checkDelegation(big), undefined, "unknown, much larger");
});

Deno.test("whether a text holds nearly all of another is told from samples", () => {
  const parent = Array.from({ length: 20_000 }, (_, i) => `line ${i} of the book\n`).join("");
  assert.equal(holdsNearlyAll(parent, parent), true);
  assert.equal(holdsNearlyAll(parent, `Question: what?\n\n${parent}\n`), true);
  assert.equal(holdsNearlyAll(parent, parent.slice(0, parent.length * 0.95)), true);
  assert.equal(holdsNearlyAll(parent, parent.slice(parent.length * 0.2) + "x".repeat(1e5)), false);
  assert.equal(holdsNearlyAll(parent, "x".repeat(parent.length)), false);
  assert.equal(holdsNearlyAll(parent, parent.slice(0, 1_000)), false);
  assert.equal(holdsNearlyAll("short", "a short text"), true);
  assert.equal(holdsNearlyAll("short", "a long text"), false);
  assert.equal(holdsNearlyAll(parent, parent.split("\n").reverse().join("\n")), false);
});
