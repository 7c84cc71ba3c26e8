/** Two programs on one session for 50 rounds, or as many as the first argument says. */
import { join } from "@std/path";
import { contest } from "../support/two_programs.ts";

const rounds = Number(Deno.args[0] ?? 50);
const dir = await Deno.makeTempDir({ prefix: "contest-" });
const { asked, failed, lost, misnumbered, stale } = await contest(join(dir, "session"), rounds);
await Deno.remove(dir, { recursive: true });
const told = `${rounds} rounds, ${asked} queries: ${failed.length} failed programs, ` +
  `${lost.length} lost answers, ${misnumbered} out of order, ${stale.length} stale variables\n`;
await Deno.stdout.write(
  new TextEncoder().encode(told + failed.map((each) => `${each}\n`).join("")),
);
Deno.exitCode = failed.length + lost.length + misnumbered + stale.length === 0 ? 0 : 1;
