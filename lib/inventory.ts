/**
 * The inventory: what a resumed agent is told of each restored name, the most telling first, within
 * a number of tokens.
 *
 * @module
 */
import type { RestoreReport } from "../repl/snapshot.ts";
import { cut, inertLine } from "./inert_text.ts";
import type { FunctionEntry, Manifest, Origin, VariableEntry } from "./session_format.ts";
import { estimateTokens } from "./token_estimate.ts";

/** The inventory as lines, and how many of the live names it shows. */
export interface Inventory {
  readonly lines: readonly string[];
  readonly shown: number;
  readonly total: number;
  /** Estimated tokens of the lines. */
  readonly tokens: number;
}

/** A live name. Rank: 0 committed, 1 commented, 2 a function, 3 scratch. */
interface Item {
  readonly name: string;
  readonly entry: VariableEntry | FunctionEntry;
  readonly rank: number;
  /** The last step that used it. */
  readonly used: Origin;
}

/** Characters of a preview, from plenty to none; committed names get the level above. */
const previewLevels = [600, 300, 150, 60, 0];

/**
 * Scratch variables that get a line of their own, newest first, and how long their previews are:
 * many where the agent marked nothing as worth keeping, a few beside names that it did mark.
 */
const promotions = { unmarked: { count: 12, preview: 300 }, marked: { count: 3, preview: 100 } };

/** Lines for the names that the restore brought back, within `tokens`. */
export function inventoryLines(
  manifest: Manifest,
  restore: RestoreReport,
  tokens: number,
): Inventory {
  const items = liveItems(manifest, restore);
  const important = items.filter((item) => item.rank < 3);
  const scratch = items.filter((item) => item.rank === 3);
  const forImportant = tokens - Math.min(tokens * 0.1, scratch.length * 8);
  const full = fitLines(important, forImportant);
  let left = tokens - full.tokens;
  const promoted: string[] = [];
  const marked = important.some(({ rank }) => rank < 2);
  const promotion = marked ? promotions.marked : promotions.unmarked;
  for (const item of scratch.slice(0, promotion.count)) {
    const line = itemLine(item, promotion.preview);
    const cost = lineCost(line);
    if (cost > left - (scratch.length - promoted.length) * 8) break;
    promoted.push(line);
    left -= cost;
  }
  const rest = scratchLine(scratch.slice(promoted.length), left);
  const lines = [...full.lines, ...promoted, ...rest.lines];
  const shown = full.lines.length + promoted.length + rest.shown;
  const hidden = items.length - shown;
  if (hidden > 0) lines.push(`… and ${hidden} more names, also live`);
  return {
    lines,
    shown,
    total: items.length,
    tokens: lines.reduce((sum, line) => sum + lineCost(line), 0),
  };
}

/** A name as code may write it. */
export function shownName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
    ? inertLine(name, 80)
    : `globalThis[${JSON.stringify(inertLine(name, 80))}]`;
}

function liveItems(manifest: Manifest, restore: RestoreReport): Item[] {
  const live = new Set([...restore.restored, ...restore.degraded.map(({ name }) => name)]);
  const items: Item[] = [];
  for (const [name, entry] of Object.entries(manifest.variables)) {
    if (live.has(name)) items.push(itemOf(name, entry, 3));
  }
  for (const [name, entry] of Object.entries(manifest.functions)) {
    if (live.has(name)) items.push(itemOf(name, entry, 2));
  }
  return items.sort((a, b) =>
    a.rank - b.rank || b.used.query - a.used.query || b.used.step - a.used.step ||
    (a.name < b.name ? -1 : 1)
  );
}

function itemOf(name: string, entry: VariableEntry | FunctionEntry, plain: number): Item {
  return { name, entry, rank: rankOf(entry, plain), used: entry.used ?? entry };
}

function rankOf(entry: VariableEntry | FunctionEntry, plain: number): number {
  if (entry.committed) return 0;
  return entry.comment !== undefined || entry.note !== undefined ? 1 : plain;
}

