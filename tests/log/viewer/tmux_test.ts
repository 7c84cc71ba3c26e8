import assert from "node:assert/strict";
import { fromFileUrl, join } from "@std/path";
import { writeSampleSession } from "../../support/sample_transcript.ts";
import { hasTmux, Tmux } from "../../support/tmux.ts";

const PROGRAM = fromFileUrl(import.meta.resolve("../../support/tui_program.ts"));
const CONFIG = fromFileUrl(import.meta.resolve("../../../deno.json"));
const ignore = !hasTmux();
const skipped = ignore ? " (skipped: tmux is not installed)" : "";

/** The viewer on a sample session, in a terminal of 100×30, from its first frame on. */
async function open(mode = ""): Promise<{ tmux: Tmux; directory: string } & AsyncDisposable> {
  const directory = await Deno.makeTempDir();
  const session = join(directory, "session");
  await Deno.mkdir(session);
  writeSampleSession(session, { queries: 3, subAgents: 3 });
  const run = `"${Deno.execPath()}" run -A --no-check --config "${CONFIG}" "${PROGRAM}"`;
  const command = [
    `stty -g > "${directory}/before"`,
    `${run} "${session}" ${mode}`,
    "echo status $?",
    `stty -g > "${directory}/after"`,
    "echo over",
  ].join("; ");
  const tmux = await Tmux.start(directory, command, 100, 30);
  return {
    tmux,
    directory,
    async [Symbol.asyncDispose]() {
      await tmux[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Waits for the end of the program and checks that the terminal is as it was. */
async function assertRestored(tmux: Tmux, directory: string): Promise<string> {
  const screen = await tmux.until(/^over$/m);
  assert.equal(await tmux.flag("alternate_on"), "0", "the alternate screen is left");
  assert.equal(await tmux.flag("cursor_flag"), "1", "the cursor is shown");
  assert.equal(await tmux.flag("wrap_flag"), "1", "lines wrap again");
  assert.equal(
    await Deno.readTextFile(join(directory, "after")),
    await Deno.readTextFile(join(directory, "before")),
    "the modes of the terminal are as before",
  );
  assert.doesNotMatch(screen, /queries ·/, "nothing of the viewer is left");
  return screen;
}

Deno.test({
  name: `in a terminal: timeline, drill-in, memory, back, resize, quit, restored${skipped}`,
  ignore,
  async fn() {
    await using scene = await open();
    const { tmux, directory } = scene;
    await tmux.until(/3 queries[\s\S]*▸ +3 ✓/);
    await tmux.press("k");
    await tmux.until(/▸ +2 ✓/);
    await tmux.press("Enter");
    await tmux.until(/query 2 of 3[\s\S]*agent 0 [\s\S]*step 1/);
    await tmux.press("Right");
    await tmux.until(/agent 0\.0/);
    await tmux.press("Tab");
    await tmux.until(/agent 0\.1/);
    await tmux.press("Left");
    await tmux.until(/agent 0 /);
    await tmux.press("m");
    await tmux.until(/variables 3[\s\S]*★ guests/);
    await tmux.press("Escape");
    await tmux.until(/agent 0 /);
    await tmux.press("Escape");
    await tmux.until(/▸ +2 ✓/);
    await tmux.resize(40, 10);
    const narrow = await tmux.until(/▸ +2 ✓ Query 2: which… +[\d.]+k █{6}$/m);
    assert.equal(narrow.match(/^ session/gm)?.length, 1, narrow);
    await tmux.resize(5, 1);
    await tmux.resize(120, 40);
    const wide = await tmux.until(/query 2 ✓ answered ─/);
    assert.equal(wide.match(/▸/g)?.length, 1, wide);
    await tmux.press("q");
    const screen = await assertRestored(tmux, directory);
    assert.match(screen, /^closed\nstatus 0$/m);
  },
});

Deno.test({
  name:
    "in a terminal: after a crash in the viewer the terminal is restored and the error is shown",
  ignore,
  async fn() {
    await using scene = await open("crash");
    const { tmux, directory } = scene;
    await tmux.until(/3 queries/);
    await tmux.press("m");
    const screen = await assertRestored(tmux, directory);
    assert.match(screen, /crashed while drawing/);
    assert.match(screen, /^status 1$/m);
  },
});

for (
  const [key, what, seen] of [
    ["E", "an error that nobody caught", /thrown elsewhere[\s\S]*^status 1$/m],
    ["R", "a rejection that nobody caught", /rejected elsewhere[\s\S]*^status 1$/m],
    ["X", "an exit", /^status 7$/m],
    ["S", "a signal", /^status 143$/m],
  ] as const
) {
  Deno.test({
    name: `in a terminal: after ${what} the terminal is restored${skipped}`,
    ignore,
    async fn() {
      await using scene = await open("abrupt");
      const { tmux, directory } = scene;
      await tmux.until(/3 queries/);
      await tmux.press(key);
      assert.match(await assertRestored(tmux, directory), seen);
    },
  });
}

Deno.test("without a terminal the viewer refuses and writes nothing of its own", async () => {
  const directory = await Deno.makeTempDir();
  try {
    writeSampleSession(directory, { queries: 1 });
    const { stdout, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", CONFIG, PROGRAM, directory],
      stdin: "null",
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "static\n");
    assert.equal(code, 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
