import { fitLine, type Line, paint, type Size, span, type Style } from "../../log/viewer/line.ts";
import { gauge } from "../../log/viewer/bars.ts";
import { compact, compactMoney, stopwatch } from "../../log/viewer/numbers.ts";
import { cutLine, lineWidth } from "../../log/viewer/line.ts";
import { plural } from "../../log/format.ts";
import { inertLine } from "../../log/inert.ts";
import { displayWidth, fit, pad } from "../../log/width.ts";
import type { LiveAgent, ProgressState } from "./progress_state.ts";

/** The limits that the totals are shown against; an absent one is not limited. */
export interface ProgressBudgets {
  readonly maxPromptTokens?: number | undefined;
  readonly maxCompletionTokens?: number | undefined;
  /** US dollars. */
  readonly maxMoneySpent?: number | undefined;
  readonly maxGlobalCalls?: number | undefined;
  readonly maxSeconds?: number | undefined;
}

/** What a frame is drawn for. */
export interface FrameOptions {
  readonly size: Size;
  /** Milliseconds since the epoch: what elapsed times and the spinner are counted to. */
  readonly now: number;
  readonly color: boolean;
  readonly budgets: ProgressBudgets;
}

/**
 * The live tree and, below it, the totals: at most `rows - 1` lines, none wider than `columns`.
 * Agents that find no room are counted.
 */
export function renderProgress(state: ProgressState, options: FrameOptions): string[] {
  const room = options.size.rows - 1;
  if (room < 1 || state.since === undefined) return [];
  const agents = inTreeOrder([...state.agents.values()]);
  const totals = totalsLine(state, options);
  // A terminal of two or three rows shows what the run costs, then the agents.
  const space = room <= 1 ? 0 : room - 1;
  const shown = agents.length <= space ? agents : agents.slice(0, Math.max(0, space - 1));
  const hidden = agents.length - shown.length;
  const lines = agentLines(shown, agents, options);
  if (hidden > 0 && space > 0) lines.push([span(`  … ${plural(hidden, "more agent")}`, "dim")]);
  lines.push(totals);
  return lines.map((line) => paint(cutLine(line, options.size.columns), options.color));
}

