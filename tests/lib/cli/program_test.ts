import assert from "node:assert/strict";
import type { Command } from "../../../lib/cli/command.ts";
import { type Commands, program } from "../../../lib/cli/program.ts";
import { LAZY_MODULES } from "../../../lib/cli/parts.ts";
import { RlmError } from "../../../lib/errors.ts";
import { fakeIo } from "./fake_io.ts";

function recorder(code = 0): { commands: Commands; seen: Command[] } {
  const seen: Command[] = [];
  const take = (command: Command) => {
    seen.push(command);
    return Promise.resolve(code);
  };
  return { seen, commands: { run: take, log: take, session: take } };
}

Deno.test("each command reaches its part, and its code is the program's", async () => {
  for (
    const [argv, kind] of [
      [["q"], "run"],
      [["log", "a"], "log"],
      [["session", "list"], "session"],
    ] as const
  ) {
    const { commands, seen } = recorder(7);
    assert.equal(await program(argv, fakeIo(), commands), 7);
    assert.deepEqual(seen.map((command) => command.kind), [kind]);
  }
});

Deno.test("help, version and completions are printed and end with 0", async () => {
  for (
    const [argv, pattern] of [
      [["--help"], /^fast-rlm: /],
      [["-h"], /^fast-rlm: /],
      [["help", "run"], /--max-depth/],
      [["log", "--help"], /--stats/],
      [["--version"], /^fast-rlm \d/],
      [["--version", "--json"], /^fast-rlm \d/],
      [["completions", "fish"], /^# fish/],
    ] as const
  ) {
    const io = fakeIo();
    assert.equal(await program(argv, io, recorder().commands), 0);
    assert.match(io.out(), pattern);
    assert.equal(io.err(), "");
  }
});

Deno.test("wrong usage is one error line and 2, with a stack only under --debug", async () => {
  const io = fakeIo();
  assert.equal(await program(["--nope", "q"], io, recorder().commands), 2);
  assert.match(io.err(), /^error: [^\n]+\n$/);
  assert.equal(io.out(), "");
  const debug = fakeIo();
  await program(["--nope", "--debug", "q"], debug, recorder().commands);
  assert.match(debug.err(), /tokens\.ts/);
  const after = fakeIo();
  await program(["--nope", "--", "--debug"], after, recorder().commands);
  assert.doesNotMatch(after.err(), /tokens\.ts/, "after -- it is no option");
});

Deno.test("what a command throws becomes a line and a code, keys masked", async () => {
  const io = fakeIo({ env: { OPENROUTER_API_KEY: "or-secret-key" } });
  const commands: Commands = {
    ...recorder().commands,
    log: () => Promise.reject(new RlmError("session_unreadable", "bad or-secret-key")),
  };
  assert.equal(await program(["log", "a"], io, commands), 5);
  assert.equal(io.err(), "error: bad [key]\n");
});

Deno.test("every lazily loaded part is there", async () => {
  for (const path of LAZY_MODULES) {
    const url = new URL(path, import.meta.resolve("../../../lib/cli/parts.ts"));
    assert((await Deno.stat(url)).isFile, path);
  }
});

Deno.test("with --json wrong usage is JSON on standard output too, but not for other commands", async () => {
  for (const argv of [["--json", "--nope", "q"], ["--json"], ["a", "b", "--json"]]) {
    const io = fakeIo();
    assert.equal(await program(argv, io, recorder().commands), 2);
    const { result, status, error } = JSON.parse(io.out());
    assert.deepEqual([result, status, error.code], [null, "failed", "usage"]);
    assert.match(io.err(), /^error: [^\n]+\n$/);
  }
  for (const argv of [["--nope", "--", "--json"], ["log", "--json", "--nope"]]) {
    const io = fakeIo();
    assert.equal(await program(argv, io, recorder().commands), 2);
    assert.equal(io.out(), "");
  }
});
