/** How a sandbox ended, told from its exit status. */
import { ProtocolError, SANDBOX_EXIT } from "./protocol.ts";

/** Why a sandbox ended without being asked to. */
export type DeathReason = "timeout" | "memory" | "protocol" | "silence" | "crash" | "closed";

/** The sandbox process is gone; what its REPL held since the last sweep is lost. */
export class SandboxDied extends Error {
  override readonly name = "SandboxDied";
  constructor(readonly reason: DeathReason, detail: string) {
    super(detail);
  }
}

/** Why the process ended; `broken` is what its output did, if that was no protocol. */
export function deathOf(status: Deno.CommandStatus, broken: Error | undefined): SandboxDied {
  switch (status.code) {
    case SANDBOX_EXIT.timeout:
      return new SandboxDied(
        "timeout",
        "code that could not be interrupted ran into the time limit",
      );
    case SANDBOX_EXIT.memory:
      return new SandboxDied("memory", "the code used more memory than allowed");
    // V8 aborts the process when its heap is full; a signal shows as 128 and its number.
    case 132:
    case 133:
    case 134:
      return new SandboxDied("memory", "the code ran out of memory");
    case SANDBOX_EXIT.protocol:
      return new SandboxDied("protocol", "the sandbox broke its protocol");
  }
  if (broken instanceof ProtocolError && status.signal === "SIGKILL") {
    return new SandboxDied("protocol", `the sandbox broke its protocol: ${broken.message}`);
  }
  return new SandboxDied("crash", `the sandbox process ended with status ${status.code}`);
}
