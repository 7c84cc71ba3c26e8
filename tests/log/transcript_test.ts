import assert from "node:assert/strict";
import { EntryEncoder } from "../../log/encode.ts";
import { type Entry, parseEntry } from "../../log/entry.ts";
import type { AgentModel, Detail, TranscriptModel } from "../../log/model.ts";
import { TranscriptBuilder } from "../../log/transcript.ts";
import { sampleEvents, type SampleOptions } from "../support/sample_transcript.ts";

const none = { count: 0, lines: [] };

function build(entries: Iterable<Entry>, detail: Detail = "full"): TranscriptModel {
  const builder = new TranscriptBuilder(detail);
  for (const entry of entries) builder.add(entry);
  return builder.build("x.jsonl", none, 0);
}

function* sampleEntries(options: SampleOptions): Generator<Entry> {
  const encoder = new EntryEncoder();
  for (const event of sampleEvents(options)) {
    const entry = encoder.encode(event);
    if (entry !== undefined) yield entry;
  }
}

const python = (fields: Record<string, unknown>): Entry => {
  const entry = parseEntry({ level: 30, time: "2026-02-15T22:22:02.943Z", ...fields });
  if (entry === undefined) throw new Error("no entry");
  return entry;
};

Deno.test("a step is its reply and its evaluation, with usage once", () => {
  const model = build(sampleEntries({ steps: 3, subAgents: 0 }));
  const [root] = model.roots;
  assert.equal(model.steps, 3);
  assert.deepEqual(root?.steps.map((step) => step.step), [1, 2, 3]);
  const [first] = root?.steps ?? [];
  assert.match(first?.code ?? "", /^\/\/ what step 1 found/);
  assert.match(first?.output ?? "", /row data/);
  assert.equal(first?.tally.calls, 1);
  assert.equal(first?.text, "Let me look at the rows.");
  assert.deepEqual(first?.notes.map((note) => note.kind), ["sweep"]);
  assert.ok((first?.codeEnd ?? 0) > (first?.modelEnd ?? 0));
  assert.equal(root?.errorCount, root?.steps.filter((step) => step.hasError).length);
});

Deno.test("sub-agents hang under their parent and in the step that started them", () => {
  const model = build(sampleEntries({ steps: 4, subAgents: 3 }));
  const [root] = model.roots;
  assert.equal(model.roots.length, 1);
  assert.deepEqual(root?.children.map((child) => child.path), ["0.0", "0.1", "0.2"]);
  assert.deepEqual(root?.steps.map((step) => step.children.length), [0, 3, 0, 0]);
  assert.equal(model.depth, 1);
  assert.equal(model.runs, 4);
  assert.deepEqual(root?.children[1]?.final, ["tool 1", "tool 2"]);
});

Deno.test("a sweep that ends after the next reply belongs to the step that it names", () => {
  const entries = [...sampleEntries({ steps: 3, subAgents: 0 })];
  const sweep = entries.findIndex((entry) => entry.event_type === "sweep");
  const reply = entries.findIndex((entry) => entry.step === 2);
  const [late] = entries.splice(sweep, 1);
  if (late !== undefined) entries.splice(reply, 0, late);
  const [root] = build(entries).roots;
  assert.deepEqual(root?.steps.map((step) => step.notes.length), [1, 1, 1]);
  assert.deepEqual(root?.notes.map((note) => note.kind), ["session"]);
});

Deno.test("the root's task is the prompt, which the log holds once", () => {
  const model = build(sampleEntries({ prompt: "Who talks about the lighthouse keeper?" }));
  assert.equal(model.roots[0]?.task, "Who talks about the lighthouse keeper?");
  assert.equal(model.prompt, "Who talks about the lighthouse keeper?");
});

Deno.test("counts hold no texts and give the same figures", () => {
  const full = build(sampleEntries({ steps: 7, subAgents: 4, gaps: true }));
  const counts = build(sampleEntries({ steps: 7, subAgents: 4, gaps: true }), "counts");
  const bare = (agent: AgentModel): AgentModel => ({
    ...agent,
    steps: [],
    notes: [],
    children: agent.children.map(bare),
  });
  assert.deepEqual(counts, {
    ...full,
    detail: "counts",
    roots: full.roots.map(bare),
    agents: full.agents.map(bare),
  });
});

