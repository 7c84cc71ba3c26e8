import { formatCount } from "./format.ts";
import type { LogModel, MemoryItem, MemoryModel } from "./model.ts";
import { ledgerLines } from "./stats_ledger.ts";
import { glance, pageOf } from "./stats_text.ts";
import { fit } from "./width.ts";

/** Lines of names that are shown in all; the rest is counted. */
const MAX_NAMES = 200;

/** Names that every list may show, however long the others are. */
const SHARE = 25;

/** The statistics of a session with the names that it holds, as `renderStats`. */
export function renderSession(model: LogModel, width: number): string {
  const names = model.memory === undefined ? [] : memoryNameLines(model.memory, width);
  return pageOf([...ledgerLines(model, width), ...names], width);
}

/** The names that a session holds, a line each, inert and at most `width` columns wide. */
function memoryNameLines(memory: MemoryModel, width: number): string[] {
  const sections: readonly Section[] = [
    ["Variables", memory.variables, variable],
    ["Functions", memory.functions, definition],
    ["Dropped (not saved)", memory.dropped, reason],
    ["Failed (their saved value cannot be had)", memory.failed, reason],
  ];
  let left = MAX_NAMES;
  return sections.flatMap(([head, items, line], index) => {
    if (items.length === 0) return [];
    const kept = sections.slice(index + 1)
      .reduce((sum, [, later]) => sum + Math.min(SHARE, later.length), 0);
    const shown = items.slice(0, Math.max(SHARE, left - kept));
    left -= shown.length;
    const more = items.length - shown.length;
    return [
      "",
      head + (shown.some((item) => item.committed) ? " (★ committed)" : ""),
      ...shown.map((item) => fit(`${item.committed ? "★" : " "} ${line(item, width - 2)}`, width)),
      ...(more === 0 ? [] : [`  … and ${formatCount(more)} more`]),
    ];
  });
}

type Line = (item: MemoryItem, width: number) => string;
type Section = readonly [head: string, items: readonly MemoryItem[], line: Line];

const variable: Line = (item, width) =>
  remarked(`${glance(item.name)}: ${glance(item.type)}`, item, width);

/** The line that declares it; the name before it where that does not tell it. */
const definition: Line = (item, width) => {
  const [first = ""] = item.detail.slice(0, 2000).split("\n", 1);
  const signature = glance(first).replace(/\s*(=>\s*)?\{$/, "");
  const name = glance(item.name);
  const told = /^(?:async\s+)?(?:function\s*\*?|class)\s+([^\s({]+)/.exec(signature)?.[1] === name;
  return remarked(told ? signature : `${name}: ${signature || glance(item.type)}`, item, width);
};

const reason: Line = (item) =>
  `${glance(item.name)}: ${glance(item.type)} — ${glance(item.detail)}`;

/** With the note and the comment; what is remarked keeps a part of the line. */
function remarked(text: string, item: MemoryItem, width: number): string {
  const remarks = [item.note, item.comment]
    .flatMap((remark) => remark === undefined ? [] : glance(remark))
    .filter((remark, index, all) => remark !== "" && all.indexOf(remark) === index);
  if (remarks.length === 0) return text;
  return `${fit(text, Math.max(12, Math.floor(width * 0.6)))}  — ${remarks.join("; ")}`;
}
