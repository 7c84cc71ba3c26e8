import assert from "node:assert/strict";
import type { AgentRepl } from "../../lib/agent_repl.ts";
import { SessionMemory, type SessionMemoryOptions } from "../../lib/session_memory.ts";
import { restoreReport } from "../../repl/restore_report.ts";
import type { RestoreReport, Snapshot } from "../../repl/snapshot.ts";
import { openStore, sessionOf, withDir } from "../support/session_fixture.ts";

const lossy = { text: '["x"]', loss: [{ path: "lossy.h", reason: "is a function" }] };

/** What is told after a restore that reports what `outcome` makes of the snapshot. */
async function told(
  outcome: (snapshot: Snapshot) => RestoreReport,
  early: boolean,
): Promise<string> {
  let text = "";
  await withDir(async (dir) => {
    await sessionOf(dir, [{ alpha: '["a"]', beta: '["b"]', lossy }]);
    await using store = await openStore(dir);
    const { number: query } = store.next;
    const begun = store.beginQuery("next");
    const config = { resumeTokens: 3_000, addSessionCodeToContext: true };
    const memory = new SessionMemory(
      {
        store,
        config,
        query,
        begun,
        resumable: true,
        emit: () => {},
      } as unknown as SessionMemoryOptions,
    );
    const repl = {
      restore(snapshot: Snapshot, onSent?: () => void): Promise<RestoreReport> {
        if (early) onSent?.();
        return Promise.resolve(outcome(snapshot));
      },
    } as AgentRepl;
    const { preamble, inventory } = await memory.restore(repl);
    text = `${preamble}\n\n${inventory}`;
  });
  return text;
}

Deno.test("what is told while the sandbox restores is what would be told after it", async () => {
  const text = await told(restoreReport, true);
  assert.match(text, /alpha[^]*Restored with a loss: lossy \(lossy\.h is a function\)/);
  assert.equal(text, await told(restoreReport, false));
});

Deno.test("a name that fails while the sandbox restores is told as failed, not as live", async () => {
  const failing = (snapshot: Snapshot) => restoreReport(snapshot, new Map([["beta", "is torn"]]));
  const text = await told(failing, true);
  assert.match(text, /Not restored[^\n]*: beta \(is torn\)/);
  assert.doesNotMatch(text.split("Not restored")[0]!, /\bbeta: string/);
  assert.equal(text, await told(failing, false));
});
