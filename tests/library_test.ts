/**
 * The engine as somebody else's program uses it: in a folder of its own with a configuration of its
 * own, without unstable flags, and with no more permission than it needs.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join } from "@std/path";
import { withTempDir } from "./support/cli.ts";
import { type FakeModelServer, startFakeModelServer } from "./support/fake_model_server.ts";
import { serveFolder } from "./support/file_server.ts";
import { foreignCache, foreignProgram } from "./support/foreign_program.ts";

const root = dirname(dirname(fromFileUrl(import.meta.url)));

const js = (code: string) => "```js\n" + code + "\n```";
const SCRIPT = [
  js('const words = context.split(" ");\nFINAL(words.length)'),
  js('FINAL(words.join("").length)'),
];
const ANSWERS = {
  answers: [3, 11],
  status: ["answered", "answered"],
  calls: 2,
  variables: ["words: Array(3)"],
  queries: 2,
};

/** What the README says a program needs, by flag. */
function permissionsFor(session: string, server: FakeModelServer): Record<string, string> {
  return {
    run: "--allow-run=deno",
    read: `--allow-read=${session}`,
    write: `--allow-write=${session}`,
    net: `--allow-net=${new URL(server.origin).host}`,
    env: "--allow-env=RLM_MODEL_API_KEY,RLM_MODEL_BASE_URL",
  };
}

const asked = (session: string) => ["ask.ts", session, "openrouter/fake/model", "How many words?"];

Deno.test("a program in another folder uses the engine through links, with the least permissions", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer(SCRIPT);
    const program = await foreignProgram(dir, { links: [root] }, server);

    const session = join(dir, "session");
    const flags = Object.values(permissionsFor(session, server));
    const { code, stdout, stderr } = await program.deno([
      "run",
      "--no-prompt",
      ...flags,
      ...asked(session),
    ]);
    strictEqual(code, 0, stdout + stderr);
    deepStrictEqual(JSON.parse(stdout), ANSWERS);
    strictEqual(stderr, "step 1\n");
  });
});

Deno.test("a permission that is missing is named in a clear error, and nothing waits", async (t) => {
  await withTempDir(async (dir) => {
    const missing: [string, string, RegExp][] = [
      ["run", "sandbox", /^Cannot start a sandbox: Deno was not allowed .*--allow-run=deno$/],
      ["read", "disk", /^Cannot read the session: .*--allow-read/],
      ["write", "disk", /^Cannot create the session directory: .*--allow-write$/],
      ["net", "model_network", /^Cannot reach .*--allow-net/],
      ["env", "config", /no key is set; .*--allow-env=RLM_MODEL_API_KEY$/],
    ];
    for (const [name, code, message] of missing) {
      await t.step(name, async () => {
        await using server = startFakeModelServer(SCRIPT);
        const folder = join(dir, name);
        const program = await foreignProgram(folder, { links: [root] }, server);
        const session = join(folder, "session");
        const { [name]: _, ...rest } = permissionsFor(session, server);
        const flags = ["--no-prompt", ...Object.values(rest)];
        const ran = await program.deno(["run", ...flags, ...asked(session)]);
        strictEqual(ran.code, 1, ran.stderr);
        const told = JSON.parse(ran.stdout);
        strictEqual(told.code, code);
        match(told.message, message);
        strictEqual(server.requests.length, 0, "no call is made, and none is tried again");
      });
    }
  });
});

Deno.test("a private session without the permission to write is a clear error too", async () => {
  await withTempDir(async (dir) => {
    await using server = startFakeModelServer(SCRIPT);
    const program = await foreignProgram(dir, { links: [root] }, server);
    await Deno.writeTextFile(
      join(dir, "ask.ts"),
      `import { run, Session } from "@fast-rlm/fast-rlm";
const primaryAgent = { id: "m", generate: () => Promise.reject(new Error("never asked")) };
const errors = [
  await run({ prompt: "q", primaryAgent }).catch((error) => error),
  await Promise.try(() => new Session()).catch((error) => error),
];
console.log(JSON.stringify(errors.map(({ code, message }) => [code, message])));
`,
    );
    const { stdout, stderr } = await program.deno([
      ...["run", "--no-prompt", "--no-check", "--allow-run=deno", "ask.ts"],
    ]);
    const message = "Cannot make a private session: the temporary directory: " +
      "Deno was not allowed to; see --allow-write";
    deepStrictEqual(stdout && JSON.parse(stdout), [["disk", message], ["disk", message]], stderr);
  });
});

Deno.test("a program uses the engine from a URL", async (t) => {
  await withTempDir(async (dir) => {
    await using files = serveFolder(root);
    const { imports } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
    const cache = await foreignCache(dir);
    const host = new URL(files.origin).host;

    await t.step("through an import map of its own, with the least permissions", async () => {
      await using server = startFakeModelServer(SCRIPT);
      const served = Object.entries<string>(imports).map(([name, target]) => [
        name,
        target.startsWith("./") ? new URL(target, `${files.origin}/`).href : target,
      ]);
      const program = await foreignProgram(
        join(dir, "own"),
        {
          imports: { "@fast-rlm/fast-rlm": `${files.origin}/mod.ts` },
          scopes: { [`${files.origin}/`]: Object.fromEntries(served) },
        },
        server,
        { DENO_DIR: cache },
      );
      const session = join(dir, "own", "session");
      const { env, ...rest } = permissionsFor(session, server);
      const { code, stdout, stderr } = await program.deno([
        "run",
        "--no-prompt",
        `--allow-import=${host}`,
        // The cache of this test is not where Deno's rules put it.
        `${env},DENO_DIR`,
        ...Object.values(rest),
        ...asked(session),
      ]);
      strictEqual(code, 0, stdout + stderr);
      deepStrictEqual(JSON.parse(stdout), ANSWERS);
    });

    await t.step(
      "through the engine's import map, once all is in the cache without a server",
      async () => {
        await using server = startFakeModelServer(SCRIPT);
        const program = await foreignProgram(join(dir, "map"), {}, server, { DENO_DIR: cache });
        const source = await Deno.readTextFile(join(dir, "map", "ask.ts"));
        await Deno.writeTextFile(
          join(dir, "map", "ask.ts"),
          source.replace("@fast-rlm/fast-rlm", `${files.origin}/mod.ts`),
        );
        const map = `--import-map=${files.origin}/deno.json`;
        const session = join(dir, "map", "session");
        strictEqual((await program.deno(["cache", "--allow-import", map, "ask.ts"])).code, 0);
        await files.close();
        const ran = await program.deno([
          "run",
          "-A",
          "--cached-only",
          map,
          ...asked(session),
        ]);
        strictEqual(ran.code, 0, ran.stdout + ran.stderr);
        deepStrictEqual(JSON.parse(ran.stdout), ANSWERS);
      },
    );

    ok(files.served.includes("/repl/worker.ts"), "the sandbox came from the server");
  });
});
