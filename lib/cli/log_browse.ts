import type { LogModel } from "../../log/model.ts";
import { type ReadManifest, readTranscript } from "../../log/open.ts";
import { shortened } from "../../log/shorten.ts";
import type { LogCommand } from "./command.ts";
import { colorsOn, type Io } from "./io.ts";
import { load } from "./parts.ts";

/** Characters of one text that the viewer holds of a transcript that is too large to be held whole. */
const LARGE_TEXT = 4000;

/** `--tui`: the viewer. False where there is no terminal to browse on; then nothing was shown. */
export async function browse(
  command: LogCommand,
  model: LogModel,
  io: Io,
  readManifest: ReadManifest,
): Promise<boolean> {
  if (!io.terminal.stdin || !io.terminal.stdout) return false;
  const [{ showTui }, { followLog }, process] = await Promise.all([
    load("../../log/viewer/show_tui.ts"),
    load("../../log/follow.ts"),
    import("node:process"),
  ]);
  const ending = new AbortController();
  const { signal } = ending;
  const following = { readManifest, clock: io.clock, signal, detail: "auto" } as const;
  const updates = command.follow ? { updates: followLog(command.path, following) } : {};
  try {
    return await showTui(
      {
        model,
        ...updates,
        loadTranscript: (path) =>
          readTranscript(path, "full", (entry) => shortened(entry, LARGE_TEXT)),
      },
      {
        stdin: process.stdin as import("node:tty").ReadStream,
        stdout: process.stdout as import("node:tty").WriteStream,
        color: colorsOn(io, "stdout"),
        sleep: (ms, signal) => io.clock.sleep(ms, signal),
      },
    );
  } finally {
    ending.abort();
  }
}
