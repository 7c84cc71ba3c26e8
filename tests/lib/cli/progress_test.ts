import assert from "node:assert/strict";
import { createProgress, type ProgressIO } from "../../../lib/cli/progress.ts";
import { noProgress, reduceProgress } from "../../../lib/cli/progress_state.ts";
import { renderProgress } from "../../../lib/cli/progress_render.ts";
import type { RunEvent } from "../../../lib/events.ts";
import { displayWidth } from "../../../log/width.ts";
import { type FakeClock, fakeClock } from "../../support/fake_clock.ts";
import { FakeTerminal } from "../../support/fake_terminal.ts";
import { Events, usageOf } from "../../support/progress_events.ts";

const BUDGETS = { maxPromptTokens: 1_000_000, maxCompletionTokens: 100_000, maxMoneySpent: 1 };

interface Scene {
  readonly terminal: FakeTerminal;
  readonly clock: FakeClock;
  readonly events: Events;
  readonly send: (...events: RunEvent[]) => void;
  readonly stop: () => void;
}

function scene(options: Partial<ProgressIO> = {}, terminal = new FakeTerminal(100, 20)): Scene {
  const clock = fakeClock();
  const progress = createProgress({
    write: (text) => terminal.write(text),
    isTerminal: true,
    columns: () => terminal.columns,
    rows: () => terminal.rows,
    clock,
    color: true,
    verbosity: "normal",
    budgets: BUDGETS,
    ...options,
  });
  const send = (...events: RunEvent[]): void => events.forEach(progress.sink);
  return { terminal, clock, events: new Events(clock.now()), send, stop: progress.stop };
}

/** A root that waits for three sub-agents, one of which waits for two more. */
function tree(events: Events): RunEvent[] {
  return [
    events.runStart(),
    events.start("0"),
    events.code("0", 1, "const a = 1"),
    events.output("0", 1, "one\nlast line of output\n\n"),
    events.think("0", 2),
    events.code("0", 2, "await batch_llm_query([])"),
    events.start("0.0"),
    events.think("0.0", 1),
    events.start("0.1"),
    events.code("0.1", 1, "x"),
    events.start("0.1.0"),
    events.think("0.1.0", 1),
    events.wait("0.1", 1, 1),
    events.start("0.2"),
    events.wait("0", 2, 3),
  ];
}

function after(events: readonly RunEvent[]): typeof noProgress {
  return events.reduce(reduceProgress, noProgress);
}

function frame(state: typeof noProgress, columns: number, rows: number, now: number): string[] {
  return renderProgress(state, { size: { columns, rows }, now, color: false, budgets: BUDGETS });
}

Deno.test("the tree shows every live agent with state, step, tokens, money, elapsed and output", () => {
  const events = new Events();
  const state = after(tree(events));
  assert.deepEqual(frame(state, 100, 20, events.time + 65_000).map((line) => line.trimEnd()), [
    "· root small  waiting for 3   step 2    2.2k   $0.0200     1:05  last line of output",
    "⠇ ├ 0.0       thinking        step 1                       1:05",
    "· ├ 0.1       waiting for 1   step 1    1.1k   $0.0100     1:05",
    "⠇ │ ╰ 0.1.0   thinking        step 1                       1:05",
    "⠇ ╰ 0.2       starting                                     1:05",
    "cost $0.0300/$1.00 ▎·······   in 3.0k/1.0M ▏·······   out 300/100k ▏·······   calls 3   time 1:05",
  ]);
});

Deno.test("finished children are folded into counts on their parent", () => {
  const events = new Events();
  const state = after([
    ...tree(events),
    events.end("0.1.0"),
    events.end("0.1"),
    events.end("0.0", "failed"),
    events.wait("0", 2, 1),
  ]);
  const lines = frame(state, 100, 20, events.time);
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? "", /waiting for 1 .*✓ 1 done ✗ 1 failed · last line of…/);
  assert.match(lines[1] ?? "", /╰ 0\.2/);
});

