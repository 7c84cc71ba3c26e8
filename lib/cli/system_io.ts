import { systemClock } from "../clock.ts";
import { RlmError } from "../errors.ts";
import type { Io } from "./io.ts";

/** Wait for a full pipe that another process made non-blocking. */
const FULL_PIPE_MS = 5;
/**
 * Bytes of one write. Deno does not tell how much of a write that failed on a full pipe went through;
 * up to this size (POSIX: PIPE_BUF) it is all or nothing.
 */
const PIECE = 4096;

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
          // The first asynchronous write of a process takes 4 ms.
          rest = rest.subarray(Deno.stdout.writeSync(rest.subarray(0, PIECE)));
        } catch (error) {
          if (error instanceof Deno.errors.BrokenPipe) readerGone = true;
          else if (error instanceof Deno.errors.WouldBlock) await systemClock.sleep(FULL_PIPE_MS);
          else throw unwritable(error);
        }
      }
    },
    readerGone: () => readerGone,
    stderr(text) {
      let rest = encoder.encode(text);
      for (let tries = 0; rest.length > 0 && tries < 1_000; tries++) {
        try {
          rest = rest.subarray(Deno.stderr.writeSync(rest.subarray(0, PIECE)));
        } catch (error) {
          // Otherwise nobody is there to be told.
          if (!(error instanceof Deno.errors.WouldBlock)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
        }
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
