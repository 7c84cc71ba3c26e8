import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { cacheDir, cacheOf, sandboxCommand } from "../../repl/spawn.ts";

const vars = (values: Record<string, string>) => (name: string) => values[name];

Deno.test("the cache is where Deno's rules put it, on every system", () => {
  strictEqual(cacheDir("linux", vars({ DENO_DIR: "/d", HOME: "/h" })), "/d");
  strictEqual(cacheDir("linux", vars({ XDG_CACHE_HOME: "/x", HOME: "/h" })), "/x/deno");
  strictEqual(cacheDir("linux", vars({ HOME: "/h" })), "/h/.cache/deno");
  strictEqual(cacheDir("darwin", vars({ HOME: "/h" })), "/h/Library/Caches/deno");
  strictEqual(cacheDir("windows", vars({ LOCALAPPDATA: "/l", HOME: "/h" })), "/l/deno");
  strictEqual(cacheDir("windows", vars({ HOME: "/h" })), undefined);
  strictEqual(cacheDir("linux", vars({})), undefined);
});

Deno.test("the cache is told by a package in it, and by none elsewhere", () => {
  strictEqual(
    cacheOf("file:///a%20b/npm/registry.npmjs.org/devalue/6.0.3/index.js"),
    "/a b",
  );
  strictEqual(cacheOf("file:///p/node_modules/.deno/devalue@6.0.3/index.js"), undefined);
  strictEqual(cacheOf("npm:devalue@6.0.3"), undefined);
});

Deno.test("a sandbox is started with the engine's configuration and nothing of the caller's", () => {
  const { path, args, env } = sandboxCommand(128.7);
  strictEqual(path, Deno.execPath());
  for (const flag of ["--no-prompt", "--cached-only", "--no-remote", "--no-lock"]) {
    ok(args.includes(flag), flag);
  }
  ok(args.includes("--v8-flags=--max-old-space-size=128"));
  deepStrictEqual(
    args.filter((arg) => arg.startsWith("--allow")).map((arg) => arg.split("=")[0]),
    ["--allow-sys", "--allow-read"],
  );
  deepStrictEqual(Object.keys(env).sort(), ["DENO_DIR", "DENO_NO_UPDATE_CHECK"]);
});
