/** The escape battery: every attempt on a real sandbox, in a fresh one and in a resumed one. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Snapshot } from "../../repl/snapshot.ts";
import { StepSyntaxError } from "../../repl/syntax_error.ts";
import { type Escape, ESCAPES } from "../support/escapes.ts";
import { type Ran, TestRepl } from "../support/repl.ts";
import { withTempDir } from "../support/cli.ts";

/** A server that counts who asks it, and a file that must stay as it is. */
async function withBait(
  test: (fill: (code: string) => string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    let asked = 0;
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
      asked++;
      return new Response("export default 1", { headers: { "content-type": "text/javascript" } });
    });
    try {
      const file = `${dir}/bait.json`;
      await Deno.writeTextFile(file, "{}");
      const url = `http://127.0.0.1:${server.addr.port}`;
      await test((code) => code.replaceAll("$URL", url).replaceAll("$FILE", file));
      strictEqual(asked, 0, "the server was asked");
      strictEqual(await Deno.readTextFile(file), "{}");
      deepStrictEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["bait.json"]);
    } finally {
      await server.shutdown();
    }
  });
}

function outcome(ran: Ran): string {
  return ran.failure ?? ran.echo ?? ran.text.trim().split("\n").at(-1)!;
}

/** Makes an attempt; returns what is wrong with the way it failed. */
async function attempt(repl: TestRepl, escape: Escape, code: string): Promise<string[]> {
  const what = `${escape.reach}: ${code}`;
  let said: string;
  try {
    said = outcome(await repl.run(`await (async () => {${code}\n})()`)) || "undefined";
  } catch (error) {
    // The host refuses what it can see; a sandbox that died is no refusal.
    if (!(error instanceof StepSyntaxError)) throw new Error(what, { cause: error });
    said = `SyntaxError: ${error.message}`;
  }
  const check = await repl.run("[typeof FINAL, context, (await llm_query('ping')).value].join()");
  strictEqual(outcome(check), "function,the context,ping", `after ${what}`);
  return escape.fails.test(said) ? [] : [`${what}\n  said ${said}`];
}

Deno.test(`${ESCAPES.length} ways out of the sandbox are closed`, async () => {
  ok(ESCAPES.length >= 120);
  await withBait(async (fill) => {
    await using repl = await TestRepl.start();
    const wrong: string[] = [];
    for (const escape of ESCAPES) wrong.push(...await attempt(repl, escape, fill(escape.code)));
    strictEqual(wrong.join("\n"), "");
  });
});

Deno.test("they are closed after a resume too, kept as saved functions", async () => {
  await withBait(async (fill) => {
    let snapshot: Snapshot;
    const kept: { escape: Escape; name: string }[] = [];
    {
      await using repl = await TestRepl.start();
      for (const [i, escape] of ESCAPES.entries()) {
        try {
          const { failure } = await repl.run(
            `async function escape${i}() {${fill(escape.code)}\n}`,
          );
          strictEqual(failure, undefined);
          kept.push({ escape, name: `escape${i}` });
        } catch (error) {
          if (!(error instanceof StepSyntaxError)) throw error;
        }
      }
      snapshot = await repl.sandbox.sweep({ capBytes: 5e6, known: [] });
    }
    ok(kept.length > 100);
    await using repl = await TestRepl.start();
    const { failed, restored } = await repl.sandbox.restore(snapshot);
    deepStrictEqual(failed, []);
    ok(restored.length >= kept.length);
    const wrong: string[] = [];
    for (const { escape, name } of kept) {
      wrong.push(...await attempt(repl, escape, `return await ${name}()`));
    }
    strictEqual(wrong.join("\n"), "");
  });
});
