/** Opens the session named by the first argument, saves a step, and holds it until it is killed. */
import { systemClock } from "../../lib/clock.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { stepOf, sweepOf } from "./session_fixture.ts";

const store = await SessionStore.open(Deno.args[0] ?? "", {
  query: "the holder's query",
  clock: systemClock,
});
await store.beginQuery("the holder's query");
await store.saveStep(stepOf(1, { snapshot: await sweepOf({ kept: "[1]" }) }));
await Deno.stdout.write(new TextEncoder().encode("holding\n"));
await Array.fromAsync(Deno.stdin.readable);
await store[Symbol.asyncDispose]();
