import assert from "node:assert/strict";
import { fromFileUrl } from "@std/path";
import { listCheckpoints, readCheckpoint } from "../../lib/session_checkpoint.ts";
import { denoFileSystem } from "../../lib/file_system.ts";
import { DEVALUE_VERSION, FORMAT } from "../../lib/session_format.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { contentOf, openStore, stepOf, sweepOf, withDir } from "../support/session_fixture.ts";

const golden = fromFileUrl(new URL("../fixtures/golden_state_1", import.meta.url));

async function copyGolden(to: string): Promise<void> {
  for (const [path, hex] of await contentOf(golden)) {
    await Deno.mkdir(`${to}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(`${to}/${path}`, Uint8Array.fromHex(hex));
  }
}

Deno.test("the devalue version in the code is that of deno.json", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.equal(config.imports.devalue, `npm:devalue@${DEVALUE_VERSION}`);
});

Deno.test("a state of format 1 is read, every field of it, and reading changes nothing", () =>
  withDir(async (dir) => {
    await copyGolden(dir);
    const before = await contentOf(dir);
    {
      await using store = await openStore(dir);
      const { variables, functions, dropped, failed, payloads } = await store.snapshot();
      assert.deepEqual(failed, []);
      assert.deepEqual(variables.map(({ name }) => name), ["rows", "big", "__proto__", "lossy"]);
      const { ref, ...rows } = variables[0]!;
      assert.deepEqual(rows, {
        name: "rows",
        type: "Array(1)",
        preview: '[{guest: "Ada", at: 7}]',
        bytes: 32,
        committed: true,
        note: "the list of record",
      });
      const text = payloads.find(({ id }) => id === ref.payload)?.text;
      assert.equal(text, '[[1],{"guest":2,"at":3},"Ada",7]');
      assert.deepEqual(variables[3]?.loss, [{ path: "lossy.fn", reason: "a native function" }]);
      assert.equal(functions[0]?.source, 'function parse(text) {\n  return text.split("\\n");\n}');
      assert.deepEqual(dropped, [{
        name: "timer",
        type: "Promise",
        reason: "timers cannot be saved",
      }]);
      const { queries, steps, variables: entries } = store.manifest;
      assert.deepEqual(queries.map(({ status }) => status), ["answered", "limit"]);
      assert.deepEqual([queries[0]?.final, queries[0]?.usage.promptTokens], [["Ada"], 100]);
      assert.equal(steps[0]?.error, "SyntaxError: Unexpected token ';'");
      assert.deepEqual([entries["rows"]?.comment, entries["rows"]?.query], [
        "guests by episode",
        2,
      ]);
      assert.deepEqual(await listCheckpoints(dir, denoFileSystem), [1, 2]);
      assert.equal((await readCheckpoint(dir, 1, denoFileSystem))?.variables["rows"]?.query, 1);
    }
    assert.deepEqual(await contentOf(dir), before);
  }));

Deno.test("a query goes on from a state of format 1", () =>
  withDir(async (dir) => {
    await copyGolden(dir);
    await using store = await openStore(dir);
    assert.equal(await store.beginQuery("next"), 3);
    await store.saveStep(stepOf(1, { snapshot: await sweepOf({ rows: "[1]" }) }));
    const manifest = await SessionStore.read(dir);
    assert.equal(manifest?.format, FORMAT);
    assert.equal(manifest?.queries.length, 3);
    assert.equal(manifest?.variables["rows"]?.comment, "guests by episode");
  }));