Deno.test("the streaming reply is shown by the line it is at, and gives way to the output", () => {
  const events = new Events();
  const delta = (text: string): RunEvent =>
    events.of("0", { type: "model_text", step: 1, delta: text });
  let state = after([
    events.start("0"),
    events.think("0", 1),
    delta("I look\ninto the"),
    delta(" file\n"),
  ]);
  assert.match(frame(state, 100, 9, events.time)[0] ?? "", /into the file$/);
  state = [delta("next"), events.code("0", 1, "x"), events.output("0", 1, "42 rows")]
    .reduce(reduceProgress, state);
  assert.match(frame(state, 100, 9, events.time)[0] ?? "", /thinking .* 42 rows$/);
});

Deno.test("of framed output the line inside the frame is shown", () => {
  const events = new Events();
  const output = "Output:\n```\nfirst\n42 rows\n```\nNote: a timer is left";
  const state = after([events.start("0"), events.output("0", 1, output)]);
  assert.match(frame(state, 100, 9, events.time)[0] ?? "", /thinking .* 42 rows$/);
});

Deno.test("a usage that nobody reported is shown as unknown, not as nothing", () => {
  const events = new Events();
  const usage = { ...usageOf(0, 0), promptTokens: undefined, completionTokens: undefined };
  const state = after([
    events.start("0"),
    events.code("0", 1, "x", { ...usage, totalTokens: undefined, unknownCalls: 1 }),
  ]);
  assert.match(
    frame(state, 100, 9, events.time).at(-1) ?? "",
    /cost \?\/\$1\.00 ·{8} +in \?\/1\.0M/,
  );
});

Deno.test("before the first call nothing was used, which is not unknown", () => {
  const events = new Events();
  const [, totals = ""] = frame(after([events.start("0")]), 100, 9, events.time);
  assert.match(totals, /cost \$0\.0000\/\$1\.00 .* in 0\/1\.0M .* out 0\/100k .* calls 0/);
});