/** The longest previews at which all items fit; at the shortest, as many items as fit. */
function fitLines(items: readonly Item[], tokens: number): { lines: string[]; tokens: number } {
  for (let level = 0; level < previewLevels.length; level++) {
    const lines: string[] = [];
    let used = 0;
    for (const item of items) {
      const line = itemLine(item, previewLevels[Math.max(0, level - (item.rank === 0 ? 1 : 0))]!);
      const cost = lineCost(line);
      if (used + cost > tokens) break;
      lines.push(line);
      used += cost;
    }
    if (lines.length === items.length || level === previewLevels.length - 1) {
      return { lines, tokens: used };
    }
  }
  return { lines: [], tokens: 0 };
}

function itemLine({ name, entry, rank }: Item, previewMax: number): string {
  const head = "source" in entry
    ? functionHead(name, entry)
    : variableHead(name, entry, previewMax);
  const words = [entry.comment, entry.note].filter((text) => text !== undefined);
  const said = [...new Set(words)].map((text) => inertLine(text, previewMax > 60 ? 240 : 80));
  const lost = entry.loss?.slice(0, 2).map(({ path, reason }) =>
    `${inertLine(path, 60)}: ${inertLine(reason, 60)}`
  );
  const more = (entry.loss?.length ?? 0) > 2 ? ` and ${entry.loss!.length - 2} more` : "";
  return (rank === 0 ? "★ " : "") + head +
    (said.length > 0 ? ` // ${said.join(" – ")}` : "") +
    (lost && lost.length > 0 ? ` [lost in saving: ${lost.join("; ")}${more}]` : "");
}

function variableHead(name: string, entry: VariableEntry, previewMax: number): string {
  const preview = previewMax === 0 ? "" : cut(inertLine(entry.preview, 1_000), previewMax);
  return `${shownName(name)}: ${inertLine(entry.type, 60)}${preview && ` = ${preview}`}`;
}

/** The signature; of a class also its methods, so that it can be used unread. */
function functionHead(name: string, entry: FunctionEntry): string {
  const signature = inertLine(entry.preview, 160).replace(/\s*(=>\s*)?\{\s*(…)?\}?$/, "");
  const declared = /^(?:async\s+)?(?:function\s*\*?|class)\s+([^\s({]+)/.exec(signature)?.[1];
  const head = declared === name ? signature : `${shownName(name)}: ${signature}`;
  if (entry.kind !== "class" || entry.preview === entry.source) return head;
  const methods = [...entry.source.slice(0, 20_000).matchAll(methodStart)].map(([, method]) =>
    method!
  );
  const names = [...new Set(methods)].filter((method) => !keywords.has(method)).slice(0, 12);
  return names.length === 0
    ? head
    : `${head} { ${names.map((method) => `${method}()`).join(", ")} }`;
}

const methodStart =
  /(?:^|[;{}])\s*(?:(?:static|async|get|set)\s+|\*\s*)*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*\([^()]*\)\s*\{/gmu;
const keywords = new Set([
  "constructor",
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "function",
  "with",
]);

/** `name: type` of as many as fit, on one line. */
function scratchLine(items: readonly Item[], tokens: number): { lines: string[]; shown: number } {
  const parts: string[] = [];
  let left = tokens - estimateTokens("scratch: ") - 12;
  for (const { name, entry } of items) {
    const type = "source" in entry ? entry.kind : entry.type;
    const part = `${shownName(name)}: ${inertLine(type, 40)}`;
    const cost = estimateTokens(part) + 1.5;
    if (cost > left) break;
    parts.push(part);
    left -= cost;
  }
  return parts.length === 0
    ? { lines: [], shown: 0 }
    : { lines: [`scratch: ${parts.join(", ")}`], shown: parts.length };
}

function lineCost(line: string): number {
  return estimateTokens(line) + 1;
}
