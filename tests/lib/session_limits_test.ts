import assert from "node:assert/strict";
import {
  boundCode,
  boundNames,
  boundQuery,
  boundSnapshot,
  storedLimits,
} from "../../lib/session_limits.ts";
import { sweepOf } from "../support/session_fixture.ts";

Deno.test("more names than the bound are dropped with the reason, none in silence", async () => {
  const { variables, ...rest } = await sweepOf({ a: "[1]" });
  const many = Array.from(
    { length: 10_500 },
    (_, index) => ({ ...variables[0]!, name: `v${index}` }),
  );
  const bounded = boundSnapshot({ ...rest, variables: many });
  assert.equal(bounded.variables.length, storedLimits.names);
  assert.equal(bounded.dropped.length, 500);
  assert.match(bounded.dropped[0]?.reason ?? "", /more than 10000 names/);
});

Deno.test("a name that comes twice is kept once", async () => {
  const { variables, ...rest } = await sweepOf({ a: "[1]" }, {
    functions: { a: "function a() {}" },
  });
  const bounded = boundSnapshot({ ...rest, variables: [...variables, ...variables] });
  assert.equal(bounded.variables.length, 1);
  assert.equal(bounded.functions.length, 0);
});

Deno.test("a function of honest size keeps its source exactly, a huge one is dropped by name", async () => {
  const source = "function a() { return '\u202e\u0007'; }";
  const huge = `function b() { ${" ".repeat(storedLimits.source)} }`;
  const bounded = boundSnapshot(await sweepOf({}, { functions: { a: source, b: huge } }));
  assert.deepEqual(bounded.functions.map((entry) => entry.source), [source]);
  assert.match(bounded.dropped[0]?.reason ?? "", /its source has 100\d+ characters/);
});

Deno.test("losses and dropped names are bounded in number and length", async () => {
  const loss = Array.from(
    { length: 500 },
    () => ({ path: "p".repeat(900), reason: "r\u001b".repeat(900) }),
  );
  const snapshot = await sweepOf({ a: { text: "[1]", loss } }, {
    dropped: { b: "x".repeat(9_000) },
  });
  const bounded = boundSnapshot(snapshot);
  const kept = bounded.variables[0]?.loss ?? [];
  assert.equal(kept.length, storedLimits.losses);
  assert.ok(kept.every((one) => one.path.length <= 300 && one.reason.length <= 500));
  assert.ok((bounded.dropped[0]?.reason.length ?? 0) <= storedLimits.reason);
});

Deno.test("code and queries keep their lines, lose controls, and say what was cut", () => {
  assert.equal(boundCode("a\r\n\tb\u0000"), "a\n\tb\\x00");
  const long = boundQuery("q".repeat(20_000));
  assert.ok(long.length < 16_500 && long.endsWith("\n… 3,616 more characters"));
  assert.deepEqual(boundNames(["ok", "", "a\nb", "n".repeat(300)]), ["ok"]);
});