Deno.test("a run without its end is running, and so is its agent", () => {
  const model = build(sampleEntries({ killed: true, subAgents: 1 }));
  assert.equal(model.status, "running");
  assert.equal(model.ended, undefined);
  assert.equal(model.roots[0]?.status, "running");
  assert.equal(model.roots[0]?.children[0]?.status, "answered");
});

Deno.test("in a Python log each step is one entry of either kind", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cost: 0.001 };
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 };
  const model = build([
    python({
      run_id: "a",
      depth: 0,
      step: 0,
      event_type: "execution_result",
      output: "probe",
      usage: zero,
    }),
    python({
      run_id: "b",
      parent_run_id: "a",
      depth: 1,
      step: 0,
      event_type: "execution_result",
      usage: zero,
    }),
    python({
      run_id: "b",
      parent_run_id: "a",
      depth: 1,
      step: 1,
      event_type: "code_generated",
      code: "FINAL(1)",
      usage,
    }),
    python({ run_id: "b", depth: 1, event_type: "final_result", result: 0 }),
    python({
      run_id: "a",
      depth: 0,
      step: 1,
      event_type: "execution_result",
      code: "x",
      output: "y",
      hasError: true,
      usage,
    }),
    python({ run_id: "a", depth: 0, step: 2, event_type: "code_generated", code: "", usage }),
    python({
      run_id: "a",
      depth: 0,
      step: 3,
      event_type: "code_generated",
      code: "FINAL(2)",
      usage,
    }),
    python({ run_id: "a", depth: 0, event_type: "final_result", result: "two" }),
  ]);
  assert.equal(model.format, undefined);
  assert.deepEqual([model.runs, model.steps, model.probes, model.depth], [2, 4, 2, 1]);
  assert.equal(model.tally.total.value, 48);
  assert.equal(model.tally.calls, 4);
  assert.equal(model.tally.cost.value, 0.004);
  assert.equal(model.status, "answered");
  assert.equal(model.final, "two");
  const [root] = model.roots;
  assert.deepEqual(root?.steps.map((step) => step.step), [0, 1, 2, 3]);
  assert.deepEqual(root?.steps[1]?.children, ["b"]);
  assert.equal(root?.children[0]?.final, 0);
  assert.equal(root?.children[0]?.path, "0.0");
});

Deno.test("a Python step without usage is a call of unknown cost", () => {
  const model = build([
    python({ run_id: "a", depth: 0, step: 1, event_type: "execution_result", output: "y" }),
    python({
      run_id: "a",
      depth: 0,
      step: 2,
      event_type: "execution_result",
      output: "y",
      usage: { total_tokens: 5, cost: null },
    }),
  ]);
  assert.equal(model.tally.calls, 2);
  assert.deepEqual(model.tally.total, { value: 5, partial: true });
  assert.deepEqual(model.tally.cost, { value: undefined, partial: false });
});

Deno.test("parents that are missing or in a ring lose no agent", () => {
  const step = (run_id: string, parent_run_id: string) =>
    python({ run_id, parent_run_id, depth: 1, step: 1, event_type: "code_generated", code: "" });
  const model = build([step("a", "gone"), step("b", "c"), step("c", "b"), step("d", "d")]);
  assert.deepEqual(model.roots.map((agent) => agent.runId), ["a", "b", "c", "d"]);
  assert.ok(model.agents.every((agent) => agent.children.length === 0));
});

Deno.test("agents beyond 10,000 leave their count, each once", () => {
  for (const isPython of [true, false]) {
    const builder = new TranscriptBuilder("counts");
    for (let index = 0; index < 10_500; index++) {
      const run_id = `r${index}`;
      const usage = { total_tokens: 1 };
      const add = (event_type: string, fields: Record<string, unknown> = {}) =>
        builder.add(python({ run_id, depth: 0, event_type, ...fields }));
      if (!isPython) add("agent_start", { format: 1 });
      add("code_generated", { step: 1, usage });
      add("final_result", { result: 1 });
      if (!isPython) add("agent_end", { status: "answered" });
      if (!isPython) add("run_end", { status: "answered" });
    }
    const model = builder.build("x", none, 0);
    assert.equal(model.runs, 10_500);
    assert.equal(model.steps, 10_500);
    assert.equal(model.tally.total.value, 10_500);
    assert.equal(model.agents.length, 10_000);
  }
});
