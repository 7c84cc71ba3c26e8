import assert from "node:assert/strict";
import { join } from "node:path";
import { parseCommand } from "../../../lib/cli/args.ts";
import { logCommand } from "../../../lib/cli/log_command.ts";
import { exitCodeOf } from "../../../lib/cli/present_error.ts";
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
    const command = parseCommand(["log", ...argv(path, dir)]);
    assert(command.kind === "log");
    const io = fakeIo(world);
    await check(io, await logCommand(command, io), dir);
  });
}

Deno.test("a transcript is shown as inert text, nothing on standard error", async () => {
  await log((path) => [path], (io, code) => {
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
    /Cannot write the page .*a\.html/,
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

Deno.test("a path with nothing to show ends with 2", async () => {
  const command = parseCommand(["log", "no/such.jsonl"]);
  assert(command.kind === "log");
  await assert.rejects(logCommand(command, fakeIo()), (error) => exitCodeOf(error) === 2);
});
