import { byPath } from "../by_path.ts";
import { formatCount } from "../format.ts";
import { inertLine } from "../inert.ts";
import type { AgentModel, TranscriptModel } from "../model.ts";
import { pageTop } from "./layout.ts";
import { barLine, fitLine, type Line, plain, span } from "./line.ts";
import { statusMark } from "./status.ts";

/** An agent where it stands in the tree. */
export interface TreeRow {
  readonly agent: AgentModel;
  /** The lines in front of it. */
  readonly branch: string;
  /** Index of its parent in the rows; undefined for a root. */
  readonly parent: number | undefined;
}

const cache = new WeakMap<TranscriptModel, readonly TreeRow[]>();

/** The agents of a transcript, parents before their children. */
export function treeRows(transcript: TranscriptModel): readonly TreeRow[] {
  const known = cache.get(transcript);
  if (known !== undefined) return known;
  const rows: TreeRow[] = [];
  // A stack, because a transcript decides how deep the tree is.
  const stack: { agent: AgentModel; trunk: string; last: boolean; parent: number | undefined }[] =
    transcript.roots.map((agent) => ({ agent, trunk: "", last: true, parent: undefined }))
      .reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { agent, trunk, last, parent } = next;
    const isRoot = parent === undefined;
    const index = rows.length;
    rows.push({ agent, branch: isRoot ? "" : trunk + (last ? "╰ " : "├ "), parent });
    const below = isRoot ? "" : (trunk + (last ? "  " : "│ ")).slice(-40);
    const children = agent.children.toSorted(byPath);
    for (const [i, child] of [...children.entries()].reverse()) {
      stack.push({
        agent: child,
        trunk: below,
        last: i === children.length - 1,
        parent: index,
      });
    }
  }
  cache.set(transcript, rows);
  return rows;
}

/** The tree as a block of `rows` lines of `cells` cells around the selected agent. */
export function treeBlock(
  rows: readonly TreeRow[],
  selected: number,
  cells: number,
  height: number,
): Line[] {
  const top = pageTop(selected, rows.length, height);
  return rows.slice(top, top + height).map(({ agent, branch }, i) => {
    const steps = formatCount(agent.stepCount);
    const name = fitLine([
      span(" "),
      span(branch, "dim"),
      statusMark(agent.status),
      span(` ${inertLine(agent.path)}`),
      ...(agent.errorCount > 0 ? [span(` ${agent.errorCount}!`, "warn")] : []),
    ], cells - steps.length - 1);
    const line: Line = [...name, span(`${steps} `, "dim")];
    return top + i === selected ? barLine([span(plain(line))], cells, "selected") : line;
  });
}

/** Index of an agent's parent, first child, or the sibling `by` places on (around the end). */
export function relative(
  rows: readonly TreeRow[],
  index: number,
  to: "parent" | "child" | "next" | "previous",
): number | undefined {
  const row = rows[index];
  if (row === undefined) return undefined;
  if (to === "parent") return row.parent;
  if (to === "child") return rows[index + 1]?.parent === index ? index + 1 : undefined;
  const siblings = [...rows.keys()].filter((i) => rows[i]?.parent === row.parent);
  if (siblings.length < 2) return undefined;
  const at = siblings.indexOf(index) + (to === "next" ? 1 : -1);
  return siblings[(at + siblings.length) % siblings.length];
}
