import assert from "node:assert/strict";
import { onKey, refreshed, renderApp, resized } from "../../../log/viewer/app.ts";
import { type AppState, openState, screenOf } from "../../../log/viewer/app_state.ts";
import { type Line, paint, plain, type Size } from "../../../log/viewer/line.ts";
import { formatCount, formatMoney, plural } from "../../../log/format.ts";
import { openLog } from "../../../log/open.ts";
import { treeRows } from "../../../log/viewer/agent_tree.ts";
import { displayWidth } from "../../../log/width.ts";
import type { LogModel } from "../../../log/model.ts";
import { plainCount, sharedLogs } from "../../support/shared_logs.ts";
import { fenced } from "../../../lib/fence.ts";
import { assertScreen } from "../../support/screen_snapshot.ts";
import {
  agentModel,
  HOSTILE,
  memoryItem,
  queryModel,
  sessionModel,
  stepModel,
  transcriptModel,
  treeTranscript,
} from "../../support/viewer_model.ts";

const SIZES = { "120x40": [120, 40], "80x24": [80, 24], "40x10": [40, 10] } as const;
const SMALL: Size = { columns: 80, rows: 24 };

function opened(model: LogModel = sessionModel(), size: Size = SMALL): AppState {
  return { ...openState(model, size), grown: 1 };
}

function press(state: AppState, ...keys: readonly string[]): AppState {
  return keys.reduce(onKey, state);
}

function textOf(state: AppState, size: Size = state.size): string {
  return renderApp(state, size).map(plain).join("\n");
}

