import { byPath } from "../by_path.ts";
import { finalText, formatCount, formatDuration, plural } from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { AgentModel, QueryModel, StepModel, StepNote, TranscriptModel } from "../model.ts";
import { wrap } from "../width.ts";
import type { RunView } from "./app_state.ts";
import { highlight } from "./highlight.ts";
import { rule } from "./layout.ts";
import { type Line, span, type Style, wrapSpans } from "./line.ts";
import { amountText, compact, compactMoney } from "./numbers.ts";
import { statusMark } from "./status.ts";
import { outputParts } from "../step_output.ts";

/** A view of an agent that is read as one long text. */
export type TextView = Exclude<RunView, "gantt">;

/** Some rows of a text; `step` where they begin one. */
interface Block {
  readonly lines: readonly Line[];
  readonly step?: StepModel;
}

/** Rows laid out beyond the screen, so that the length of a usual text is known. */
const AHEAD = 1000;

/**
 * A text that is laid out as far down as it is read: of an agent with thousands of steps the first
 * screen is there at once.
 */
export class RunDocument {
  readonly #blocks: Iterator<Block>;
  readonly #lines: Line[] = [];
  readonly #starts: { readonly row: number; readonly step: StepModel }[] = [];
  #complete = false;

  constructor(blocks: Iterable<Block>) {
    this.#blocks = blocks[Symbol.iterator]();
  }

  /** Lays out at least this many rows; fewer where the text ends. Returns how many there are. */
  reach(rows: number): number {
    while (!this.#complete && this.#lines.length < rows) {
      const next = this.#blocks.next();
      if (next.done === true) {
        this.#complete = true;
        break;
      }
      const { lines, step } = next.value;
      if (step !== undefined) this.#starts.push({ row: this.#lines.length, step });
      for (const line of lines) this.#lines.push(line);
    }
    return this.#lines.length;
  }

  /** Whether all rows are laid out. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Rows from `top` on. */
  slice(top: number, rows: number): readonly Line[] {
    this.reach(top + rows + AHEAD);
    return this.#lines.slice(top, top + rows);
  }

  /** The row a page of `height` rows can begin at, at or near `wanted`. */
  clampTop(wanted: number, height: number): number {
    const rows = this.reach(wanted + height + 1);
    return Math.max(0, Math.min(wanted, rows - height));
  }

  /** The steps that rows from `top` to `bottom` show a part of. */
  stepsWithin(top: number, bottom: number): StepModel[] {
    this.reach(bottom);
    return this.#starts.filter(({ row }, i) =>
      row < bottom && (this.#starts[i + 1]?.row ?? Infinity) > top
    ).map(({ step }) => step);
  }
}

const cache = new WeakMap<AgentModel, Map<string, RunDocument>>();

