import assert from "node:assert/strict";
import { parseCommand } from "../../../lib/cli/args.ts";
import { type SessionActions, sessionCommand } from "../../../lib/cli/session_command.ts";
import { RlmError } from "../../../lib/errors.ts";
import { type FakeIo, fakeIo, type FakeWorld } from "./fake_io.ts";

const hour = 3_600_000;

/** Actions that write down what they were asked. */
function actions(): SessionActions & { readonly asked: unknown[][] } {
  const asked: unknown[][] = [];
  const note = <T>(result: T) => (...given: unknown[]): Promise<T> => {
    asked.push(given);
    return Promise.resolve(result);
  };
  return {
    asked,
    list: note([
      { dir: "/s/a", queries: 1, variables: 12, bytes: 900, modified: 10 * hour - 30_000 },
      { dir: "/s/bad", bytes: 0, modified: 0, fault: "state.json is empty\u001b[2J" },
      { dir: "/s/long", queries: 1_234, variables: 1, bytes: 2_500_000, modified: 5 * hour },
    ]),
    show: note("the session\n"),
    clear: (dir, agree) => {
      agree();
      return note(undefined)(dir);
    },
    fork: note("made x"),
    repair: note(["restored x", "lost: step 3"]),
    export: note("wrote f"),
    import: note("made y"),
  };
}

async function run(
  argv: readonly string[],
  world: FakeWorld = {},
): Promise<{ io: FakeIo; asked: unknown[][]; code: number }> {
  const command = await parseCommand(["session", ...argv]);
  assert(command.kind === "session");
  const io = fakeIo({ now: 10 * hour, ...world });
  const to = actions();
  return { code: await sessionCommand(command, io, to), io, asked: to.asked };
}

Deno.test("a list has a line a session, bad ones marked and inert", async () => {
  const { io, code, asked } = await run(["list", "s"]);
  assert.equal(code, 0);
  assert.deepEqual(asked, [["s"]]);
  assert.equal(
    io.out(),
    "/s/a     1 query        12 variables  900 B   just now\n" +
      "/s/bad   unreadable: state.json is empty\\x1b[2J\n" +
      "/s/long  1,234 queries  1 variable    2.5 MB  5 h ago\n",
  );
});

Deno.test("a list as JSON has every field", async () => {
  const { io } = await run(["list", "s", "--json"]);
  const list = JSON.parse(io.out());
  assert.equal(list.length, 3);
  assert.equal(list[2].bytes, 2_500_000);
});

Deno.test("show goes to standard output, as wide as the terminal", async () => {
  const { io, asked } = await run(["show", "s"], { terminal: true, columns: 44 });
  assert.equal(io.out(), "the session\n");
  assert.deepEqual(asked, [["s", { json: false, columns: 44 }]]);
  const piped = await run(["s", "--json"]);
  assert.deepEqual(piped.asked, [["s", { json: true, columns: 120 }]]);
});

Deno.test("what was done is told on standard error", async () => {
  for (
    const [argv, asked, told] of [
      [["fork", "a", "b", "--at", "2"], ["a", "b", 2], "made x\n"],
      [["fork", "a", "b"], ["a", "b", undefined], "made x\n"],
      [["repair", "a"], ["a"], "restored x\nlost: step 3\n"],
      [["export", "a", "f"], ["a", "f"], "wrote f\n"],
      [["import", "f", "a"], ["f", "a"], "made y\n"],
      [["clear", "a", "--yes"], ["a"], "cleared a\n"],
    ] as const
  ) {
    const outcome = await run(argv);
    assert.deepEqual(outcome.asked, [asked]);
    assert.deepEqual([outcome.code, outcome.io.out(), outcome.io.err()], [0, "", told]);
  }
});

Deno.test("clear asks on a terminal and needs --yes elsewhere", async () => {
  const yes = await run(["clear", "a"], { terminal: true, answer: "y" });
  assert.deepEqual(yes.asked, [["a"]]);
  assert.match(yes.io.questions[0]!, /Remove all that the session a holds\?/);
  for (const answer of ["n", "", "yesterday"]) {
    await assert.rejects(run(["clear", "a"], { terminal: true, answer }), /answer was no/);
  }
  await assert.rejects(run(["clear", "a"], { terminal: true }), RlmError);
  await assert.rejects(
    run(["clear", "a"]),
    (error) => error instanceof RlmError && error.code === "usage" && /--yes/.test(error.message),
  );
});

Deno.test("a lone word that is no session names the verbs, a path or an explicit verb does not", async () => {
  const missing = async (argv: readonly string[]): Promise<number> => {
    const command = await parseCommand(["session", ...argv]);
    assert(command.kind === "session");
    const show = () =>
      Promise.reject(new RlmError("input", `Cannot find a session: ${argv.at(-1)} does not exist`));
    return await sessionCommand(command, fakeIo(), { ...actions(), show });
  };
  await assert.rejects(
    missing(["bogus"]),
    /bogus is to be a verb: expected one of list, show, clear/,
  );
  await assert.rejects(missing(["repiar"]), /did you mean repair\?/);
  for (const argv of [["./bogus"], ["show", "bogus"]]) {
    await assert.rejects(missing(argv), /bogus does not exist$/);
  }
});
