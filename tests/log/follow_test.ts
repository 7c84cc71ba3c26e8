import assert from "node:assert/strict";
import { join } from "@std/path";
import { followLog, type FollowUpdate } from "../../log/follow.ts";
import { TranscriptWriter } from "../../log/writer.ts";
import { sampleEvents, sampleManifest, writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** A clock whose every sleep lets the test do the next thing. */
function scriptedClock(actions: (() => void)[]): { sleep(): Promise<void> } {
  return {
    sleep: () => {
      const action = actions.shift();
      if (action === undefined) throw new Error("the script of the clock ran out");
      action();
      return Promise.resolve();
    },
  };
}

async function collect(updates: AsyncIterable<FollowUpdate>): Promise<FollowUpdate[]> {
  const all: FollowUpdate[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

const readManifest = () => sampleManifest();

Deno.test("a transcript is followed line by line to its end", async () => {
  await withTempDir(async (directory) => {
    const path = join(directory, "run.jsonl");
    using writer = new TranscriptWriter(path);
    const events = sampleEvents({ steps: 3, subAgents: 1 });
    const write = (from: number, to?: number) => () => {
      for (const event of events.slice(from, to)) writer.write(event);
    };
    write(0, 6)();
    const updates = await collect(
      followLog(path, {
        readManifest,
        clock: scriptedClock([write(6, 12), () => {}, write(12)]),
      }),
    );
    assert.equal(updates.length, 3, "a look without news is no update");
    const entries = updates.flatMap((update) => update.entries);
    const lines = Deno.readTextFileSync(path).trimEnd().split("\n");
    assert.equal(entries.length, lines.length);
    assert.equal(updates[0]?.model.queries[0]?.status, "running");
    assert.equal(updates.at(-1)?.model.queries[0]?.status, "answered");
    assert.equal(updates.at(-1)?.model.totals.steps, 5);
  });
});

Deno.test("half a line is not taken before its rest is there", async () => {
  await withTempDir(async (directory) => {
    const whole = join(directory, "whole.jsonl");
    {
      using writer = new TranscriptWriter(whole);
      for (const event of sampleEvents({ steps: 1, subAgents: 0 })) writer.write(event);
    }
    const bytes = Deno.readFileSync(whole);
    const path = join(directory, "run.jsonl");
    const append = (from: number, to?: number) => () =>
      Deno.writeFileSync(path, bytes.subarray(from, to), { append: true });
    append(0, 400)();
    const updates = await collect(
      followLog(path, { readManifest, clock: scriptedClock([append(400, 407), append(407)]) }),
    );
    assert.equal(updates.at(-1)?.model.totals.skipped, 0);
    assert.equal(
      updates.flatMap((update) => update.entries).length,
      new TextDecoder().decode(bytes).trimEnd().split("\n").length,
    );
  });
});

Deno.test("a transcript that was replaced is read from its start", async () => {
  await withTempDir(async (directory) => {
    const path = join(directory, "run.jsonl");
    const write = (options: Parameters<typeof sampleEvents>[0]) => {
      using writer = new TranscriptWriter(path);
      for (const event of sampleEvents(options)) writer.write(event);
    };
    write({ killed: true, steps: 9, subAgents: 5 });
    const updates = await collect(followLog(path, {
      readManifest,
      clock: scriptedClock([() => {
        Deno.removeSync(path);
        write({ steps: 1, subAgents: 0 });
      }]),
    }));
    assert.equal(updates.at(-1)?.model.totals.steps, 1);
    assert.equal(updates.at(-1)?.model.queries[0]?.status, "answered");
  });
});

Deno.test("a session is followed over its queries until the signal", async () => {
  await withTempDir(async (directory) => {
    const stop = new AbortController();
    let manifest = writeSampleSession(directory, { queries: 1 });
    const updates = await collect(followLog(directory, {
      readManifest: () => manifest,
      signal: stop.signal,
      clock: scriptedClock([
        () => {},
        () => {
          manifest = writeSampleSession(directory, { queries: 2, steps: 2 });
        },
        () => stop.abort(),
      ]),
    }));
    assert.deepEqual(updates.map((update) => update.model.queries.length), [1, 2]);
    assert.ok(updates[1]?.entries.some((entry) => entry.query === 2));
  });
});

Deno.test("a session whose manifest is unreadable for a moment stays shown", async () => {
  await withTempDir(async (directory) => {
    const stop = new AbortController();
    const manifest = writeSampleSession(directory, { queries: 1 });
    let broken = false;
    const touch = (isBroken: boolean, padding: string) => () => {
      broken = isBroken;
      Deno.writeTextFileSync(join(directory, "state.json"), padding);
    };
    const updates = await collect(followLog(directory, {
      readManifest: () => {
        if (broken) throw new Error("torn");
        return manifest;
      },
      signal: stop.signal,
      clock: scriptedClock([touch(true, "x"), touch(false, "xxx"), () => stop.abort()]),
    }));
    assert.equal(updates.length, 2);
    assert.equal(updates.at(-1)?.model.queries[0]?.status, "answered");
  });
});

Deno.test("a Python transcript ends with its root's answer, which it has no run_end for", async () => {
  await withTempDir(async (directory) => {
    const path = join(directory, "run.jsonl");
    const line = (fields: Record<string, unknown>) =>
      `${
        JSON.stringify({
          level: 30,
          time: "2026-02-15T22:22:02Z",
          depth: 0,
          run_id: "a",
          ...fields,
        })
      }\n`;
    Deno.writeTextFileSync(path, line({ event_type: "code_generated", step: 1, code: "FINAL(1)" }));
    const append = (fields: Record<string, unknown>) => () =>
      Deno.writeTextFileSync(path, line(fields), { append: true });
    const updates = await collect(followLog(path, {
      readManifest,
      clock: scriptedClock([
        append({ event_type: "final_result", result: 1 }),
        append({ event_type: "agent_end" }),
        () => {},
      ]),
    }));
    assert.equal(updates.flatMap((update) => update.entries).length, 3);
    assert.equal(updates.at(-1)?.model.queries[0]?.final, 1);
  });
});

Deno.test("an aborted sleep ends the following without an error", async () => {
  await withTempDir(async (directory) => {
    const stop = new AbortController();
    writeSampleSession(directory, { queries: 1, killed: true });
    const clock = {
      sleep: () => {
        stop.abort(new Error("Ctrl-C"));
        return Promise.reject(stop.signal.reason);
      },
    };
    const path = join(directory, "logs", "run_0001.jsonl");
    const updates = await collect(followLog(path, { readManifest, clock, signal: stop.signal }));
    assert.equal(updates.length, 1);
  });
});

Deno.test("a directory is followed into transcripts that come later", async () => {
  await withTempDir(async (directory) => {
    const stop = new AbortController();
    const write = (name: string) => () => {
      using writer = new TranscriptWriter(join(directory, name));
      for (const event of sampleEvents({ steps: 1, subAgents: 0 })) writer.write(event);
    };
    write("run_1.jsonl")();
    const updates = await collect(followLog(directory, {
      readManifest,
      signal: stop.signal,
      clock: scriptedClock([() => {}, write("run_2.jsonl"), () => stop.abort()]),
    }));
    assert.deepEqual(updates.map((update) => update.model.queries.length), [1, 2]);
    assert.equal(updates[1]?.model.totals.answered, 2);
    assert.ok(updates[1]?.entries.every((entry) => entry.query === 2));
  });
});
