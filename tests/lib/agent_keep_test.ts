/** What the loop waits for before it goes on: sweeps, saves, and the answer. */
import { deepStrictEqual } from "node:assert/strict";
import { type Kept, runAgent } from "../../lib/agent.ts";
import { Budget } from "../../lib/budget.ts";
import { systemClock } from "../../lib/clock.ts";
import { js } from "../support/play.ts";
import { scriptedModel } from "../support/scripted_model.ts";

/** All that is due now has been done: the loop waits for somebody. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

Deno.test("the next step waits for the sweep of the last one, the answer for the disk", async () => {
  const did: string[] = [];
  const begun = [1, 2].map(() => Promise.withResolvers<void>());
  const kept: { swept: () => void; saved: () => void }[] = [];
  const running = runAgent({
    path: "0",
    depth: 0,
    model: scriptedModel([js("1"), js("FINAL(2)")]),
    budget: new Budget({}, systemClock).agent("0", 0),
    clock: systemClock,
    signal: new AbortController().signal,
    system: "system",
    first: "first",
    evaluate: (_, step) => {
      did.push(`step ${step}`);
      begun[step - 1]!.resolve();
      const final = step === 2 ? { final: { form: "none", bytes: new Uint8Array() } as const } : {};
      return Promise.resolve({ text: "", hasError: false, ...final });
    },
    checkFinal: (value) => Promise.resolve({ ok: true, value }),
    emit: () => {},
    keep: (): Kept => {
      const swept = Promise.withResolvers<void>();
      const saved = Promise.withResolvers<void>();
      kept.push({ swept: swept.resolve, saved: saved.resolve });
      return { swept: swept.promise, saved: saved.promise };
    },
  }).then(() => did.push("answer"));
  await begun[0]!.promise;
  await settled();
  deepStrictEqual(did, ["step 1"]);
  kept[0]!.swept();
  await begun[1]!.promise;
  await settled();
  kept[1]!.swept();
  await settled();
  deepStrictEqual(did, ["step 1", "step 2"]);
  kept[1]!.saved();
  await running;
  deepStrictEqual(did, ["step 1", "step 2", "answer"]);
});
