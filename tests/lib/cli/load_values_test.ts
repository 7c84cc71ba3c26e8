import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { loadValues } from "../../../lib/cli/load_values.ts";
import { RlmError } from "../../../lib/errors.ts";
import { compileSchema } from "../../../lib/output_schema.ts";
import { js } from "../../support/play.ts";
import { cli, withTempDir } from "../../support/cli.ts";
import { startFakeModelServer } from "../../support/fake_model_server.ts";

const flags = (values: Record<string, string>) =>
  [{ source: "flags", kind: "flags", values }] as const;

const zodOf = `import { z } from ${JSON.stringify(import.meta.resolve("zod"))};\n`;

Deno.test("a schema is read from JSON, YAML and modules, a Zod type too", async () => {
  await withTempDir(async (dir) => {
    const files = {
      "a.json": '\ufeff{"type": "integer"}',
      "a.yaml": "type: integer\n",
      "a.ts": "export default { type: 'integer' } as const;",
      "b.mjs": "export const schema = { type: 'integer' };",
      "c.ts": `${zodOf}export default z.number().int();`,
    };
    for (const [name, text] of Object.entries(files)) {
      const path = join(dir, name);
      await Deno.writeTextFile(path, text);
      const [layer] = await loadValues(flags({ outputSchema: path }));
      const schema = await compileSchema(layer!.values["outputSchema"]);
      strictEqual((await schema.validate("x")).ok, false, name);
      strictEqual((await schema.validate(1)).ok, true, name);
    }
  });
});

Deno.test("a schema file that cannot be used is named, on one line", async () => {
  await withTempDir(async (dir) => {
    const files = {
      "torn.json": '{"type":',
      "empty.ts": "export const other = 1;",
      "broken.ts": "export default {",
      "none.json": undefined,
      "none.ts": undefined,
    };
    for (const [name, text] of Object.entries(files)) {
      const path = join(dir, name);
      if (text !== undefined) await Deno.writeTextFile(path, text);
      await rejects(loadValues(flags({ outputSchema: path })), (error: unknown) => {
        ok(error instanceof RlmError, String(error));
        deepStrictEqual([error.code, error.message.includes(name)], ["config", true], name);
        ok(!error.message.includes("\n"));
        if (name === "torn.json") match(error.message, / as JSON: /);
        return true;
      });
    }
  });
});

Deno.test("--tools and --output-schema modules serve a run: AI SDK tools, functions, Zod", async () => {
  await withTempDir(async (dir) => {
    const schema = join(dir, "schema.ts");
    await Deno.writeTextFile(
      schema,
      `${zodOf}export default z.object({ hits: z.array(z.string()), loud: z.string() });`,
    );
    const tools = new URL("../../fixtures/tools/search_tools.ts", import.meta.url).pathname;
    await using server = startFakeModelServer([
      js(`const hits = await tools.search({ word: "beta", limit: 1 });
      const bad = await tools.search({ word: 1 }).catch((e) => e.message);
      FINAL({ hits, loud: 7, bad })`),
      js("FINAL({ hits, loud: await tools.shout({ text: bad.slice(0, 6) }) })"),
    ]);
    const { code, stdout, stderr } = await cli([
      ...["--primary-agent", "fake/m", "--log-dir", dir, "--tools", tools],
      ...["--output-schema", schema, "find beta"],
    ], { env: { RLM_MODEL_BASE_URL: server.baseUrl } });
    strictEqual(code, 0, stderr);
    deepStrictEqual(JSON.parse(stdout), { hits: ["alpha beta"], loud: "CANNOT" });
    match(server.requests[0]!.text, /tools\.search\(args: .* — Finds lines that contain a word/);
    match(server.requests[1]!.text, /value\.loud: /);
  });
});
