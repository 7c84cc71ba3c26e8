import assert from "node:assert/strict";
import { join } from "node:path";
import { parseCommand } from "../../../lib/cli/args.ts";
import { logCommand } from "../../../lib/cli/log_command.ts";
import { exitCodeOf } from "../../../lib/cli/present_error.ts";
import { FULL_LIMIT } from "../../../log/open.ts";
import { FakeTerminal } from "../../support/fake_terminal.ts";
import { writeSampleSession } from "../../support/sample_transcript.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { type FakeIo, fakeIo, type FakeWorld } from "./fake_io.ts";

const entries = [
  {
    run_id: "r",
    depth: 0,
    step: 1,
    event_type: "code_generated",
    timestamp: "2026-01-02T00:00:00Z",
    code: "FINAL('\u001b[2Jdone')",
  },
  {
    run_id: "r",
    depth: 0,
    step: 1,
    event_type: "final_result",
    timestamp: "2026-01-02T00:00:01Z",
    result: "done",
  },
];

/** Runs `fast-rlm log` on a transcript of two entries. */
async function log(
  argv: (path: string, dir: string) => readonly string[],
  check: (io: FakeIo, code: number, dir: string) => void | Promise<void>,
  world: FakeWorld = {},
): Promise<void> {
  await withTempDir(async (dir) => {
    const path = join(dir, "run.jsonl");
    await Deno.writeTextFile(path, entries.map((entry) => JSON.stringify(entry) + "\n").join(""));
    const command = await parseCommand(["log", ...argv(path, dir)]);
    assert(command.kind === "log");
    const io = fakeIo(world);
    await check(io, await logCommand(command, io), dir);
  });
}

Deno.test("without a view a log is shown as statistics", async () => {
  await log((path) => [path], async (io, code) => {
    assert.equal(code, 0);
    assert.match(io.out(), /^Transcript .*run\.jsonl\n/);
    await log((path) => [path, "--stats"], (same) => {
      assert.equal(io.out().split("\n").length, same.out().split("\n").length);
    });
  });
});

Deno.test("as text every step is shown inert, nothing on standard error", async () => {
  await log((path) => [path, "--text"], (io, code) => {
    assert.deepEqual([code, io.err()], [0, ""]);
    assert.match(io.out(), /done/);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(io.out(), /\u001b/);
  });
});

Deno.test("statistics are as wide as the terminal", async () => {
  await log((path) => ["--stats", path], (io) => {
    assert(io.out().split("\n").every((line) => line.length <= 50), io.out());
  }, { terminal: true, columns: 50 });
});

Deno.test("JSON is one document", async () => {
  await log((path) => ["--json", path], (io) => {
    assert.equal(JSON.parse(io.out()).kind, "transcript");
  });
});

Deno.test("a page is written to its file, or to standard output with -", async () => {
  await log((path, dir) => [path, "--html", join(dir, "a.html")], async (io, code, dir) => {
    assert.deepEqual([code, io.out()], [0, ""]);
    assert.match(io.err(), /^wrote .*a\.html\n$/);
    assert.match(await Deno.readTextFile(join(dir, "a.html")), /<html/i);
  });
  await log((path) => [path, "--html", "-"], (io) => assert.match(io.out(), /<html/i));
});

Deno.test("a page that cannot be written is an error that names it", async () => {
  await assert.rejects(
    log((path, dir) => [path, "--html", join(dir, "no/such/a.html")], () => assert.fail()),
    /^RlmError: Cannot write the page: .*a\.html: a part of the path does not exist$/,
  );
});

Deno.test("without a terminal the viewer is the statistics and a line that says so", async () => {
  await log((path) => ["--tui", path], (io, code) => {
    assert.equal(code, 0);
    assert.match(io.err(), /no terminal/);
    assert.notEqual(io.out(), "");
  });
});

Deno.test("following ends when the reader of standard output has gone", async () => {
  await log((path) => ["--follow", path], (io, code) => {
    assert.equal(code, 0);
    assert(io.readerGone());
  }, { writesUntilGone: 1 });
});

