/**
 * A sandbox process whose worker has no lockdown: what agent code could do if it got out of its
 * global. Writes what became of each attempt as JSON.
 */
import { drop, startWorker } from "../../repl/sandbox.ts";

/** What an escaped worker would try; each gives what it got, or throws. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "read a file": `Deno.readTextFileSync("/etc/hostname")`,
  "read the engine": `Deno.readTextFileSync(ENGINE)`,
  "import a file": `await import(ENGINE)`,
  "write a file": `Deno.writeTextFileSync("x", "y")`,
  "write through node:fs": `(await import("node:fs")).writeFileSync("x", "y")`,
  "list descriptors": `(await import("node:fs")).readdirSync("/proc/self/fd")`,
  "connect": `await Deno.connect({ port: 9 })`,
  "fetch": `await fetch("http://127.0.0.1:9999/")`,
  "connect through node:net": `await new Promise(async (done, failed) =>
    (await import("node:net")).connect(9, "127.0.0.1", done).on("error", failed))`,
  "resolve a name": `await Deno.resolveDns("example.org", "A")`,
  "import from the network": `await import("http://127.0.0.1:9999/x.js")`,
  "import a package": `await import("npm:left-pad")`,
  "read the environment": `Deno.env.toObject()`,
  "read it through node": `process.env.HOME.length`,
  "start a program": `new Deno.Command("true").outputSync()`,
  "signal the host": `Deno.kill(Deno.ppid, "SIGCONT")`,
  "signal the host through node": `(await import("node:process")).kill(Deno.ppid, 0)`,
  "load a library": `Deno.dlopen("libc.so.6", {})`,
  "ask the system": `Deno.hostname()`,
  "inspect": `new (await import("node:inspector")).Session().connect()`,
  "open a database": `new (await import("node:sqlite")).DatabaseSync("x.db")`,
  "change the folder": `Deno.chdir("/")`,
  "grant itself more":
    `Deno.permissions.requestSync({ name: "net" }).state === "granted" || denied()`,
  "give a worker more":
    `new Worker("data:text/javascript,", { type: "module", deno: { permissions: { net: true } } })`,
};

const code = `
const ENGINE = ${JSON.stringify(new URL("../../repl/host.ts", import.meta.url).href)};
const denied = () => { throw new Deno.errors.NotCapable("denied") };
addEventListener("error", (event) => event.preventDefault());
for (const name of ["sys", "read", "import"]) Deno.permissions.revokeSync({ name });
const got = {};
for (const [what, attempt] of Object.entries({
  ${
  Object.entries(ATTEMPTS).map(([what, text]) => `${JSON.stringify(what)}: async () => ${text}`)
    .join(",\n")
}
})) {
  try {
    got[what] = "got " + typeof await attempt();
  } catch (error) {
    got[what] = error.name;
  }
}
postMessage(got);`;

const { worker } = startWorker(new URL("data:text/javascript," + encodeURIComponent(code)));
drop(["net", "env", "write", "run", "ffi"]);
worker.addEventListener("message", (event) => {
  // deno-lint-ignore no-console -- the one line that this program is for
  console.log(JSON.stringify((event as MessageEvent).data));
  Deno.exit(0);
});