/** The screens with the keys that lead there from the timeline. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  timeline: ["g"],
  run: ["g", "enter"],
  "run-input": ["g", "enter", "I"],
  "run-reasoning": ["g", "enter", "R"],
  "run-final": ["g", "enter", "O"],
  "run-agents": ["g", "enter", "T"],
  memory: ["m"],
  help: ["?"],
};

for (const [name, keys] of Object.entries(SCREENS)) {
  for (const [label, [columns, rows]] of Object.entries(SIZES)) {
    Deno.test(`the ${name} screen at ${label} is as it was looked at`, () => {
      const state = press(opened(sessionModel(), { columns, rows }), ...keys);
      assertScreen(`${name}-${label}`, renderApp(state, state.size).map(plain));
    });
  }
}

function assertFits(lines: readonly Line[], { columns, rows }: Size, what: string): void {
  assert.equal(lines.length, rows, `${what}: rows`);
  for (const line of lines) {
    assert.ok(displayWidth(plain(line)) <= columns, `${what} in ${columns}: ${plain(line)}`);
  }
}

Deno.test("every screen fills the terminal exactly, at any size and after a resize", () => {
  const sizes = [[120, 40], [80, 24], [40, 10], [20, 5], [13, 4], [5, 1], [1, 1], [
    200,
    3,
  ]] as const;
  for (const [name, keys] of Object.entries(SCREENS)) {
    let state = press(opened(), ...keys);
    for (const [columns, rows] of [...sizes, ...sizes.toReversed()]) {
      state = resized(state, { columns, rows });
      assertFits(renderApp(state, state.size), state.size, name);
      for (const key of ["j", "pagedown", "G", "k", "pageup", "g"]) {
        state = press(state, key);
        assertFits(renderApp(state, state.size), state.size, `${name} after ${key}`);
      }
      state = press(state, ...(screenOf(state) === "help" || name !== "help" ? [] : ["?"]));
    }
  }
});

Deno.test("wide characters at the edge are cut, never torn or reprinted", () => {
  const wide = "漢".repeat(500);
  const step = stepModel(1, 0, { output: wide, code: `"${wide}"` });
  const transcript = transcriptModel([agentModel("0", [step], { final: wide })]);
  const model = sessionModel({ queries: [queryModel(1, { query: wide, transcript })] });
  for (const columns of [80, 81, 41, 7]) {
    const size = { columns, rows: 24 };
    for (const keys of [[], ["enter"], ["enter", "O"], ["enter", "I"]]) {
      assertFits(renderApp(press(opened(model, size), ...keys), size), size, keys.join());
    }
  }
  const lines = renderApp(press(opened(model), "enter", "O"), SMALL).map(plain);
  const total = lines.join("").match(/漢/g)?.length ?? 0;
  assert.equal(total >= 500, true, "all of the answer is on the screen");
  assert.equal(lines.slice(3, -1).join("").match(/漢/g)?.length, 500, "and only once");
});

Deno.test("text of the log cannot act on the terminal on any screen", () => {
  const step = stepModel(1, 0, {
    code: HOSTILE,
    output: HOSTILE,
    reasoning: HOSTILE,
    notes: [{ kind: "warning", text: HOSTILE, time: 0 }],
  });
  const agent = agentModel("0", [step], {
    model: HOSTILE,
    task: HOSTILE,
    probe: HOSTILE,
    context: HOSTILE,
    error: HOSTILE,
    final: HOSTILE,
    path: HOSTILE,
  });
  const transcript = transcriptModel([agent], { prompt: HOSTILE });
  const items = (kind: "variable" | "function" | "dropped" | "failed") => [
    memoryItem(HOSTILE, {
      kind,
      type: HOSTILE,
      detail: HOSTILE,
      comment: HOSTILE,
      note: HOSTILE,
      loss: [HOSTILE],
    }),
  ];
  const model = sessionModel({
    path: HOSTILE,
    queries: [
      queryModel(1, { query: HOSTILE, final: HOSTILE, error: HOSTILE, transcript }),
      queryModel(2, { query: HOSTILE, final: HOSTILE, error: HOSTILE, missing: HOSTILE }),
    ],
    memory: {
      variables: items("variable"),
      functions: items("function"),
      dropped: items("dropped"),
      failed: items("failed"),
    },
  });
  const walks = [
    ...Object.values(SCREENS),
    ["G", "enter"],
    ["m", "j"],
    ["m", "j", "j"],
    ["m", "G"],
    ["m", "/", "a", "\x1b", "enter"],
  ];
  for (const keys of walks) {
    const state = press(opened(model, { columns: 120, rows: 40 }), ...keys);
    for (const line of renderApp(state, state.size)) {
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(plain(line), /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }
  }
});

Deno.test("[ and ] move between queries, in the timeline and in a run, and stop at the ends", () => {
  let state = opened();
  assert.equal(state.query, 2, "the newest query is selected");
  state = press(state, "[", "[", "[");
  assert.equal(state.query, 0);
  assert.match(textOf(state), /this is the first query/);
  state = press(state, "enter", "]");
  assert.match(textOf(state), /query 2 of 3/);
  state = press(state, "]", "]");
  assert.match(textOf(state), /query 3 of 3[\s\S]*this is the last query/);
});

Deno.test("Escape goes back one step at a time: view, screen, and never off the first", () => {
  let state = press(opened(), "g", "enter", "R", "m", "?");
  const seen: string[] = [];
  for (let i = 0; i < 6; i++) {
    seen.push(`${screenOf(state)}/${state.run.view}`);
    state = press(state, "escape");
  }
  assert.deepEqual(seen, [
    "help/reasoning",
    "memory/reasoning",
    "run/reasoning",
    "run/steps",
    "timeline/steps",
    "timeline/steps",
  ]);
  assert.match(textOf(state), /q quits/);
  assert.equal(state.done, false);
});

Deno.test("q quits from every screen, but is a letter in a filter", () => {
  for (const keys of Object.values(SCREENS)) {
    assert.equal(press(opened(), ...keys, "q").done, true);
  }
  const typing = press(opened(), "m", "/", "q");
  assert.equal(typing.done, false);
  assert.equal(typing.memory.filter, "q");
  assert.equal(press(typing, "ctrl-c").done, true);
});

Deno.test("left and right go to parent and child, Tab to siblings, and say where there is none", () => {
  const at = (state: AppState): string | undefined => /agent (\S+)/.exec(textOf(state))?.[1];
  let state = press(opened(), "g", "enter");
  assert.equal(at(state), "0");
  state = press(state, "left");
  assert.match(textOf(state), /this is the root agent/);
  state = press(state, "right");
  assert.equal(at(state), "0.0");
  state = press(state, "tab");
  assert.equal(at(state), "0.1");
  assert.equal(at(press(state, "tab")), "0.0");
  assert.equal(at(press(state, "shift-tab")), "0.0");
  assert.match(textOf(press(state, "right")), /this agent has no sub-agent/);
  assert.equal(at(press(state, "left")), "0");
  assert.equal(at(press(state, "tab", "right")), "0.0.0");
});

Deno.test("right opens a sub-agent of the step that is on the screen", () => {
  const late = agentModel("0.1", [stepModel(1, 60)]);
  const early = agentModel("0.0", [stepModel(1, 0)]);
  const root = agentModel("0", [
    stepModel(1, 0, { children: ["run-0.0"], output: "line\n".repeat(60) }),
    stepModel(2, 50, { children: ["run-0.1"], output: "line\n".repeat(60) }),
  ], { children: [early, late] });
  const model = sessionModel({
    queries: [queryModel(1, { transcript: transcriptModel([root, early, late]) })],
  });
  assert.match(textOf(press(opened(model), "enter", "right")), /agent 0\.0/);
  assert.match(textOf(press(opened(model), "enter", "G", "right")), /agent 0\.1/);
});

Deno.test("each agent and view keeps its place while others are looked at", () => {
  const before = press(opened(), "g", "enter", "j", "j");
  const after = press(before, "right", "j", "R", "R", "left");
  assert.equal(textOf(after), textOf(before));
});

Deno.test("scrolling stops at the last row and comes back by as many rows", () => {
  const size = { columns: 40, rows: 10 };
  const end = press(opened(sessionModel(), size), "g", "enter", "G");
  assert.match(textOf(end), /FINAL/);
  assert.equal(textOf(press(end, "j")), textOf(end));
  assert.notEqual(textOf(press(end, "k")), textOf(end));
});

Deno.test("a transcript opens at its run and has no memory", () => {
  const transcript = treeTranscript();
  const queries = [queryModel(1, { transcript })];
  const state = opened({ ...sessionModel({ queries, kind: "transcript" }), memory: undefined });
  assert.equal(screenOf(state), "run");
  assert.match(textOf(press(state, "m")), /only a session has a memory/);
});

Deno.test("a query without a transcript shows what the ledger holds, and why there is no more", () => {
  const text = textOf(press(opened(), "k", "enter"));
  assert.match(text, /transcript: not linked/);
  assert.match(text, /漢字の質問/);
  assert.match(text, /\{"ok":true,"hits":\[1,2\]\}/);
});

Deno.test("a session without queries opens, and says so", () => {
  const state = opened(sessionModel({ queries: [] }));
  assert.match(textOf(state), /no queries yet/);
  assert.match(textOf(press(state, "enter")), /no query to open/);
  assert.match(textOf(press(state, "]")), /this is the last query/);
});

Deno.test("the filter of the memory narrows the list by name, type, comment and note", () => {
  const names = (...keys: string[]): string[] => {
    const text = textOf(press(opened(), "m", "/", ...keys));
    return ["guests", "scratch", "parse", "pending", "old"].filter((name) =>
      new RegExp(`^ . ${name} `, "m").test(text)
    );
  };
  assert.deepEqual(names(), ["guests", "scratch", "parse", "pending", "old"]);
  assert.deepEqual(names("P", "R"), ["pending"], "Promise, whatever the case");
  assert.deepEqual(names(..."hand"), ["guests"]);
  assert.deepEqual(names(..."handx", "backspace"), ["guests"]);
  assert.deepEqual(names(..."zzz"), []);
  assert.match(textOf(press(opened(), "m", "/", ..."zzz")), /no name matches/);
  assert.deepEqual(names(..."zzz", "escape").length, 5);
  assert.match(textOf(press(opened(), "m", "/", "o", "l", "d", "enter")), /filter: old/);
});

Deno.test("J and K scroll the detail of the memory, and another name starts at its top", () => {
  const detail = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
  const memory = {
    variables: [memoryItem("long", { detail }), memoryItem("next")],
    functions: [],
    dropped: [],
    failed: [],
  };
  const state = press(opened(sessionModel({ memory })), "m");
  assert.match(textOf(state), /line 0\b/);
  const down = press(state, ..."JJJJJ");
  assert.doesNotMatch(textOf(down), /line 0\b/);
  assert.equal(textOf(press(down, ..."KKKKKKKK")), textOf(state));
  assert.match(textOf(press(down, "j")), /value of next/);
  assert.match(textOf(press(state, ..."J".repeat(300))), /line 99/);
});

Deno.test("committed names come first, with a star", () => {
  const rows = textOf(press(opened(), "m")).split("\n");
  assert.match(rows[3] ?? "", /^ ★ guests/);
  assert.match(rows[4] ?? "", /^ {3}scratch/);
});

Deno.test("bars grow from nothing to the whole, and any key ends the opening", () => {
  const blocks = (state: AppState): number => textOf(state).match(/[█▏▎▍▌▋▊▉]/g)?.length ?? 0;
  const at = (grown: number): number => blocks({ ...opened(), grown });
  assert.ok(at(0) <= at(0.3) && at(0.3) < at(0.7) && at(0.7) < at(1));
  assert.equal(blocks(press({ ...opened(), grown: 0 }, "x")), at(1));
});

Deno.test("a followed log keeps the place of its reader, and the newest query if that was shown", () => {
  const model = sessionModel();
  const queries = [...model.queries, queryModel(4, { status: "running" })];
  const next = { ...model, queries };
  assert.equal(refreshed(opened(model), next).query, 3);
  const inRun = press(opened(model), "g", "enter", "right", "tab");
  const after = refreshed(inRun, next);
  assert.equal(after.query, 0);
  assert.match(textOf(after), /agent 0\.1/);
});

Deno.test("at the end of a followed run the new steps scroll in; further up the text stands still", () => {
  const run = (steps: number): LogModel => {
    const all = Array.from({ length: steps }, (_, i) => stepModel(i + 1, i * 4));
    const agent = agentModel("0", all, { status: "running" });
    const { final: _, ...running } = agent;
    return sessionModel({
      queries: [queryModel(1, { status: "running", transcript: transcriptModel([running]) })],
    });
  };
  const end = press(opened(run(20)), "enter", "G");
  assert.match(textOf(refreshed(end, run(21))), /output of step 21/);
  const top = press(opened(run(20)), "enter");
  assert.equal(textOf(refreshed(top, run(21))).includes("output of step 1\n"), true);
  assert.match(textOf(press(refreshed(end, run(21)), "k", "k", "k")), /step 20/);
});

Deno.test("without colour only the selection is marked", () => {
  for (const line of renderApp(opened(), SMALL)) {
    // deno-lint-ignore no-control-regex -- our own sequences are what is looked for
    assert.doesNotMatch(paint(line, false), /\x1b\[(?!7m|0m)/);
  }
});

Deno.test("transcripts of the Python engine open with the counts of their lines", async () => {
  const readManifest = (): never => {
    throw new Error("no session");
  };
  const tell = (message: string): void =>
    void Deno.stderr.writeSync(encoder.encode(`${message}\n`));
  const encoder = new TextEncoder();
  for (const file of sharedLogs(tell)) {
    const expected = plainCount(file);
    const state = opened(await openLog(file, { readManifest }), { columns: 160, rows: 40 });
    const [title = ""] = textOf(state).split("\n");
    const wanted = [
      plural(expected.runs, "agent"),
      plural(expected.steps, "step"),
      `${formatCount(expected.tokens)} tokens`,
      formatMoney(expected.cost),
    ].join(" · ");
    assert.ok(title.includes(wanted), `${wanted}\n${title}`);
    for (const keys of ["G", "T", "O", "I", "R"]) {
      assertFits(renderApp(press(state, keys), state.size), state.size, keys);
    }
    assert.equal(
      treeRows(state.model.queries[0]?.transcript ?? assert.fail()).length,
      expected.runs,
    );
  }
});

Deno.test("what a step printed is shown without the frame it has in the prompt, errors apart", () => {
  const output = `Output:\n${fenced("12 rows")}\nError:\n${
    fenced("TypeError: no rows")
  }\nNote: slow`;
  const agent = agentModel("0", [stepModel(1, 0, { output, hasError: true })]);
  const queries = [queryModel(1, { transcript: transcriptModel([agent]) })];
  const state = press(opened(sessionModel({ queries })), "enter");
  const lines = renderApp(state, SMALL);
  assert.doesNotMatch(lines.map(plain).join("\n"), /```|Output:|Error:\n/);
  const bars = lines.filter((line) => line[0]?.text.includes("▏"));
  assert.deepEqual(bars.map((line) => [line[0]?.style, line[1]?.text]), [
    ["accent", "12 rows"],
    ["bad", "TypeError: no rows"],
  ]);
  assert.match(textOf(state), /◦ Note: slow/);
});

Deno.test("the end of an agent of 5,000 steps is reached at once", () => {
  const output = `漢字 ${"a row of data ".repeat(100)}`;
  const steps = Array.from({ length: 5000 }, (_, i) => stepModel(i + 1, i, { output }));
  const queries = [queryModel(1, { transcript: transcriptModel([agentModel("0", steps)]) })];
  const state = press(opened(sessionModel({ queries })), "enter");
  const started = performance.now();
  assert.match(textOf(press(state, "G")), /FINAL[^]*110002\/110002/);
  const took = performance.now() - started;
  assert.ok(took < 2500, `${took} ms`);
});

Deno.test("siblings stand in the order they were asked for, also when they began in another", () => {
  const children = [10, 2, 1, 0].map((i) => agentModel(`0.${i}`, [stepModel(1, i)]));
  const root = agentModel("0", [stepModel(1, 0, { children: children.map((c) => c.runId) })], {
    children,
  });
  const transcript = transcriptModel([root, ...children]);
  assert.deepEqual(treeRows(transcript).map(({ agent }) => agent.path), [
    "0",
    "0.0",
    "0.1",
    "0.2",
    "0.10",
  ]);
  const state = opened(sessionModel({ queries: [queryModel(1, { transcript })] }));
  assert.match(textOf(press(state, "enter")), /✓ 0\.0 +✓ 0\.1 +✓ 0\.2 +✓ 0\.10/);
});
