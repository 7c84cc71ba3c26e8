/** Writes queries of 12 steps with values of 100 KB to the session named, telling each saved step. */
import { systemClock } from "../../lib/clock.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { stepOf, sweepOf, textOf } from "./session_fixture.ts";

const tell = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

const dir = Deno.args[0] ?? "";
await using store = await SessionStore.open(dir, { query: "killed", clock: systemClock });
const query = await store.beginQuery("killed");
tell(`${query}.0`);
for (let step = 1; step <= 12; step++) {
  const values = {
    a: textOf(100_000, `${query}.${step} a`),
    b: textOf(100_000, `${query}.${step} b`),
  };
  await store.saveStep(stepOf(step, { snapshot: await sweepOf(values), assigned: ["a", "b"] }));
  tell(`${query}.${step}`);
}
await store.endQuery({ status: "answered", final: query, steps: 12, usage: noUsage });
tell("end");
