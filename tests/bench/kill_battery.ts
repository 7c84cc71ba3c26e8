/** Kills a session's writer 200 times (or as often as the first argument says) at random moments. */
import { killBattery } from "../support/kill_battery.ts";

const count = Number(Deno.args[0] ?? 200);
const seed = Number(Deno.args[1] ?? Date.now() % 1_000_000);
const dir = await Deno.makeTempDir({ prefix: "kill-battery-" });
const report = await killBattery(dir, count, seed);
await Deno.remove(dir, { recursive: true });
const told = `${report.kills} kills (seed ${seed}): ${report.lost} lost completed steps, ` +
  `${report.unreadable} unreadable directories, ${report.ended} writers ended before\n`;
await Deno.stdout.write(new TextEncoder().encode(told));
Deno.exitCode = report.lost + report.unreadable === 0 ? 0 : 1;