Deno.test("a followed log is plain lines in a pipe and redrawn statistics on a terminal", async () => {
  await log((path) => ["--follow", path], (io, code) => {
    assert.equal(code, 0);
    assert.match(io.out(), /^r · FINAL\n {2}→ done$/m);
  });
  await log((path) => ["--follow", "--stats", path], (io) => {
    assert.match(io.out(), /^status +answered$/m);
  });
  await log((path) => ["--follow", path], (io, code) => {
    assert.equal(code, 0);
    const terminal = new FakeTerminal(50, 40);
    terminal.write(io.out());
    assert.match(terminal.text(), /^status +answered$/m);
    assert.doesNotMatch(terminal.text(), /following/, "what is left are the statistics");
    assert.match(io.out(), /following · Ctrl-C ends/);
  }, { terminal: true, columns: 50 });
});

Deno.test("Ctrl-C ends the following of a session with 130 and leaves its statistics", async () => {
  await withTempDir(async (dir) => {
    writeSampleSession(dir, { queries: 2 });
    for (const view of ["--stats", "--text"]) {
      const command = await parseCommand(["log", dir, view, "--follow"]);
      assert(command.kind === "log");
      const io = fakeIo({ terminal: true });
      const sleeping = Promise.withResolvers<void>();
      const clock = {
        now: () => 0,
        sleep: (_ms: number, signal?: AbortSignal) => {
          sleeping.resolve();
          const woken = Promise.withResolvers<void>();
          signal?.addEventListener("abort", () => woken.reject(signal.reason));
          return woken.promise;
        },
      };
      const ended = logCommand(command, { ...io, clock });
      await sleeping.promise;
      io.send("SIGWINCH");
      io.send("SIGINT");
      assert.equal(await ended, 130);
      assert.equal(io.listening(), 0);
      assert.match(io.out(), view === "--stats" ? /2 queries/ : /FINAL/);
    }
  });
});

Deno.test("a log too large to be held is shown in every view, its steps only as text", async () => {
  const large = async (path: string): Promise<void> => {
    using file = await Deno.open(path, { append: true });
    const from = (await file.stat()).size;
    await file.truncate(from + FULL_LIMIT + 1);
  };
  const views = [["--stats"], ["--text"], ["--json"], ["--html", "-"]];
  for (const view of views) {
    await withTempDir(async (dir) => {
      const path = join(dir, "run.jsonl");
      await Deno.writeTextFile(path, entries.map((entry) => JSON.stringify(entry) + "\n").join(""));
      await large(path);
      const command = await parseCommand(["log", path, ...view]);
      assert(command.kind === "log");
      const io = fakeIo();
      assert.equal(await logCommand(command, io), 0);
      if (view[0] === "--stats") assert.match(io.out(), /1 line skipped \(line 3\)/);
      if (view[0] === "--text") assert.match(io.out(), /│ FINAL\('\\x1b\[2Jdone'\)/);
      if (view[0] === "--json") {
        assert.equal(JSON.parse(io.out()).queries[0].transcript.steps_listed, false);
      }
      if (view[0] === "--html") assert.match(io.out(), /too large to show their steps/);
    });
  }
});

Deno.test("a file that is no transcript is refused and named", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "notes.md");
    await Deno.writeTextFile(path, "# Notes\n\n- one\n");
    const command = await parseCommand(["log", path]);
    assert(command.kind === "log");
    await assert.rejects(logCommand(command, fakeIo()), (error) => {
      assert.equal(exitCodeOf(error), 2);
      assert.match(String(error), /notes\.md: it is no transcript, 2 lines skipped/);
      return true;
    });
  });
});

Deno.test("a path with nothing to show ends with 2", async () => {
  const command = await parseCommand(["log", "no/such.jsonl"]);
  assert(command.kind === "log");
  await assert.rejects(logCommand(command, fakeIo()), (error) => exitCodeOf(error) === 2);
});
