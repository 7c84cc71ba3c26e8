/**
 * The command line. The hidden command `__sandbox` makes this process the sandbox of another one;
 * it is looked at first, because every run waits for it.
 *
 * @module
 */

if (import.meta.main) {
  if (Deno.args[0] === "__sandbox") {
    // Computed, so that it is read by the process that needs it and no other.
    const sandbox = import.meta.resolve("./repl/sandbox.ts");
    const { serve } = await import(sandbox) as typeof import("./repl/sandbox.ts");
    await serve();
  } else {
    const { start } = await import("./lib/cli/start.ts");
    // A compiled binary that was named fast-rlm-log is that program.
    const asLog = Deno.build.standalone && /fast-rlm-log(\.exe)?$/.test(Deno.execPath());
    await start(asLog ? ["log", ...Deno.args] : Deno.args);
  }
}