/** Parents before their children, siblings in the order of their paths. */
function inTreeOrder(agents: readonly LiveAgent[]): LiveAgent[] {
  const key = new Map(agents.map((agent) => [agent, agent.path.split(".").map(Number)]));
  return agents.toSorted((a, b) => {
    const [left = [], right = []] = [key.get(a), key.get(b)];
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const difference = (left[i] ?? 0) - (right[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return left.length - right.length;
  });
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The spinner at a time: a new frame every 120 ms. */
function spinner(now: number): string {
  return SPINNER[Math.floor(now / 120) % SPINNER.length] ?? "⠋";
}

const phaseStyle: Readonly<Record<LiveAgent["phase"], Style>> = {
  starting: "dim",
  thinking: "accent",
  retrying: "warn",
  running: "good",
  waiting: "dim",
};

function phaseText(agent: LiveAgent): string {
  return agent.phase === "waiting" ? `waiting for ${agent.waitingFor}` : agent.phase;
}

/** The columns of the tree, from the one that goes last when there is no room. */
interface Columns {
  readonly name: number;
  readonly phase: number;
  readonly step: boolean;
  readonly tokens: boolean;
  readonly money: boolean;
  readonly elapsed: boolean;
}

function columnsFor(names: readonly string[], phases: readonly string[], size: Size): Columns {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(displayWidth));
  const name = Math.min(widest(names), Math.max(6, Math.floor(size.columns / 3)));
  const phase = Math.max(9, widest(phases));
  const left = size.columns - 2 - name - 2 - phase;
  return {
    name,
    phase,
    step: left >= 9,
    elapsed: left >= 9 + 9,
    tokens: left >= 9 + 9 + 8,
    money: left >= 9 + 9 + 8 + 10,
  };
}

function agentLines(
  shown: readonly LiveAgent[],
  all: readonly LiveAgent[],
  options: FrameOptions,
): Line[] {
  const names = shown.map((agent) => nameOf(agent, all));
  const columns = columnsFor(names, shown.map(phaseText), options.size);
  return shown.map((agent, i) => agentLine(agent, names[i] ?? "", columns, options));
}

/** `root · model`, or the branch and the path; the model again only where it differs. */
function nameOf(agent: LiveAgent, all: readonly LiveAgent[]): string {
  const model = inertLine(agent.model.slice(agent.model.lastIndexOf("/") + 1));
  const named = (name: string): string => model === "" ? name : `${name} ${model}`;
  if (agent.depth === 0) return named("root");
  const parent = all.find((other) => other.runId === agent.parentRunId);
  const branch = trunkOf(parent, all) + (isLastChild(agent, all) ? "╰ " : "├ ");
  return branch + (parent?.model === agent.model ? agent.path : named(agent.path));
}

function isLastChild(agent: LiveAgent, all: readonly LiveAgent[]): boolean {
  return all.findLast((other) => other.parentRunId === agent.parentRunId) === agent;
}

/** The lines that run past an agent's row to later siblings of its ancestors. */
function trunkOf(agent: LiveAgent | undefined, all: readonly LiveAgent[]): string {
  if (agent === undefined || agent.depth === 0) return "";
  const parent = all.find((other) => other.runId === agent.parentRunId);
  return trunkOf(parent, all) + (isLastChild(agent, all) ? "  " : "│ ");
}

function agentLine(
  agent: LiveAgent,
  name: string,
  columns: Columns,
  options: FrameOptions,
): Line {
  const { usage } = agent;
  const active = agent.phase !== "waiting";
  const line = [
    span(active ? spinner(options.now) : "·", phaseStyle[agent.phase]),
    span(" "),
    span(pad(name, columns.name), agent.depth === 0 ? "strong" : "plain"),
    span("  "),
    span(pad(phaseText(agent), columns.phase), phaseStyle[agent.phase]),
  ];
  const add = (wanted: boolean, text: string, cells: number): void => {
    if (wanted) line.push(span("  " + pad(text, cells, "right"), "dim"));
  };
  add(columns.step, agent.step === 0 ? "" : `step ${agent.step}`, 7);
  add(columns.tokens, usage.calls === 0 ? "" : compact(tokensOf(agent)), 6);
  add(columns.money, usage.calls === 0 ? "" : compactMoney(usage.cost), 8);
  add(columns.elapsed, stopwatch(options.now - agent.started), 7);
  const room = options.size.columns - lineWidth(line) - 2;
  const latest = agent.streaming.trim() === "" ? agent.lastLine : agent.streaming;
  const said = [folded(agent), inertLine(latest)].filter((text) => text !== "").join(" · ");
  if (room >= 12 && said !== "") line.push(span("  " + fit(said, room), "dim"));
  return line;
}

function tokensOf({ usage }: Pick<LiveAgent, "usage">): number | undefined {
  if (usage.totalTokens !== undefined) return usage.totalTokens;
  const { promptTokens, completionTokens } = usage;
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  return (promptTokens ?? 0) + (completionTokens ?? 0);
}

/** The sub-agents that ended, as a count. */
function folded(agent: LiveAgent): string {
  const done = agent.answered > 0 ? `✓ ${agent.answered} done` : "";
  const failed = agent.unanswered > 0 ? `✗ ${agent.unanswered} failed` : "";
  return [done, failed].filter((text) => text !== "").join(" ");
}

interface Total {
  readonly label: string;
  readonly used: number | undefined;
  readonly limit: number | undefined;
  readonly format: (value: number | undefined) => string;
}

function totalsLine(state: ProgressState, { size, now, budgets }: FrameOptions): Line {
  // Before the first call nothing is unknown: nothing was used.
  const usage = state.usage.calls > 0
    ? state.usage
    : { ...state.usage, cost: 0, promptTokens: 0, completionTokens: 0 };
  const elapsed = now - (state.since ?? now);
  const totals: Total[] = [
    { label: "cost", used: usage.cost, limit: budgets.maxMoneySpent, format: compactMoney },
    { label: "in", used: usage.promptTokens, limit: budgets.maxPromptTokens, format: compact },
    {
      label: "out",
      used: usage.completionTokens,
      limit: budgets.maxCompletionTokens,
      format: compact,
    },
    { label: "calls", used: usage.calls, limit: budgets.maxGlobalCalls, format: compact },
    {
      label: "time",
      used: elapsed,
      limit: budgets.maxSeconds === undefined ? undefined : budgets.maxSeconds * 1000,
      format: (ms) => stopwatch(ms ?? 0),
    },
  ];
  // The widest form that fits: with bars, with limits, or the bare figures.
  const forms = [8, 0, -1].map((cells) => joined(totals.map((total) => totalSpans(total, cells))));
  return forms.find((line) => lineWidth(line) <= size.columns) ??
    fitLine(forms[2] ?? [], size.columns);
}

function joined(groups: readonly Line[]): Line {
  return groups.flatMap((group, i) => i === 0 ? group : [span("   "), ...group]);
}

/** One total; `cells` is the width of its bar, 0 for no bar, -1 for no limit either. */
function totalSpans(total: Total, cells: number): Line {
  const { label, used, limit, format } = total;
  const share = limit === undefined || limit <= 0 ? 0 : (used ?? 0) / limit;
  const style: Style = share >= 0.9 ? "bad" : share >= 0.7 ? "warn" : "plain";
  const line = [span(`${label} `, "dim"), span(format(used), style)];
  if (limit === undefined || cells < 0) return line;
  line.push(span(`/${format(limit)}`, "dim"));
  if (cells > 0) {
    line.push(
      span(" "),
      span(gauge(used ?? 0, limit, cells), style === "plain" ? "accent" : style),
    );
  }
  return line;
}

/** The one line that is left when a run is over. */
export function summaryLine(state: ProgressState): Line {
  const { end, usage } = state;
  if (end === undefined) return [];
  const marks = { answered: "✓", limit: "◆", failed: "✗", interrupted: "■" } as const;
  const styles = { answered: "good", limit: "warn", failed: "bad", interrupted: "warn" } as const;
  const words = {
    answered: "answered",
    limit: "stopped by a limit",
    failed: "failed",
    interrupted: "interrupted",
  } as const;
  const facts = [
    plural(state.steps, "step"),
    ...(state.started > 1 ? [plural(state.started, "agent")] : []),
    tokensOf({ usage }) === undefined ? "tokens unknown" : `${compact(tokensOf({ usage }))} tokens`,
    compactMoney(usage.cost) === "?" ? "cost unknown" : compactMoney(usage.cost),
    stopwatch(end.time - (state.since ?? end.time)),
  ];
  return [
    span(`${marks[end.status]} ${words[end.status]}`, styles[end.status]),
    span(` · ${facts.join(" · ")}`, "dim"),
  ];
}
