/** The viewer as a program, for tests that drive it in a real terminal: `PATH [crash|abrupt]`. */
import process from "node:process";
import { systemClock } from "../../lib/clock.ts";
import type { Manifest } from "../../lib/session_format.ts";
import { openLog } from "../../log/open.ts";
import { showTui } from "../../log/viewer/show_tui.ts";

const [path = "", mode] = Deno.args;
const opened = await openLog(path, {
  readManifest: async (directory): Promise<Manifest> =>
    JSON.parse(await Deno.readTextFile(`${directory}/state.json`)),
});

// A model that cannot be drawn: the memory throws when it is looked at.
const model = mode !== "crash" ? opened : {
  ...opened,
  get memory(): never {
    throw new Error("crashed while drawing");
  },
};

// Ends that the viewer does not see coming, each at the press of a key.
if (mode === "abrupt") {
  process.stdin.on("data", (data: string | Uint8Array) => {
    const key = String(data);
    if (key === "E") {
      queueMicrotask(() => {
        throw new Error("thrown elsewhere");
      });
    }
    if (key === "R") void Promise.reject(new Error("rejected elsewhere"));
    if (key === "X") Deno.exit(7);
    if (key === "S") Deno.kill(Deno.pid, "SIGTERM");
  });
}

const { stdin, stdout } = process;
const shown = await showTui({ model }, { stdin, stdout, color: true, sleep: systemClock.sleep });
stdout.write(shown ? "closed\n" : "static\n");
