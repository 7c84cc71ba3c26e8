/** `Session` as a library user meets it: where state lives, order of queries, what can be looked up. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { join } from "@std/path";
import { RlmError, Session, SessionBusyError } from "../../mod.ts";
import { scriptedModel } from "../support/scripted_model.ts";
import { withTempDir } from "../support/cli.ts";

const js = (code: string) => "```js\n" + code + "\n```";
const exists = (path: string) =>
  Deno.stat(path).then(() => true, (error) => {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  });

const coded = (code: string) => (error: unknown) =>
  error instanceof RlmError && error.code === code;

Deno.test("an ephemeral session keeps state between its queries and is removed on close", async () => {
  const primaryAgent = scriptedModel([js("var a = 1; FINAL(a)"), js("FINAL(a + 1)")]);
  const session = new Session({ config: { primaryAgent } });
  const { dir } = session;
  strictEqual((await session.query("one")).result, 1);
  strictEqual((await session.query("two")).result, 2);
  strictEqual((await Deno.stat(dir)).mode! & 0o777, 0o700);
  await session.close();
  strictEqual(await exists(dir), false);
});

Deno.test("sessions without a directory share nothing (case 59), and are removed by using and by await using", async () => {
  let dirs: string[];
  {
    using one = new Session();
    await using two = new Session();
    dirs = [one.dir, two.dir];
    ok(await exists(dirs[0]!) && await exists(dirs[1]!));
    ok(dirs[0] !== dirs[1]);
  }
  await Promise.resolve();
  deepStrictEqual(await Promise.all(dirs.map(exists)), [false, false]);
});

Deno.test("an ephemeral session is removed on garbage collection and on exit", async () => {
  const script = `
    import { Session } from ${JSON.stringify(new URL("../../mod.ts", import.meta.url).href)};
    const make = () => new Session().dir;
    const collected = make();
    const kept = new Session();
    const gone = (p) => { try { Deno.statSync(p); return false } catch { return true } };
    for (let i = 0; i < 200 && !gone(collected); i++) { gc(); await new Promise(r => setTimeout(r)); }
    console.log(JSON.stringify({ collected: gone(collected), kept: kept.dir, there: !gone(kept.dir) }));
  `;
  const { stdout, stderr } = await runScript(script);
  strictEqual(new TextDecoder().decode(stderr), "");
  const { collected, kept, there } = JSON.parse(new TextDecoder().decode(stdout));
  ok(collected, "collected sessions lose their directory");
  ok(there, "live ones keep it");
  strictEqual(await exists(kept), false, "and lose it at exit");
});

Deno.test("a query without a prompt, from a program without types, is named as that", async () => {
  const session = new Session({ config: { primaryAgent: scriptedModel([]) } });
  await using _end = session;
  await rejects(
    session.query(undefined as unknown as string),
    /Cannot run: the prompt is undefined, not a text/,
  );
});

Deno.test("sessionDir holds the state itself, sessionId a folder below it", async () => {
  await withTempDir(async (dir) => {
    const config = { primaryAgent: scriptedModel([js("FINAL(1)"), js("FINAL(2)")]) };
    await using plain = new Session({ sessionDir: dir, config });
    await using named = new Session({ sessionDir: dir, sessionId: "book", config });
    await plain.query("one");
    await named.query("two");
    ok(await exists(join(dir, "state.json")));
    ok(await exists(join(dir, "book", "state.json")));
    await plain.close();
    ok(await exists(join(dir, "state.json")), "a named session stays");
  });
});

Deno.test("an id without a directory, or one that is no portable name, is refused before anything is made", async () => {
  await withTempDir((dir) => {
    throws(() => new Session({ sessionId: "x" }), coded("config"));
    for (
      const sessionId of ["../x", "/etc", ".", "..", "a\0b", "a:b", "con", "x".repeat(300), ""]
    ) {
      throws(() => new Session({ sessionDir: join(dir, "s"), sessionId }), coded("config"));
    }
    deepStrictEqual([...Deno.readDirSync(dir)], []);
    return Promise.resolve();
  });
});

Deno.test("queries of one session queue in order", async () => {
  const primaryAgent = scriptedModel([
    js("var log = ['a']; FINAL(log)"),
    js("log.push('b'); FINAL(log)"),
    js("log.push('c'); FINAL(log)"),
  ]);
  await using session = new Session({ config: { primaryAgent } });
  const results = await Promise.all(["1", "2", "3"].map((q) => session.query(q)));
  deepStrictEqual(results.map(({ result }) => (result as string[]).join("")), ["a", "ab", "abc"]);
  deepStrictEqual((await session.queries()).map(({ query }) => query), ["1", "2", "3"]);
});

Deno.test("two sessions on one directory: the second query is refused with the holder", async () => {
  await withTempDir(async (dir) => {
    const gate = Promise.withResolvers<string>();
    const started = Promise.withResolvers<void>();
    const slow = scriptedModel([() => {
      started.resolve();
      return gate.promise;
    }]);
    await using one = new Session({ sessionDir: dir, config: { primaryAgent: slow } });
    await using two = new Session({ sessionDir: dir, config: { primaryAgent: scriptedModel([]) } });
    const first = one.query("slow");
    await started.promise;
    await rejects(two.query("quick"), (error: unknown) => {
      ok(error instanceof SessionBusyError);
      strictEqual(error.holder.pid, Deno.pid);
      return true;
    });
    gate.resolve(js("FINAL(1)"));
    strictEqual((await first).result, 1);
  });
});

Deno.test("variables, functions and dropped names can be looked up without their values", async () => {
  const primaryAgent = scriptedModel([
    js(`// the rows
const rows = [{id: 1}, {id: 2}];
// adds
function add(a, b) { return a + b }
const pending = new Promise(() => {});
commit("rows", "all of them");
FINAL(1)`),
  ]);
  await using session = new Session({ config: { primaryAgent } });
  await session.query("build");
  const rows = (await session.variables()).find(({ name }) => name === "rows")!;
  strictEqual(rows.type, "Array(2)");
  strictEqual(rows.comment, "the rows");
  strictEqual(rows.note, "all of them");
  const [add] = await session.functions();
  strictEqual(add!.name, "add");
  match(add!.source, /return a \+ b/);
  const [pending] = await session.dropped();
  strictEqual(pending!.name, "pending");
  match(pending!.reason, /promise/i);
});

Deno.test("clear forgets everything", async () => {
  await withTempDir(async (dir) => {
    const primaryAgent = scriptedModel([js("var a = 1; FINAL(a)"), js("FINAL(typeof a)")]);
    await using session = new Session({ sessionDir: dir, config: { primaryAgent } });
    await session.query("one");
    await session.clear();
    deepStrictEqual(await session.queries(), []);
    strictEqual((await session.query("two")).result, "undefined");
    strictEqual((await session.queries()).length, 1);
  });
});

Deno.test("clear before the first query has nothing to forget, and refuses a folder of another program", async () => {
  await withTempDir(async (dir) => {
    await using session = new Session({ sessionDir: dir });
    await session.clear();
    deepStrictEqual([...Deno.readDirSync(dir)], []);
    await Deno.writeTextFile(`${dir}/state.json`, '{"app":1}');
    await rejects(session.clear(), /nothing was changed/);
    strictEqual(await Deno.readTextFile(`${dir}/state.json`), '{"app":1}');
  });
});

Deno.test("a closed session refuses", async () => {
  const session = new Session();
  await session.close();
  await session.close();
  await rejects(session.query("x"), coded("session_closed"));
  await rejects(session.queries(), coded("session_closed"));
});

Deno.test("closing interrupts a running query, and its finished steps are saved", async () => {
  await withTempDir(async (dir) => {
    const second = Promise.withResolvers<void>();
    const primaryAgent = scriptedModel([
      js("var a = 1; a"),
      (request) => {
        second.resolve();
        return new Promise((_, reject) =>
          request.signal!.addEventListener("abort", () => reject(request.signal!.reason))
        );
      },
    ]);
    const session = new Session({ sessionDir: dir, config: { primaryAgent } });
    const running = session.query("slow");
    await second.promise;
    await session.close();
    strictEqual((await running).status, "interrupted");
    const state = JSON.parse(await Deno.readTextFile(join(dir, "state.json")));
    strictEqual(state.queries[0].status, "interrupted");
    ok("a" in state.variables);
  });
});

async function runScript(script: string): Promise<{ stdout: Uint8Array; stderr: Uint8Array }> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    return await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--v8-flags=--expose-gc",
        `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
        file,
      ],
      stdout: "piped",
      stderr: "piped",
    }).output();
  } finally {
    await Deno.remove(file);
  }
}
