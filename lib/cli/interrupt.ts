import { RlmError } from "../errors.ts";
import type { Io } from "./io.ts";
import { EXIT } from "./exit.ts";

/** Shows the cursor again and ends any colour. */
const RESTORE_TERMINAL = "\u001b[?25h\u001b[0m";

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"];

/** The watch over interrupts while a command works. */
export interface InterruptWatch extends Disposable {
  /** Aborted at the first interrupt, with an `RlmError` of code `interrupted`. */
  readonly signal: AbortSignal;
}

/**
 * Ctrl-C, SIGTERM and SIGHUP once: the signal is aborted, and what is complete gets saved. Twice: the
 * process leaves at once; what is on disk is whole at any time.
 *
 * @param beforeLeaving takes what is drawn off the screen
 */
export function watchInterrupts(io: Io, beforeLeaving: () => void = () => {}): InterruptWatch {
  const controller = new AbortController();
  const onSignal = (name: Deno.Signal): void => {
    if (controller.signal.aborted) {
      beforeLeaving();
      if (io.terminal.stderr) io.stderr(RESTORE_TERMINAL);
      io.exit(EXIT.interrupted);
      return;
    }
    const again = name === "SIGINT" ? "; press Ctrl-C again to leave at once" : "";
    io.stderr(`interrupted: finishing the sweep${again}\n`);
    controller.abort(
      new RlmError("interrupted", "Interrupted: finished steps are saved, run again to go on"),
    );
  };
  const ends = SIGNALS.map((name) => io.onSignal(name, () => onSignal(name)));
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => ends.forEach((end) => end()),
  };
}
