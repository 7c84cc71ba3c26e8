import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { programNames, spawnProgram } from "../../lib/spawn.ts";

Deno.test("on Windows a program may be a script that npm made, unless its kind is named", () => {
  deepStrictEqual(programNames("npx", "windows"), ["npx", "npx.cmd", "npx.bat"]);
  deepStrictEqual(programNames("C:\\node\\npx", "windows").slice(1, 2), ["C:\\node\\npx.cmd"]);
  deepStrictEqual(programNames("deno.exe", "windows"), ["deno.exe"]);
  deepStrictEqual(programNames("run.CMD", "windows"), ["run.CMD"]);
  deepStrictEqual(programNames("npx", "linux"), ["npx"]);
  deepStrictEqual(programNames("npx", "darwin"), ["npx"]);
});

Deno.test("names are tried in order, and only where the one before is not found", () => {
  const tried: string[] = [];
  const child = {} as Deno.ChildProcess;
  const spawn = (name: string): Deno.ChildProcess => {
    tried.push(name);
    if (name === "a") throw new Deno.errors.NotFound("no a");
    if (name === "denied") throw new Deno.errors.NotCapable("no");
    return child;
  };
  strictEqual(spawnProgram("a", {}, spawn, ["a", "b", "c"]), child);
  deepStrictEqual(tried, ["a", "b"]);
  throws(() => spawnProgram("a", {}, spawn, ["a"]), { name: "NotFound", message: "no a" });
  throws(() => spawnProgram("x", {}, spawn, ["denied", "b"]), { name: "NotCapable" });
});
