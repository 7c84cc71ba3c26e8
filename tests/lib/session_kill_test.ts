import assert from "node:assert/strict";
import { killBattery } from "../support/kill_battery.ts";
import { withDir } from "../support/session_fixture.ts";

Deno.test("a writer killed at random moments loses no completed step", {
  ignore: Deno.build.os === "windows",
}, () =>
  withDir(async (dir) => {
    const { lost, unreadable } = await killBattery(dir, 6, 7);
    assert.deepEqual({ lost, unreadable }, { lost: 0, unreadable: 0 });
  }));
