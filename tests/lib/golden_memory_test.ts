import assert from "node:assert/strict";
import { fromFileUrl } from "@std/path";
import { GOLDEN_LOOK, GOLDEN_VALUES } from "../support/make_golden.ts";
import { withRepl } from "../support/repl.ts";
import { contentOf, openStore, withDir } from "../support/session_fixture.ts";

const golden = fromFileUrl(new URL("../fixtures/golden_state_1", import.meta.url));

Deno.test("every kind of value that format 1 holds is restored from its file (case 39)", async () => {
  await withDir(async (dir) => {
    for (const [path, hex] of await contentOf(golden)) {
      await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeFile(`${dir}/${path}`, Uint8Array.fromHex(hex));
    }
    await using store = await openStore(dir);
    const snapshot = await store.snapshot();
    assert.deepEqual(snapshot.failed, []);
    await withRepl(async (repl) => {
      const report = await repl.restore(snapshot);
      assert.deepEqual(report.failed, []);
      assert.deepEqual(report.degraded.map(({ name }) => name), ["lossy"]);
      const look = await repl.run(`FINAL(${GOLDEN_LOOK})`);
      assert.equal(look.failure, undefined);
      assert.deepEqual(look.answer, GOLDEN_VALUES);
    });
  });
});
