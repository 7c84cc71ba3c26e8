import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { SandboxPool } from "../../lib/sandbox_pool.ts";
import { isAlive, untilGone } from "../support/processes.ts";

Deno.test("a spare is started once, taken once, and all processes end with the pool", async () => {
  const pool = new SandboxPool(256);
  pool.warm();
  pool.warm();
  const spare = pool.take();
  const next = pool.take();
  notStrictEqual(spare.pid, next.pid);
  pool.warm();
  const third = pool.take();
  const pids = [spare, next, third].map(({ pid }) => pid);
  strictEqual(new Set(pids).size, 3);
  if (Deno.build.os === "linux") deepStrictEqual(pids.map(isAlive), [true, true, true]);
  await pool.give(next);
  await untilGone([next.pid]);
  await pool.close();
  await untilGone(pids);
  ok(pids.every((pid) => !isAlive(pid)));
});

Deno.test("a pool that was closed starts nothing", async () => {
  const pool = new SandboxPool(256);
  await pool.close();
  pool.warm();
  throws(() => pool.take(), /closed/);
});
