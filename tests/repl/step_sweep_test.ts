/** A sweep that is asked for with its step, on a real sandbox. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { rewriteStep } from "../../repl/rewrite.ts";
import { TestRepl } from "../support/repl.ts";

const sweep = { capBytes: 1_000_000, known: [] };
const step = (code: string, declared: readonly string[] = []) => ({
  step: 1,
  code,
  declared,
  timeoutMs: 5_000,
});

Deno.test("a sweep that comes with a step is the state after it, also where the step failed", async () => {
  await using repl = await TestRepl.start();
  const good = await repl.sandbox.evaluate(step("var n = 1; n", ["n"]), sweep);
  strictEqual(good.echo, "1");
  const { variables } = await good.swept!;
  deepStrictEqual(variables.map(({ name, preview }) => [name, preview]), [["n", "1"]]);
  const bad = await repl.sandbox.evaluate(step("n = 2; throw new Error('no')"), sweep);
  strictEqual(bad.error?.message, "no");
  deepStrictEqual((await bad.swept!).variables.map(({ preview }) => preview), ["2"]);
  const alone = await repl.sandbox.evaluate(step("n"));
  strictEqual(alone.swept, undefined);
});

Deno.test("the sweep of a step is the one that is asked for afterwards", async () => {
  await using repl = await TestRepl.start();
  const code = "var rows = [{a: 1}, {a: 2}]; var text = 'x'.repeat(70_000)";
  const { swept } = await repl.sandbox.evaluate(step(code, ["rows", "text"]), sweep);
  deepStrictEqual(await swept, await repl.sandbox.sweep(sweep));
});

Deno.test("built-ins that a step replaced are the agent's again after its sweep, which names them", async () => {
  await using repl = await TestRepl.start();
  const patch = "Array.prototype.map = () => 'mine'; globalThis.Map = class Mine {}; 0";
  const { swept } = await repl.sandbox.evaluate(step(patch), sweep);
  deepStrictEqual((await swept!).dropped.map(({ name }) => name), ["Map"]);
  const { echo } = await repl.sandbox.evaluate(step("[[].map(), Map.name].join()"));
  strictEqual(echo, "mine,Mine");
});

Deno.test("a sandbox that ends in a step takes the sweep with it", async () => {
  await using repl = await TestRepl.start();
  const { code, hoisted } = rewriteStep("await 0; for (;;);");
  const stuck = repl.sandbox.evaluate({ ...step(code), hoisted, timeoutMs: 200 }, sweep);
  strictEqual(await stuck.then(() => "ended", (error) => error.reason), "timeout");
});
