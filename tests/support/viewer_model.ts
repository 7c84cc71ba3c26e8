/** A session as the viewer is given it, the same every time: three queries, a tree of agents, memory. */
import { noUsage, type Usage } from "../../lib/model/usage.ts";
import type {
  AgentModel,
  LogModel,
  MemoryItem,
  QueryModel,
  StepModel,
  TranscriptModel,
} from "../../log/model.ts";
import { totalsOf } from "../../log/queries.ts";
import { tallyOf } from "../../log/tally.ts";
import { usageOf } from "./progress_events.ts";

/** When the session begins. */
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Text that acts on a terminal which shows it raw. */
export const HOSTILE = "a\x1b]52;c;eA==\x07b\x1b[2Jc\x9b31md\u202ee\rf";

/** A step of `seconds` of thinking and as many of running; nothing else unless given. */
export function stepModel(step: number, from: number, change: Partial<StepModel> = {}): StepModel {
  return {
    step,
    code: `const n${step} = ${step};`,
    output: `output of step ${step}`,
    hasError: false,
    reasoning: undefined,
    text: undefined,
    finish: "stop",
    tally: tallyOf(usageOf(1000, 200, 0.001)),
    time: START + from * 1000 + 2000,
    modelStart: START + from * 1000,
    modelEnd: START + from * 1000 + 2000,
    codeStart: START + from * 1000 + 2000,
    codeEnd: START + from * 1000 + 3000,
    children: [],
    notes: [],
    cut: undefined,
    ...change,
  };
}

/** An answered agent with these steps. */
export function agentModel(
  path: string,
  steps: readonly StepModel[],
  change: Partial<AgentModel> = {},
): AgentModel {
  const parent = path.split(".").slice(0, -1).join(".");
  const usage: Usage = { ...usageOf(1000 * steps.length, 200 * steps.length, 0.001), calls: 1 };
  return {
    runId: `run-${path}`,
    parentRunId: parent === "" ? undefined : `run-${parent}`,
    path,
    depth: path.split(".").length - 1,
    model: parent === "" ? "vendor/large" : "vendor/small",
    task: `task of ${path}`,
    context: "string(1,204)",
    probe: `probe of ${path}`,
    status: "answered",
    error: undefined,
    started: steps[0]?.modelStart,
    ended: steps.at(-1)?.codeEnd,
    stepCount: steps.length,
    errorCount: steps.filter((step) => step.hasError).length,
    tally: tallyOf(steps.length === 0 ? noUsage : usage),
    steps,
    notes: [],
    children: [],
    final: `answer of ${path}`,
    ...change,
  };
}

/** A transcript of these agents, the first of which is the root. */
export function transcriptModel(
  agents: readonly [AgentModel, ...AgentModel[]],
  change: Partial<TranscriptModel> = {},
): TranscriptModel {
  const [root] = agents;
  return {
    path: "demo/logs/run.jsonl",
    format: 1,
    engine: "0.1.0",
    prompt: "how many guests are there?",
    query: 1,
    config: {},
    status: "answered",
    error: undefined,
    started: root.started,
    ended: root.ended,
    entries: 12,
    bytes: 4000,
    events: {},
    skipped: { count: 0, lines: [] },
    runs: agents.length,
    depth: 2,
    steps: 5,
    probes: 0,
    tally: tallyOf(usageOf(9000, 1500, 0.0123)),
    roots: [root],
    agents,
    final: root.final,
    detail: "full",
    ...change,
  };
}

/** A query with a transcript. */
export function queryModel(number: number, change: Partial<QueryModel> = {}): QueryModel {
  return {
    number,
    query: `question ${number}`,
    status: "answered",
    final: `answer ${number}`,
    error: undefined,
    started: START + number * 3_600_000,
    ended: START + number * 3_600_000 + 12_300,
    steps: 2,
    tally: tallyOf(usageOf(4000 * number, 100, 0.01 * number)),
    transcript: undefined,
    missing: "not linked",
    ...change,
  };
}

/** A name of the memory. */
export function memoryItem(name: string, change: Partial<MemoryItem> = {}): MemoryItem {
  return {
    name,
    kind: "variable",
    type: "Array(40)",
    committed: false,
    detail: `[value of ${name}]`,
    comment: undefined,
    note: undefined,
    bytes: 1536,
    query: 1,
    step: 2,
    loss: [],
    ...change,
  };
}

/** The root waits for two sub-agents, the first of which has one of its own. */
export function treeTranscript(): TranscriptModel {
  const leaf = agentModel("0.0.0", [stepModel(1, 5)]);
  const first = agentModel("0.0", [stepModel(1, 4), stepModel(2, 8)], { children: [leaf] });
  const second = agentModel("0.1", [
    stepModel(1, 4, { hasError: true, output: "TypeError: rows is not iterable\n  at 1:7" }),
  ], { status: "failed", error: "no answer after 1 step" });
  const root = agentModel("0", [
    stepModel(1, 0, {
      code: 'const rows = context.split("\\n"); // 漢字の行\nprint(rows.length);',
      output: "1204\n漢字かな交じり文 🦕 wide",
      reasoning: "First I look at\nthe rows.",
      notes: [{ kind: "sweep", text: "2 saved, 0 dropped (3ms)", time: START }],
    }),
    stepModel(2, 3, {
      code: "const found = await batch_llm_query(parts);",
      output: "done",
      children: ["run-0.0", "run-0.1"],
      codeEnd: START + 12_000,
    }),
    stepModel(3, 12, { code: 'FINAL("12 guests")', output: "" }),
  ], { children: [first, second], final: "12 guests" });
  return transcriptModel([root, first, leaf, second]);
}

/** The session. */
export function sessionModel(change: Partial<LogModel> = {}): LogModel {
  const queries = [
    queryModel(1, {
      query: "how many guests are there?",
      final: "12 guests",
      steps: 3,
      transcript: treeTranscript(),
      missing: undefined,
    }),
    queryModel(2, { query: "漢字の質問は何ですか 🦕 and more", final: { ok: true, hits: [1, 2] } }),
    queryModel(3, { query: "a question that failed", status: "failed", error: "model is down" }),
  ];
  return {
    kind: "session",
    path: "demo",
    format: 1,
    engine: "0.1.0",
    queries,
    memory: {
      variables: [
        memoryItem("guests", {
          type: "Map(12)",
          committed: true,
          note: "checked by hand",
          comment: "guest to episodes",
          detail: 'Map(12) { "漢字" => [3, 9] }',
          loss: ["guests.h: a host function is not saved"],
        }),
        memoryItem("scratch", { type: "number", bytes: 2, detail: "42" }),
      ],
      functions: [
        memoryItem("parse", {
          kind: "function",
          type: "function",
          detail: "function parse(text) {\n  return text.trim();\n}",
        }),
      ],
      dropped: [
        memoryItem("pending", { kind: "dropped", type: "Promise", detail: "a promise" }),
      ],
      failed: [memoryItem("old", { kind: "failed", type: "Doc", detail: "class Doc is gone" })],
    },
    totals: totalsOf(queries),
    ...change,
  };
}
