import { formatDuration } from "../format.ts";
import { inertLine } from "../inert.ts";
import type { AgentModel, StepModel } from "../model.ts";
import { displayWidth, pad } from "../width.ts";
import type { TreeRow } from "./agent_tree.ts";
import { barLine, type Line, plain, type Span, span, type Style } from "./line.ts";
import { statusMark } from "./status.ts";
import { stopwatch } from "./numbers.ts";

/** What an agent did in a stretch of time. */
type Activity = "thinking" | "running" | "waiting" | "idle";

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly activity: Activity;
  /** Guessed from when steps were logged, so that anything known is drawn over it. */
  readonly guess?: true;
}

const LOOK: Readonly<Record<Activity, readonly [string, Style]>> = {
  thinking: ["▒", "accent"],
  running: ["█", "good"],
  waiting: ["─", "dim"],
  idle: [" ", "plain"],
};

/** What the characters mean. */
export const ganttLegend: Line = [
  span("▒", "accent"),
  span(" thinking  ", "dim"),
  span("█", "good"),
  span(" running  ", "dim"),
  span("─", "dim"),
  span(" waiting for sub-agents", "dim"),
];

/** When a transcript began and ended, as far as its agents tell; undefined where none does. */
export function spanOf(rows: readonly TreeRow[]): { from: number; to: number } | undefined {
  let from = Infinity;
  let to = -Infinity;
  for (const { agent } of rows) {
    for (const time of timesOf(agent)) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
  }
  return from <= to ? { from, to } : undefined;
}

function timesOf(agent: AgentModel): number[] {
  const times = [agent.started, agent.ended];
  for (const step of agent.steps) {
    times.push(step.modelStart, step.modelEnd, step.codeStart, step.codeEnd, step.time);
  }
  return times.filter((time) => time !== undefined);
}

/** What an agent did over time; a log without time stamps tells only when a step was over. */
function stretchesOf(agent: AgentModel): Stretch[] {
  const stretches: Stretch[] = [];
  let before = agent.started;
  for (const step of agent.steps) {
    const { modelStart = before, modelEnd = step.time } = step;
    if (step.modelStart === undefined) add(stretches, modelStart, modelEnd, "thinking", true);
    else add(stretches, modelStart, modelEnd, "thinking");
    add(stretches, step.codeStart, step.codeEnd, "running");
    before = latest([modelEnd, step.codeEnd, before]);
  }
  for (const child of agent.children) {
    const { from, to } = lifeOf(child);
    add(stretches, from, to, "waiting");
  }
  return stretches;
}

function lifeOf(agent: AgentModel): { from: number | undefined; to: number | undefined } {
  const last = agent.steps.at(-1);
  return {
    from: agent.started ?? agent.steps[0]?.time,
    to: agent.ended ?? latest([last?.codeEnd, last?.modelEnd, last?.time]),
  };
}

function latest(times: readonly (StepModel["time"])[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function add(
  stretches: Stretch[],
  from: number | undefined,
  to: number | undefined,
  activity: Activity,
  guess = false,
): void {
  if (from === undefined || to === undefined || to < from) return;
  stretches.push({ from, to, activity, ...(guess && { guess }) });
}

/** Cells of the time an agent took, with the spaces around it. */
const TOOK_CELLS = 9;

function nameCellsOf(rows: readonly TreeRow[], cells: number): number {
  const widest = rows.reduce(
    (most, { agent, branch }) => Math.max(most, displayWidth(branch + agent.path) + 4),
    8,
  );
  return Math.min(widest, Math.max(8, Math.floor(cells / 3)));
}

/** The rows of the timeline of agents, `cells` wide, around the selected agent. */
export function ganttRows(
  rows: readonly TreeRow[],
  shown: { readonly top: number; readonly height: number },
  selected: number,
  cells: number,
): Line[] {
  const whole = spanOf(rows);
  const visible = rows.slice(shown.top, shown.top + shown.height);
  const nameCells = nameCellsOf(rows, cells);
  const track = Math.max(1, cells - nameCells - TOOK_CELLS);
  return visible.map(({ agent, branch }, i): Line => {
    const name = plain([
      span(" " + branch),
      statusMark(agent.status),
      span(` ${inertLine(agent.path)}`),
    ]);
    const { from, to } = lifeOf(agent);
    const took = from === undefined || to === undefined ? "?" : formatDuration(to - from);
    const head = pad(name, nameCells) + pad(took, 8, "right") + " ";
    const bars = whole === undefined ? [] : trackSpans(stretchesOf(agent), whole, track);
    return [
      ...(shown.top + i === selected
        ? barLine([span(head)], nameCells + TOOK_CELLS, "selected")
        : [span(head)]),
      ...bars,
    ];
  });
}

// Where several things went on in one cell, the one that says most is drawn. Sub-agents run while
// their parent's code does: waiting is drawn over running.
const WEIGHT: Readonly<Record<Activity, number>> = { idle: 0, running: 2, waiting: 3, thinking: 4 };

function trackSpans(
  stretches: readonly Stretch[],
  whole: { readonly from: number; readonly to: number },
  track: number,
): Span[] {
  const cells: Activity[] = new Array<Activity>(track).fill("idle");
  const weights = new Array<number>(track).fill(0);
  const scale = track / Math.max(1, whole.to - whole.from);
  for (const { from, to, activity, guess } of stretches) {
    const weight = guess === true ? 1 : WEIGHT[activity];
    const first = Math.min(track - 1, Math.floor((from - whole.from) * scale));
    const last = Math.max(first + 1, Math.min(track, Math.round((to - whole.from) * scale)));
    for (let cell = first; cell < last; cell++) {
      if (weight <= (weights[cell] ?? 0)) continue;
      cells[cell] = activity;
      weights[cell] = weight;
    }
  }
  const spans: Span[] = [];
  for (const activity of cells) {
    const [text, style] = LOOK[activity];
    const last = spans.at(-1);
    if (last !== undefined && last.style === style && last.text.startsWith(text)) {
      spans[spans.length - 1] = span(last.text + text, style);
    } else spans.push(span(text, style));
  }
  return spans;
}

/** The time axis above the bars: start, middle and end. */
export function ganttAxis(rows: readonly TreeRow[], cells: number): Line {
  const whole = spanOf(rows);
  if (whole === undefined) return [span("the log holds no times", "dim")];
  const ms = whole.to - whole.from;
  const end = ms < 10_000 ? formatDuration(ms) : stopwatch(ms);
  const middle = ms < 10_000 ? formatDuration(ms / 2) : stopwatch(ms / 2);
  const before = nameCellsOf(rows, cells) + TOOK_CELLS;
  const track = Math.max(1, cells - before);
  const axis = pad(pad("0", Math.floor(track / 2)) + middle, track - displayWidth(end)) + end;
  return [span(" ".repeat(before) + axis, "dim")];
}
