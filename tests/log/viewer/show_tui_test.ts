import assert from "node:assert/strict";
import type { LogModel } from "../../../log/model.ts";
import { showTui, type TuiSource } from "../../../log/viewer/show_tui.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { FakeTerminal } from "../../support/fake_terminal.ts";
import { type FakeTty, fakeTty } from "../../support/fake_tty.ts";
import {
  agentModel,
  queryModel,
  sessionModel,
  stepModel,
  transcriptModel,
} from "../../support/viewer_model.ts";

interface Show {
  readonly terminal: FakeTerminal;
  readonly tty: FakeTty;
  readonly ended: Promise<boolean>;
  /** The screen as soon as it matches. */
  readonly until: (pattern: RegExp) => Promise<string>;
}

function show(
  source: TuiSource = { model: sessionModel() },
  terminal = new FakeTerminal(100, 24),
  color = true,
): Show {
  const tty = fakeTty(terminal);
  const { stdin, stdout } = tty;
  // Time stands still at once after every sleep, so the opening takes no time.
  const clock = fakeClock({ autoAdvanceUpTo: 1000 });
  const ended = showTui(source, {
    stdin,
    stdout,
    color,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  });
  const until = async (pattern: RegExp): Promise<string> => {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const text = terminal.text();
      if (pattern.test(text)) return text;
      if (Date.now() > deadline) throw new Error(`Nothing matches ${pattern} on:\n${text}`);
      // Ink draws at most 30 times a second by timers of its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { terminal, tty, ended, until };
}

// Ink ends its throttle timers and its listeners a moment after it is unmounted.
const options = { sanitizeOps: false, sanitizeResources: false } as const;

Deno.test(
  "the viewer opens full-screen, takes keys and restores the terminal",
  options,
  async () => {
    const terminal = new FakeTerminal(100, 24);
    terminal.write("$ fast-rlm log demo --tui\n");
    const { tty, ended, until } = show(undefined, terminal);
    await until(/3 queries[\s\S]*▸ +3 ✗/);
    assert.ok(terminal.alternate && tty.raw && !terminal.autowrap);
    tty.press("k");
    await until(/▸ +2 ✓/);
    tty.press("g\r");
    await until(/query 1 of 3[\s\S]*agent 0 /);
    tty.press("\x1b[C");
    await until(/agent 0\.0/);
    tty.press("m");
    await until(/★ guests/);
    tty.press("/sc");
    await until(/\/sc▏/);
    tty.press("\r");
    await until(/filter: sc/);
    tty.press("q");
    assert.equal(await ended, true);
    assert.equal(terminal.text(), "$ fast-rlm log demo --tui");
    assert.ok(!terminal.alternate && !tty.raw && terminal.autowrap && terminal.cursorVisible);
  },
);

Deno.test(
  "a smaller and a larger terminal are drawn clean, down to one row of five",
  options,
  async () => {
    const { terminal, tty, ended, until } = show(undefined, new FakeTerminal(120, 40));
    await until(/query 3 ✗ failed/);
    tty.resize(40, 10);
    const narrow = await until(/▸ +3 ✗ a question tha… +12\.1k █{6}$/m);
    assert.equal(narrow.match(/session|▸|↵/g)?.length, 3, narrow);
    tty.resize(5, 1);
    await until(/^▸ {3}…$/);
    tty.resize(120, 40);
    const wide = await until(/query 3 ✗ failed/);
    assert.equal(wide.match(/▸/g)?.length, 1, wide);
    assert.equal(wide.match(/ session demo/g)?.length, 1, wide);
    tty.press("q");
    await ended;
    assert.equal(terminal.text(), "");
  },
);

Deno.test(
  "lines of wide characters at the width are drawn once, also after a resize",
  options,
  async () => {
    const step = stepModel(1, 0, { code: "", output: "漢字".repeat(300) });
    const agent = agentModel("0", [step], { final: "" });
    const queries = [queryModel(1, { transcript: transcriptModel([agent]) })];
    const model = { ...sessionModel({ queries, kind: "transcript" }), memory: undefined };
    const { terminal, tty, ended, until } = show({ model }, new FakeTerminal(81, 45));
    for (const columns of [81, 44, 80, 45, 120]) {
      tty.resize(columns, 45);
      const rows = Math.ceil(600 / Math.floor((columns - 4) / 2));
      const pattern = new RegExp(`(?:^ {2}▏ [漢字]+\\n?){${rows}}(?! {2}▏)`, "m");
      const text = await until(pattern);
      assert.equal(text.match(/[漢字]/g)?.length, 600, `${columns} columns:\n${text}`);
    }
    tty.press("q");
    await ended;
    assert.equal(terminal.text(), "");
  },
);

Deno.test("Ctrl-C quits", options, async () => {
  const { tty, ended, until } = show();
  await until(/3 queries/);
  tty.press("\x03");
  assert.equal(await ended, true);
});

Deno.test("an error in the viewer is thrown after the terminal is restored", options, async () => {
  const model: LogModel = {
    ...sessionModel(),
    get memory(): never {
      throw new Error("broken memory");
    },
  };
  const { terminal, tty, ended, until } = show({ model });
  await until(/3 queries/);
  tty.press("m");
  await assert.rejects(ended, /broken memory/);
  assert.ok(!terminal.alternate && !tty.raw && terminal.autowrap && terminal.cursorVisible);
});

Deno.test(
  "a followed log is drawn as it grows, and its error ends the viewer",
  options,
  async () => {
    const model = sessionModel();
    const next = Promise.withResolvers<LogModel>();
    const broken = Promise.withResolvers<void>();
    const updates = (async function* (): AsyncGenerator<{ model: LogModel }> {
      yield { model: await next.promise };
      await broken.promise;
      throw new Error("log is gone");
    })();
    const { ended, until } = show({ model, updates });
    await until(/▸ +3 ✗/);
    next.resolve({ ...model, queries: [...model.queries, queryModel(4, { status: "running" })] });
    await until(/▸ +4 ▶ question 4/);
    broken.resolve();
    await assert.rejects(ended, /log is gone/);
  },
);

Deno.test("the steps of a large transcript are read when its run is opened", options, async () => {
  const { transcript } = queryModel(1, {
    transcript: transcriptModel([agentModel("0", [stepModel(1, 0)])], { path: "big.jsonl" }),
  });
  assert.ok(transcript !== undefined);
  const [root] = transcript.roots;
  assert.ok(root !== undefined);
  const counted = { ...root, steps: [] };
  const counts = { ...transcript, detail: "counts", roots: [counted], agents: [counted] } as const;
  const model = sessionModel({ queries: [queryModel(1, { transcript: counts })] });
  const read: string[] = [];
  const loadTranscript = (path: string): typeof transcript => {
    read.push(path);
    return transcript;
  };
  const { tty, ended, until } = show({ model, loadTranscript });
  await until(/1 query|3 queries/);
  assert.deepEqual(read, []);
  tty.press("\r");
  await until(/output of step 1/);
  tty.press("jjk");
  tty.press("q");
  await ended;
  assert.deepEqual(read, ["big.jsonl"]);
});

Deno.test("without colour no colour is written", options, async () => {
  const { terminal, tty, ended, until } = show(undefined, undefined, false);
  await until(/3 queries/);
  tty.press("q");
  await ended;
  // deno-lint-ignore no-control-regex -- our own sequences are what is looked for
  assert.doesNotMatch(terminal.raw, /\x1b\[3\d?m/);
});

Deno.test("without a terminal at either end nothing is written and false comes back", async () => {
  for (const end of ["stdin", "stdout"] as const) {
    const terminal = new FakeTerminal();
    const { stdin, stdout } = fakeTty(terminal);
    const io = { stdin, stdout, color: true, sleep: () => Promise.resolve() };
    const piped = Object.create(io[end]);
    Object.defineProperty(piped, "isTTY", { value: undefined });
    assert.equal(await showTui({ model: sessionModel() }, { ...io, [end]: piped }), false);
    assert.equal(terminal.raw, "");
  }
});