/** One view of an agent in lines of at most `cells` cells. */
export function runDocument(
  agent: AgentModel,
  view: TextView,
  cells: number,
  query: QueryModel,
  transcript: TranscriptModel,
): RunDocument {
  const known = cache.get(agent) ?? new Map<string, RunDocument>();
  cache.set(agent, known);
  const key = `${view}:${cells}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  // A resize makes every earlier width useless.
  if (known.size > 8) known.clear();
  const made = new RunDocument(blocksOf(agent, view, Math.max(4, cells), query, transcript));
  known.set(key, made);
  return made;
}

function blocksOf(
  agent: AgentModel,
  view: TextView,
  cells: number,
  query: QueryModel,
  transcript: TranscriptModel,
): Iterable<Block> {
  switch (view) {
    case "steps":
      return stepBlocks(agent, cells, transcript);
    case "input":
      return [{ lines: inputLines(agent, cells, query, transcript) }];
    case "reasoning":
      return reasoningBlocks(agent, cells);
    case "final":
      return [{ lines: finalLines(agent, cells) }];
  }
}

function* stepBlocks(
  agent: AgentModel,
  cells: number,
  transcript: TranscriptModel,
): Generator<Block> {
  const byId = new Map(agent.children.map((child) => [child.runId, child]));
  const gap: Block = { lines: [[]] };
  let before = agent.notes.length > 0;
  if (before) yield { lines: agent.notes.map((note) => noteLine(note)) };
  if (agent.steps.length === 0) {
    if (before) yield gap;
    before = true;
    yield { lines: [[span(noSteps(agent, transcript), "dim")]] };
  }
  for (const step of agent.steps) {
    if (before) yield gap;
    before = true;
    yield { lines: stepLines(step, byId, cells), step };
  }
  if ("final" in agent) {
    yield { lines: [[], ...titled("FINAL", "good", finalText(agent.final), cells, 60)] };
  }
  if (agent.error !== undefined) {
    yield { lines: [[], ...titled("error", "bad", agent.error, cells, 40)] };
  }
}

function noSteps(agent: AgentModel, transcript: TranscriptModel): string {
  if (agent.stepCount === 0) return "no step yet";
  return transcript.detail === "counts"
    ? `${plural(agent.stepCount, "step")}, not read: the transcript is too large`
    : "no step in the log";
}

function stepLines(
  step: StepModel,
  children: ReadonlyMap<string, AgentModel>,
  cells: number,
): Line[] {
  const title: Line = [
    span(step.step === 0 ? "probe" : `step ${step.step}`, "strong"),
    ...(step.hasError ? [span(" ✗ error", "bad")] : []),
  ];
  const lines: Line[] = [rule(title, cells, [span(factsOf(step), "dim")])];
  if (step.text !== undefined && step.text.trim() !== "") {
    for (const line of wrap(inert(trim(step.text)), Math.max(1, cells - 2))) {
      lines.push([span(`  ${line}`, "dim")]);
    }
  }
  const code = step.code === ""
    ? step.step === 0 ? [] : [[span("no code in the reply", "dim")]]
    : highlight(trim(step.code));
  for (const line of code) lines.push(...indented(line, "  ", "dim", cells));
  const agents = step.children.flatMap((id) => children.get(id) ?? []).sort(byPath);
  if (agents.length > 0) lines.push(...childLines(agents, cells));
  // A sweep comes after the step.
  const isLate = ({ kind }: StepNote): boolean => kind === "sweep";
  for (const note of step.notes) if (!isLate(note)) lines.push(noteLine(note));
  if (step.output !== undefined) lines.push(...outputLines(step.output, step.hasError, cells));
  for (const note of step.notes) if (isLate(note)) lines.push(noteLine(note));
  for (const [field, length] of Object.entries(step.cut ?? {})) {
    lines.push([
      span(
        `  … ${inertLine(field)} was cut in the log from ${formatCount(length)} characters`,
        "dim",
      ),
    ]);
  }
  return lines;
}

/** What came out of a step: printed text behind a bar, an error behind a red one, remarks below. */
function outputLines(output: string, hasError: boolean, cells: number): Line[] {
  const parts = outputParts(output);
  // A log without frames tells only that the step failed.
  const framed = parts.some((part) => part.kind === "error");
  return parts.flatMap(({ kind, text }) => {
    if (text.trim() === "") return [];
    if (kind === "note") {
      return wrap(inert(trim(text)), Math.max(1, cells - 4))
        .map((line): Line => [span(`  ◦ ${line}`, "dim")]);
    }
    const isError = kind === "error" || (hasError && !framed);
    const style: Style = kind === "value" ? "number" : "plain";
    return bordered(text, isError ? "bad" : "accent", cells, style);
  });
}

const between = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.max(0, to - from);

function factsOf(step: StepModel): string {
  const thought = between(step.modelStart, step.modelEnd);
  const ran = between(step.codeStart, step.codeEnd);
  const { total, cost, calls } = step.tally;
  return [
    ...(thought === undefined ? [] : [`thought ${formatDuration(thought)}`]),
    ...(ran === undefined ? [] : [`ran ${formatDuration(ran)}`]),
    ...(calls === 0 && !total.value ? [] : [`${amountText(total, compact)} tokens`]),
    ...(!cost.value ? [] : [amountText(cost, compactMoney)]),
  ].join(" · ");
}

/** Sub-agents that began in a step, as many as one row holds. */
function childLines(agents: readonly AgentModel[], cells: number): Line[] {
  const shown = agents.slice(0, 200);
  const line: Line = [
    span(`  ↳ ${plural(agents.length, "sub-agent")} `, "accent"),
    ...shown.flatMap((agent) => [
      span(" "),
      statusMark(agent.status),
      span(` ${inertLine(agent.path)} `),
    ]),
    ...(agents.length > shown.length ? [span(" …", "dim")] : []),
  ];
  return wrapSpans(line, cells);
}

function noteLine(note: StepNote): Line {
  const style: Style = note.kind === "warning" || note.kind === "restart" || note.kind === "retry"
    ? "warn"
    : "dim";
  const text = inertLine(note.text.slice(0, 2000));
  return [span(`  ◦ ${text}`, style)];
}

const trim = (text: string): string => text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();

/** A styled line broken to fit, each row after a margin. */
function indented(line: Line, margin: string, style: Style, cells: number): Line[] {
  const rows = wrapSpans(line, Math.max(1, cells - margin.length));
  return (rows.length === 0 ? [[]] : rows).map((row) => [span(margin, style), ...row]);
}

/** Text behind a bar: what came out of a step. */
function bordered(text: string, border: Style, cells: number, style: Style): Line[] {
  return wrap(inert(trim(text)), Math.max(1, cells - 4))
    .map((line): Line => [span("  ▏ ", border), span(line, style)]);
}

/** A heading and a text of at most `most` rows; 0 for all of it. */
function titled(title: string, style: Style, text: string, cells: number, most = 0): Line[] {
  const rows = wrap(inert(trim(text)), Math.max(1, cells - 2));
  const shown = most === 0 ? rows : rows.slice(0, most);
  return [
    rule([span(title, style)], cells),
    ...shown.map((line): Line => [span("  "), span(line)]),
    ...(rows.length > shown.length
      ? [[span(`  … ${plural(rows.length - shown.length, "more line")}`, "dim")]]
      : []),
  ];
}

function inputLines(
  agent: AgentModel,
  cells: number,
  query: QueryModel,
  transcript: TranscriptModel,
): Line[] {
  const isRoot = agent.parentRunId === undefined;
  const task = isRoot ? transcript.prompt ?? query.query : agent.task;
  const probe = agent.probe ?? agent.steps.find((step) => step.step === 0)?.output;
  const parts: [string, string | undefined][] = [
    ["task", task === "" ? agent.task : task],
    ["context", agent.context],
    ["probe", probe],
  ];
  const lines = parts.flatMap(([title, text]) =>
    text === undefined || text.trim() === "" ? [] : [...titled(title, "accent", text, cells), []]
  );
  return lines.length === 0 ? [[span("the log holds no input of this agent", "dim")]] : lines;
}

function* reasoningBlocks(agent: AgentModel, cells: number): Generator<Block> {
  let before = false;
  for (const step of agent.steps) {
    const reasoning = step.reasoning?.trim() ?? "";
    if (reasoning === "") continue;
    if (before) yield { lines: [[]] };
    before = true;
    yield { lines: titled(`step ${step.step}`, "accent", reasoning, cells), step };
  }
  if (!before) yield { lines: [[span("the log holds no reasoning of this agent", "dim")]] };
}

function finalLines(agent: AgentModel, cells: number): Line[] {
  if (!("final" in agent)) {
    const error = agent.error === undefined ? [] : titled("error", "bad", agent.error, cells);
    return [[span(`no answer: ${agent.status}`, "dim")], ...error];
  }
  const { final } = agent;
  if (typeof final === "string") {
    return wrap(inert(final), Math.max(1, cells - 2)).map((line): Line => [span("  "), span(line)]);
  }
  const text = JSON.stringify(final, null, 2) ?? finalText(final);
  return highlight(text).flatMap((line) => indented(line, "  ", "plain", cells));
}
