import { parseCommand } from "./args.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit.ts";
import type { Io } from "./io.ts";
import { load } from "./parts.ts";

/** The commands that do work; each is loaded only when it is asked for. */
export interface Commands {
  run(command: Extract<Command, { kind: "run" }>, io: Io): Promise<number>;
  log(command: Extract<Command, { kind: "log" }>, io: Io): Promise<number>;
  session(command: Extract<Command, { kind: "session" }>, io: Io): Promise<number>;
}

/**
 * One call of the program, from its arguments to its exit code. It never throws and never exits.
 * Help, version and wrong usage load nothing of the engine.
 */
export async function program(
  argv: readonly string[],
  io: Io,
  commands: Commands,
): Promise<number> {
  try {
    const command = await parseCommand(argv);
    switch (command.kind) {
      case "help": {
        const { helpText } = await load("./help.ts");
        await io.stdout(helpText(command.topic));
        return EXIT.answer;
      }
      case "version": {
        const { VERSION } = await load("../version.ts");
        await io.stdout(`fast-rlm ${VERSION}\n`);
        return EXIT.answer;
      }
      case "completions": {
        const { completionScript } = await load("./completions.ts");
        await io.stdout(completionScript(command.shell));
        return EXIT.answer;
      }
      case "run":
        return await commands.run(command, io);
      case "log":
        return await commands.log(command, io);
      case "session":
        return await commands.session(command, io);
    }
  } catch (error) {
    const { exitCodeOf, presentError, secretsOf } = await load("./present_error.ts");
    const flags = argv.slice(0, indexOrEnd(argv, "--"));
    const secrets = secretsOf(io.env);
    io.stderr(presentError(error, { debug: flags.includes("--debug"), secrets }));
    const isRun = !["log", "session", "completions", "help"].includes(argv[0] ?? "");
    if (isRun && flags.includes("--json")) {
      const { failureText } = await load("./run_command.ts");
      await io.stdout(failureText(error, secrets)).catch(() => {});
    }
    return exitCodeOf(error);
  }
}

const indexOrEnd = (argv: readonly string[], word: string): number => {
  const at = argv.indexOf(word);
  return at < 0 ? argv.length : at;
};
