import { systemClock } from "../clock.ts";
import { RlmError } from "../errors.ts";
import type { Io } from "./io.ts";

/** The real world, as `main.ts` hands it to the commands. */
export function systemIo(): Io {
  const encoder = new TextEncoder();
  let readerGone = false;
  return {
    clock: systemClock,
    terminal: {
      stdin: Deno.stdin.isTerminal(),
      stdout: Deno.stdout.isTerminal(),
      stderr: Deno.stderr.isTerminal(),
    },
    async stdout(text) {
      let rest = encoder.encode(text);
      while (rest.length > 0 && !readerGone) {
        try {
          rest = rest.subarray(await Deno.stdout.write(rest));
        } catch (error) {
          if (!(error instanceof Deno.errors.BrokenPipe)) throw unwritable(error);
          readerGone = true;
        }
      }
    },
    readerGone: () => readerGone,
    stderr(text) {
      let rest = encoder.encode(text);
      try {
        while (rest.length > 0) rest = rest.subarray(Deno.stderr.writeSync(rest));
      } catch {
        // Nobody is there to be told.
      }
    },
    stdin: () => Deno.stdin.readable,
    ask: (question) => prompt(question) ?? undefined,
    size() {
      try {
        const { columns, rows } = Deno.consoleSize();
        return { columns: columns || 80, rows: rows || 24 };
      } catch {
        return { columns: 80, rows: 24 };
      }
    },
    env(name) {
      try {
        return Deno.env.get(name);
      } catch {
        return undefined;
      }
    },
    onSignal(signal, listener) {
      try {
        Deno.addSignalListener(signal, listener);
      } catch {
        return () => {}; // this system has no such signal
      }
      return () => Deno.removeSignalListener(signal, listener);
    },
    exit: (code) => Deno.exit(code),
  };
}

const unwritable = (error: unknown): RlmError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new RlmError("disk", `Cannot write to standard output: ${reason}`, { cause: error });
};