Deno.test("no frame is wider than the terminal or higher than its rows less one", () => {
  const events = new Events();
  const wide = "漢字かな交じり文👩‍👩‍👧🇩🇪é".repeat(20);
  const state = after([
    ...tree(events),
    events.output("0", 2, wide),
    ...Array.from({ length: 40 }, (_, i) => events.start(`0.${i + 3}`)),
    events.output("0.3", 1, wide),
  ]);
  for (const [columns, rows] of [[120, 40], [80, 24], [40, 10], [13, 4], [5, 1], [1, 2]] as const) {
    const lines = frame(state, columns, rows, events.time);
    assert.ok(lines.length <= rows - 1, `${lines.length} lines in ${rows} rows`);
    for (const line of lines) assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`);
  }
  assert.match(frame(state, 80, 10, events.time).at(-2) ?? "", /… \d+ more agents/);
});

Deno.test("text of a model or its code cannot act on the terminal", () => {
  const { terminal, events, send } = scene();
  const hostile = "a\x1b]52;c;eA==\x07b\x1b[2Jc\x9b31md\u202ee";
  // The fake terminal throws at any sequence that is not ours.
  send(...tree(events), events.output("0", 2, hostile));
  send(events.of("0", { type: "warning", message: hostile }));
  assert.match(terminal.text(), /! a\\x1b\]52;c;eA==\\x07b\\x1b\[2Jc\\x9b31md\\u202ee/);
});

Deno.test("a run leaves its summary and nothing of the tree", async () => {
  const { terminal, events, clock, send, stop } = scene();
  terminal.write("$ fast-rlm\n");
  send(...tree(events));
  await clock.advance(200);
  assert.match(terminal.text(), /waiting for 3/);
  events.time += 42_000;
  send(events.runEnd());
  stop();
  assert.equal(
    terminal.history(),
    "$ fast-rlm\n✓ answered · 2 steps · 5 agents · 22.0k tokens · $0.2000 · 0:42",
  );
  assert.deepEqual(terminal.cursor, { x: 0, y: 2 });
  assert.ok(terminal.autowrap && terminal.cursorVisible);
  assert.equal(clock.waiting, 0, "no timer is left");
});

Deno.test("a run that is stopped before its end leaves nothing", () => {
  const { terminal, events, clock, send, stop } = scene();
  terminal.write("$ fast-rlm\n");
  send(...tree(events));
  stop();
  stop();
  send(events.think("0", 3));
  assert.equal(terminal.history(), "$ fast-rlm");
  assert.equal(clock.waiting, 0);
});

Deno.test("a narrower terminal leaves no ghost lines, whether it wraps again or not", async () => {
  for (const reflow of [true, false]) {
    const terminal = new FakeTerminal(120, 30, { reflow });
    const { events, clock, send } = scene({}, terminal);
    send(...tree(events), events.output("0", 2, "漢字".repeat(50)));
    await clock.advance(500);
    terminal.resize(40, 30);
    await clock.advance(500);
    assert.equal(terminal.text().match(/root/g)?.length, 1, terminal.text());
    assert.equal(terminal.text().match(/time/g)?.length ?? 1, 1);
    terminal.resize(120, 8);
    await clock.advance(500);
    terminal.resize(60, 8);
    await clock.advance(500);
    assert.equal(terminal.text().match(/root/g)?.length, 1, terminal.text());
    send(events.runEnd());
    assert.match(terminal.text(), /^✓ answered[^\n]*$/);
  }
});

Deno.test("lines of wide characters exactly at the terminal's width are not printed twice", async () => {
  for (const columns of [80, 81]) {
    const terminal = new FakeTerminal(columns, 12);
    const { events, clock, send } = scene({}, terminal);
    send(events.start("0"), events.output("0", 1, "漢".repeat(200)));
    for (let i = 0; i < 5; i++) await clock.advance(200);
    assert.equal(terminal.history().match(/root/g)?.length, 1);
    assert.ok(displayWidth(terminal.screen()[0] ?? "") >= columns - 1);
    assert.equal(terminal.screen()[2], "");
  }
});

Deno.test("a burst of events is drawn at most ten times a second, and the last state is drawn", async () => {
  const { terminal, events, clock, send } = scene();
  send(events.start("0"));
  const before = terminal.writes;
  for (let i = 1; i <= 1000; i++) {
    send(events.of("0", { type: "model_text", step: 1, delta: `${i}\n` }));
  }
  assert.equal(terminal.writes, before);
  await clock.advance(1000);
  assert.ok(terminal.writes - before <= 10);
  assert.match(terminal.text(), /1000$/m);
});

Deno.test("warnings stay above the tree", () => {
  const { terminal, events, send } = scene();
  send(...tree(events), events.of("0", { type: "warning", message: "slow tool" }));
  assert.match(terminal.text(), /^! slow tool\n· root/);
  send(events.runEnd());
  assert.match(terminal.text(), /^! slow tool\n✓ answered/);
});

Deno.test("what a session gave back and lost is said in every display but the quiet one", () => {
  const opened = (events: Events, restored: number): RunEvent =>
    events.of("0", {
      type: "session_open",
      query: restored === 0 ? 1 : 2,
      restored,
      failed: restored === 0 ? 0 : 1,
      dropped: restored === 0 ? 0 : 12,
      failedNames: restored === 0 ? [] : ["conn\x1b[2J"],
      droppedNames: restored === 0 ? [] : ["timer"],
    });
  const resumed = "resumed 25 names, 1 failed (conn\\x1b[2J), 12 dropped (timer, …)";
  for (const [restored, said] of [[0, "new session"], [25, resumed]] as const) {
    let text = "";
    const plain = scene({ isTerminal: false, write: (part) => text += part });
    plain.send(plain.events.runStart(), opened(plain.events, restored));
    assert.equal(text.split("\n")[1], `[0:00] ${said}`);
    const live = scene();
    live.send(live.events.start("0"), opened(live.events, restored), live.events.runEnd());
    assert(live.terminal.text().startsWith(`${said}\n✓ answered`), live.terminal.text());
  }
});

Deno.test("a restarted REPL stays above the tree, a retry is the agent's state", () => {
  const { terminal, clock, events, send } = scene();
  const reason = "out of memory";
  send(...tree(events), events.of("0.1", { type: "restart", step: 1, reason }));
  assert.match(terminal.text(), /^! 0\.1 the REPL was restarted: out of memory\n· root/);
  send(events.of("0.0", { type: "model_retry", step: 1, attempt: 1, waitMs: 9, reason: "429" }));
  return clock.advance(200).then(() => assert.match(terminal.text(), /0\.0 +retrying .* 429$/m));
});

Deno.test("verbose keeps code and output of each step above the tree", () => {
  const { terminal, events, send } = scene({ verbosity: "verbose" });
  send(events.start("0"), events.code("0", 1, "const a = 1\na"), events.output("0", 1, "1"));
  assert.match(
    terminal.text(),
    /^── 0 · step 1 · code\n {2}const a = 1\n {2}a\n── 0 · step 1 · output\n {2}1\n. root/,
  );
});

Deno.test("without a terminal every event that matters is one plain line", () => {
  let text = "";
  const { events, send } = scene({ isTerminal: false, write: (part) => text += part });
  send(events.runStart(), events.start("0"), events.think("0", 1));
  events.time += 3000;
  send(
    events.code("0", 1, "a\nb", usageOf(1200, 34, 0.0042)),
    events.of("0", { type: "model_text", step: 1, delta: "x" }),
    events.output("0", 1, "\x1b[31mred\x1b[0m\n漢字\r\n"),
    events.start("0.0"),
    events.wait("0", 1, 1),
    events.wait("0", 1, 0),
    events.output("0.0", 1, "Error: no\n  at 1:1", true),
    events.end("0.0", "failed"),
    events.runEnd("failed", "Cannot reach the model: \x1b[2Jdown"),
  );
  assert.deepEqual(text.split("\n"), [
    "[0:00] started with vendor/small",
    "[0:03] step 1: 2 lines of code, 1.2k tokens ($0.0042), 2.0s",
    "[0:03] step 1: \\x1b[31mred\\x1b[0m 漢字",
    "[0:03] 0.0 started with vendor/small",
    "[0:03] 0.0 step 1: error: Error: no",
    "[0:03] 0.0 failed after 1 step",
    "✗ failed · 2 steps · 2 agents · 22.0k tokens · $0.2000 · 0:03",
    "",
  ]);
  // deno-lint-ignore no-control-regex -- what must not be there
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

Deno.test("quiet writes nothing at all", () => {
  for (const isTerminal of [true, false]) {
    const { terminal, clock, events, send } = scene({ isTerminal, verbosity: "quiet" });
    send(...tree(events), events.runEnd());
    assert.equal(terminal.raw, "");
    assert.equal(clock.waiting, 0);
  }
});

Deno.test("a closed pipe ends the progress, not the run", () => {
  let writes = 0;
  const write = (): void => {
    writes++;
    throw new Error("EPIPE");
  };
  for (const isTerminal of [true, false]) {
    writes = 0;
    const { events, send } = scene({ isTerminal, write });
    send(...tree(events), events.runEnd());
    assert.equal(writes, 1);
  }
});

Deno.test("without colour the tree holds no colour sequence", () => {
  const { terminal, events, send } = scene({ color: false });
  send(...tree(events), events.runEnd());
  // deno-lint-ignore no-control-regex -- what must not be there
  assert.doesNotMatch(terminal.raw, /\x1b\[[\d;]*m/);
});
