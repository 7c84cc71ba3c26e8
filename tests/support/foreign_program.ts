/** A program of somebody else's in a folder of its own. */
import { dirname, fromFileUrl, join } from "@std/path";
import type { CliResult } from "./cli.ts";
import type { FakeModelServer } from "./fake_model_server.ts";
import { keptEnv } from "./kept_env.ts";

const fixture = join(dirname(dirname(fromFileUrl(import.meta.url))), "fixtures", "library");

/** The folder of a program, ready to be run. */
export interface ForeignProgram {
  /** Runs `deno` with these arguments in the folder; what Deno says of downloads is left out. */
  deno(args: readonly string[]): Promise<CliResult>;
}

/** Copies the fixture's program to `dir`, with this `deno.json`, and points it at the model server. */
export async function foreignProgram(
  dir: string,
  config: Readonly<Record<string, unknown>>,
  server: FakeModelServer,
  env: Readonly<Record<string, string>> = {},
): Promise<ForeignProgram> {
  await Deno.mkdir(dir, { recursive: true });
  await Deno.copyFile(join(fixture, "ask.ts"), join(dir, "ask.ts"));
  const own = JSON.parse(await Deno.readTextFile(join(fixture, "deno.json")));
  delete own.links;
  await Deno.writeTextFile(join(dir, "deno.json"), JSON.stringify({ ...own, ...config }));
  return {
    async deno(args) {
      const [command = "run", ...rest] = args;
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [command, "--quiet", ...rest],
        cwd: dir,
        clearEnv: true,
        env: {
          ...keptEnv(),
          DENO_NO_UPDATE_CHECK: "1",
          NO_COLOR: "1",
          RLM_MODEL_BASE_URL: server.baseUrl,
          RLM_MODEL_API_KEY: "sk-test-foreign",
          ...env,
        },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: text(stdout), stderr: text(stderr) };
    },
  };
}

/** A cache of modules that is empty but for the packages of this machine's, which it shares. */
export async function foreignCache(dir: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const cache = join(dir, "cache");
  await Deno.mkdir(cache);
  await Deno.symlink(npmCache, join(cache, "npm"), { type: "dir" });
  return cache;
}
