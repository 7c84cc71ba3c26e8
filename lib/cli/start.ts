import { load } from "./parts.ts";
import { program } from "./program.ts";
import { systemIo } from "./system_io.ts";

/**
 * Starts the program on the real world and ends the process with its exit code: by then all is written
 * and closed, and what a tool has left open (a connection, a timer) must not hold it up.
 * Nothing but commands writes to standard output: what libraries print goes to standard error.
 * The hidden command `__self-test` evaluates one step in a sandbox, `__demo` plays the demo.
 */
export async function start(argv: readonly string[]): Promise<void> {
  const { error } = globalThis.console;
  for (const name of ["log", "info", "debug", "dir", "dirxml", "table"] as const) {
    Reflect.set(globalThis.console, name, error);
  }
  const io = systemIo();
  if (argv[0] === "__self-test") {
    Deno.exitCode = await (await load("./self_test.ts")).selfTest(io);
    return;
  }
  if (argv[0] === "__demo") {
    Deno.exitCode = await (await load("../demo/demo.ts")).demo(argv.slice(1));
    return;
  }
  const code = await program(argv, io, {
    run: async (command, io) =>
      await (await load("./run_command.ts")).runCommand(command, io, {
        engine: async () => (await load("../run.ts")).run,
        progress: async (...given) => (await load("./run_progress.ts")).runProgress(...given),
      }),
    log: async (command, io) => await (await load("./log_command.ts")).logCommand(command, io),
    session: async (command, io) => {
      const [{ sessionCommand }, { sessionActions }] = await Promise.all([
        load("./session_command.ts"),
        load("./session_actions.ts"),
      ]);
      return await sessionCommand(command, io, sessionActions);
    },
  });
  Deno.exit(code);
}
