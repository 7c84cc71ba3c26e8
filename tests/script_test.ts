/** A shell script uses the installed program as a user would. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join } from "@std/path";
import { walk } from "@std/fs";
import { withTempDir } from "./support/cli.ts";
import { startFakeModelServer } from "./support/fake_model_server.ts";

const root = dirname(dirname(fromFileUrl(import.meta.url)));
const js = (code: string) => "```js\n" + code + "\n```";

/** Whether a program that the script needs is there. */
function has(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a shell script builds a session, asks on, lists, forks, exports, imports and clears",
  ignore: Deno.build.os === "windows" || !has("bash") || !has("jq"),
  fn: () =>
    withTempDir(async (dir) => {
      await using server = startFakeModelServer([
        js('const words = context.split(" ");\nFINAL(words.length)'),
        js('FINAL(words.join("").length)'),
        js("FINAL({ words })"),
        js("words"),
        js('FINAL(words.join("+"))'),
      ]);
      // As `deno install` does it for a user.
      const installed = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["install", "--global", "--allow-all", "--quiet", "--no-lock"],
          ...["--name", "fast-rlm", "--root", join(dir, "installed")],
          ...["--config", join(root, "deno.json"), join(root, "main.ts")],
        ],
        cwd: dir,
      }).output();
      ok(installed.success, new TextDecoder().decode(installed.stderr));

      const work = join(dir, "work");
      await Deno.mkdir(work);
      const { code, stdout, stderr } = await new Deno.Command("bash", {
        args: [join(root, "tests", "fixtures", "script", "ask.sh"), work],
        env: {
          PATH: `${join(dir, "installed", "bin")}:${dirname(Deno.execPath())}:${
            Deno.env.get("PATH") ?? ""
          }`,
          RLM_PRIMARY_AGENT: "fake/model",
          RLM_MODEL_BASE_URL: server.baseUrl,
          RLM_MODEL_API_KEY: "sk-test-script",
        },
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      strictEqual(code, 0, text + new TextDecoder().decode(stderr));
      const said = Object.fromEntries(text.trim().split("\n").map((line) => line.split(/=(.*)/s)));
      ok(said.version?.startsWith("fast-rlm "));
      delete said.version;
      deepStrictEqual(said, {
        built: "3",
        asked: "11",
        status: "answered",
        limit: "3",
        listed: "1",
        shown: "4",
        fork: "1",
        forked: "one+two+three",
        moved: "4",
        statistics: "1",
        cleared: "0",
      });

      for await (const { path, name } of walk(work)) {
        ok(!/[:*?"<>|\\]/.test(name), `a name that no other system takes: ${path}`);
      }
    }),
});
