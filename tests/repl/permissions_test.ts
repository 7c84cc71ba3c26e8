/** The walls behind the lockdown: what code could still do that got out of its global. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join } from "@std/path";
import { encodeBody } from "../../repl/body.ts";
import { Sandbox } from "../../repl/host.ts";
import { SANDBOX_COMMAND, sandboxCommand } from "../../repl/spawn.ts";
import { withTempDir } from "../support/cli.ts";

const module = (name: string) => new URL(`../../repl/${name}.ts`, import.meta.url).href;
const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..");

Deno.test("a worker that got out of its global reaches no file, network, program or key", async () => {
  await withTempDir(async (dir) => {
    const { path, args, env } = sandboxCommand(512);
    const program = join(root, "tests", "support", "escaped_worker.ts");
    const { stdout, success } = await new Deno.Command(path, {
      args: [...args.slice(0, -1), program],
      env: { ...env },
      clearEnv: true,
      cwd: dir,
      stdin: "null",
      stderr: "null",
    }).output();
    strictEqual(success, true);
    const got = JSON.parse(new TextDecoder().decode(stdout)) as Record<string, string>;
    strictEqual(Object.keys(got).length, 24);
    deepStrictEqual(Object.entries(got).filter(([, what]) => what.startsWith("got")), []);
    deepStrictEqual([...Deno.readDirSync(dir)], []);
  });
});

Deno.test("the environment of a sandbox names the cache and nothing else", async () => {
  const { env } = sandboxCommand(512);
  deepStrictEqual(
    Object.keys(env).filter((name) => name !== "DENO_DIR" && name !== "DENO_NO_UPDATE_CHECK"),
    [],
  );
  if (Deno.build.os !== "linux") return;
  await using sandbox = new Sandbox({ memoryLimitMb: 512 });
  const setup = { recursive: true, env: {}, maxOutput: 100 };
  await sandbox.init(setup, encodeBody("x"), (call) => Promise.resolve(call.value));
  const names = (await Deno.readTextFile(`/proc/${sandbox.pid}/environ`)).split("\0")
    .filter((line) => line !== "").map((line) => line.split("=", 1)[0]);
  deepStrictEqual(names.sort(), Object.keys(env).sort());
});

Deno.test("a process that starts with everything allowed, as a binary does, drops it all", async () => {
  const { env } = sandboxCommand(512);
  await using sandbox = new Sandbox({
    memoryLimitMb: 512,
    command: {
      path: Deno.execPath(),
      args: [
        "run",
        "--quiet",
        "--no-lock",
        "--cached-only",
        "--unstable-worker-options",
        "-A",
        `--config=${join(root, "deno.json")}`,
        join(root, "main.ts"),
        SANDBOX_COMMAND,
      ],
      env,
    },
  });
  const setup = { recursive: true, env: {}, maxOutput: 100 };
  await sandbox.init(setup, encodeBody("x"), (call) => Promise.resolve(call.value));
  const report = await sandbox.evaluate({
    step: 1,
    code: "[typeof Deno, context].join()",
    declared: [],
    timeoutMs: 5_000,
  });
  strictEqual(report.echo, "undefined,x");
});

Deno.test("whatever lies in the caller's folder, the run is the same (D80)", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(join(dir, "deno.json"), "{ broken");
    await Deno.writeTextFile(
      join(dir, "package.json"),
      '{"type":"commonjs","dependencies":{"acorn":"1"}}',
    );
    await Deno.writeTextFile(join(dir, "deno.lock"), '{"version":"9"}');
    await Deno.mkdir(join(dir, "node_modules", "devalue"), { recursive: true });
    await Deno.writeTextFile(join(dir, "node_modules", "devalue", "index.js"), "throw 1");
    const program = `
      import { Sandbox } from ${JSON.stringify(module("host"))};
      import { encodeBody } from ${JSON.stringify(module("body"))};
      const sandbox = new Sandbox({ memoryLimitMb: 512 });
      await sandbox.init({ recursive: true, env: {}, maxOutput: 100 }, encodeBody("x"),
        (call) => Promise.resolve(call.value));
      const { echo } = await sandbox.evaluate({ step: 1, code: "context + 1", declared: [], timeoutMs: 5000 });
      await sandbox.close();
      console.log(echo);`;
    await Deno.writeTextFile(join(dir, "program.ts"), program);
    // The importer's own start is Deno's affair and the user's; the sandbox's is ours.
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        "--no-lock",
        `--config=${join(root, "deno.json")}`,
        join(dir, "program.ts"),
      ],
      cwd: dir,
    }).output();
    strictEqual(new TextDecoder().decode(stdout), "x1\n", new TextDecoder().decode(stderr));
  });
});

Deno.test("the command line works in a folder with a foreign package.json", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(join(dir, "package.json"), '{"type":"commonjs"}');
    await Deno.writeTextFile(join(dir, "deno.json"), "{ broken");
    await Deno.writeTextFile(join(dir, "deno.lock"), '{"version":"9"}');
    const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", join(root, "main.ts"), "--version"],
      cwd: dir,
    }).output();
    strictEqual(code, 0, new TextDecoder().decode(stderr));
    match(new TextDecoder().decode(stdout), /\d+\.\d+\.\d+/);
  });
});
