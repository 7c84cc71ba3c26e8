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
      const named = (name: string) => variables.find((entry) => entry.name === name)!;
      assert.ok(["rows", "big", "__proto__", "lossy"].every(named));
      const { ref, ...rows } = named("rows");
      assert.deepEqual(rows, {
        name: "rows",
        type: "Array(1)",
        preview: '[{guest: "Ada", at: 7}]',
        bytes: 35,
        committed: true,
        note: "the list of record",
      });
      const text = payloads.find(({ id }) => id === ref.payload)?.text;
      assert.equal(text, '[{"v":5},[2],{"guest":3,"at":4},"Ada",7,[1]]');
      assert.equal(payloads.find(({ id }) => id === named("big").ref.payload)?.bytes, 70_016);
      assert.deepEqual(named("lossy").loss, [
        { path: "lossy.fn", reason: "is a native or bound function" },
      ]);
      const parse = functions.find(({ name }) => name === "parse");
      assert.equal(parse?.source, 'function parse(text) {\n  return text.split("\\n");\n}');
      assert.deepEqual(dropped, [{ name: "timer", type: "Promise", reason: "is a promise" }]);
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
