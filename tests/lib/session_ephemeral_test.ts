import assert from "node:assert/strict";
import { fromFileUrl } from "@std/path";
import { createEphemeral } from "../../lib/session_ephemeral.ts";
import { instantClock } from "../support/session_fixture.ts";

Deno.test("a private directory is 0700 and goes with its owner, however it is disposed", async () => {
  for (const dispose of [Symbol.dispose, Symbol.asyncDispose] as const) {
    const dir = await createEphemeral(instantClock());
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(dir.path)).mode ?? 0) & 0o777, 0o700);
    }
    await Deno.mkdir(`${dir.path}/values`);
    await Deno.writeTextFile(`${dir.path}/values/x`, "x");
    await dir[dispose]();
    await dir[dispose]();
    await assert.rejects(Deno.stat(dir.path), Deno.errors.NotFound);
  }
});

Deno.test("a private directory that nobody disposes goes with the process, also with Deno.exit", async () => {
  const module = new URL("../../lib/session_ephemeral.ts", import.meta.url).href;
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  for (const exit of ["", "Deno.exit(3);"]) {
    const code = `import { createEphemeral } from ${JSON.stringify(module)};
      console.log((await createEphemeral({ now: () => 0, sleep: async () => {} })).path);
      ${exit}`;
    const args = ["eval", "--no-check", "--config", config, code];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    const path = new TextDecoder().decode(stdout).trim();
    assert.match(path, /fast-rlm-/);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }
});
