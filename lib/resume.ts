/**
 * What a resumed agent is told, within a budget of tokens that does not grow with the age of the
 * session: earlier queries and answers, code where it says more than the inventory, the inventory.
 *
 * @module
 */
import type { RestoreReport } from "../repl/snapshot.ts";
import { finalAsText } from "./final_json.ts";
import { fenced } from "./fence.ts";
import { inertBlock } from "./inert_block.ts";
import { cut, inertLine } from "./inert_text.ts";
import { inventoryLines, shownName } from "./inventory.ts";
import { wholeCode, WorthyCode } from "./resume_code.ts";
import type { Manifest, QueryEntry } from "./session_format.ts";
import { estimateTokens } from "./token_estimate.ts";

/** How a resume is told. */
export interface ResumeOptions {
  /** Tokens for the whole; `sessionCode: "all"` adds its code on top. @default {3000} */
  readonly budgetTokens?: number;
  /** Code within the budget, none, or all of it. @default {true} */
  readonly sessionCode?: boolean | "all";
  /** What the restore at the start of this run did. */
  readonly restore: RestoreReport;
  /** Number of the query that begins now, if it is in the ledger already: it is left out. */
  readonly query?: number;
}

/** How much of the session is told. */
export interface ResumeCounts {
  readonly queries: number;
  readonly allQueries: number;
  readonly names: number;
  readonly allNames: number;
  readonly steps: number;
  readonly allSteps: number;
}

/** The text before the probe, the inventory in the probe, and what they show. */
export interface Resume {
  /** Ledger and code; empty in a new session. */
  readonly text: string;
  /** Live names, restore failures, dropped names; empty where there is nothing to tell. */
  readonly inventory: string;
  readonly shown: ResumeCounts;
}

/** The share of the budget that the inventory may have: what a session of many names costs. */
const NAMES_SHARE = 0.55;

/** Estimates may fall a little short of the real count. */
const safety = 0.95;

/** What a resumed agent is told of the session. Pure: the same state gives the same text. */
export function resumePreamble(state: Manifest, options: ResumeOptions): Resume {
  const manifest = before(state, options.query);
  const { budgetTokens = 3_000, sessionCode = true, restore } = options;
  const budget = budgetTokens * safety;
  if (manifest.queries.length === 0 && manifest.steps.length === 0) return nothing;

  const intro = introText(manifest, restore);
  const problems = problemLines(manifest, restore, budget * 0.12);
  const ledger = ledgerText(manifest.queries, budget * 0.28);
  let left = budget - estimateTokens([intro, problems, ledger.text].join("\n")) - 60;

  // Some code is kept for what the inventory cannot say; more only where the inventory is short.
  const worthy = sessionCode === true ? new WorthyCode(manifest) : undefined;
  const sure = worthy?.section(budget * 0.1).text ?? "";
  const forNames = Math.min(left - estimateTokens(sure), budget * NAMES_SHARE);
  const inventory = inventoryLines(manifest, restore, forNames);
  left -= inventory.tokens;
  const code = sessionCode === "all" ? wholeCode(manifest) : worthy
    ?.section(Math.min(left, budget * 0.2)) ?? { text: "", shown: 0, total: manifest.steps.length };

  const listed = inventory.total === 0
    ? ""
    : "Live in your REPL now (★ committed; name: type = preview // comment):\n" +
      fenced(inventory.lines.join("\n"));
  return {
    text: [intro, ledger.text, code.text].filter(Boolean).join("\n\n"),
    inventory: [listed, problems].filter(Boolean).join("\n\n"),
    shown: {
      queries: ledger.shown,
      allQueries: manifest.queries.length,
      names: inventory.shown,
      allNames: inventory.total,
      steps: code.shown,
      allSteps: code.total,
    },
  };
}

const nothing: Resume = {
  text: "",
  inventory: "",
  shown: { queries: 0, allQueries: 0, names: 0, allNames: 0, steps: 0, allSteps: 0 },
};

/** The session as it was before the query that begins now. */
function before(manifest: Manifest, query: number | undefined): Manifest {
  if (query === undefined) return manifest;
  return {
    ...manifest,
    queries: manifest.queries.filter((entry) => entry.number < query),
    steps: manifest.steps.filter((entry) => entry.query < query),
  };
}

function introText(manifest: Manifest, restore: RestoreReport): string {
  const count = manifest.queries.length;
  const queries = count === 1 ? "1 earlier query" : `${count} earlier queries`;
  const live = restore.restored.length + restore.degraded.length;
  const state = live === 0
    ? "None of their variables are live: build what you need."
    : "The variables and functions that they built are live in your REPL now, listed below: use " +
      "them instead of exploring again.";
  return `You continue a session with ${queries}. ${state}`;
}

function ledgerText(
  queries: readonly QueryEntry[],
  tokens: number,
): { text: string; shown: number } {
  const newest = queries.at(-1);
  if (newest === undefined) return { text: "", shown: 0 };
  const lines = [newestEntry(newest, tokens * 0.6)];
  let left = tokens - estimateTokens(lines[0]!) - 20;
  for (const query of queries.slice(0, -1).toReversed()) {
    const line = `${query.number}. ${inertLine(query.query, 120)} → ${outcome(query, 120)}`;
    const cost = estimateTokens(line) + 1;
    if (cost > left) break;
    lines.push(line);
    left -= cost;
  }
  const hidden = queries.length - lines.length;
  const rest = hidden === 0 ? "" : ` (${hidden} older ones left out)`;
  return {
    text: `Earlier queries and their answers${rest}:\n${lines.reverse().join("\n")}`,
    shown: lines.length,
  };
}

/** The newest query in full, as far as the tokens go. */
function newestEntry(query: QueryEntry, tokens: number): string {
  const asked = `${query.number}. ${inertLine(query.query, 500)}`;
  if (!hasAnswer(query)) return `${asked} → ${outcome(query, 300)}`;
  const answer = inertBlock(finalAsText(query.final), 20_000);
  if (!answer.includes("\n") && answer.length <= 200) return `${asked} → ${outcome(query, 200)}`;
  const room = Math.max(40, tokens - estimateTokens(asked) - 15);
  return `${asked} → the answer:\n${fenced(headAndTail(answer, room))}`;
}

function headAndTail(text: string, tokens: number): string {
  const cost = estimateTokens(text);
  if (cost <= tokens) return text;
  const chars = Math.floor(text.length * tokens * 0.9 / cost);
  const head = cut(text, Math.floor(chars * 0.7));
  const tail = text.slice(text.length - Math.floor(chars * 0.3));
  return `${head}\n… ${text.length - chars} characters left out …\n${tail.replace(/^\p{Cs}/u, "")}`;
}

function hasAnswer(query: QueryEntry): boolean {
  return query.status === "answered" || query.final !== undefined;
}

function outcome(query: QueryEntry, max: number): string {
  const answer = hasAnswer(query) ? inertLine(finalAsText(query.final), max) : "";
  if (query.status === "answered") return answer;
  const steps = query.steps === 1 ? "1 step" : `${query.steps} steps`;
  const told = {
    running: `interrupted after ${steps}, no answer; its finished steps are saved`,
    interrupted: `interrupted after ${steps}, no answer; its finished steps are saved`,
    limit: `stopped by a limit after ${steps}, no answer`,
    failed: `failed after ${steps}, no answer`,
  }[query.status];
  return answer === "" ? `(${told})` : `(${told}) ${answer}`;
}

/** What the agent cannot rely on: failed first, then degraded, then what was never saved. */
function problemLines(manifest: Manifest, restore: RestoreReport, tokens: number): string {
  const dropped = Object.entries(manifest.dropped).map(([name, entry]) => ({
    name,
    reason: `${inertLine(entry.type, 40)}: ${entry.reason}`,
  }));
  const sections = [
    { title: "Not restored, gone from the REPL (the saved value is kept)", items: restore.failed },
    { title: "Restored with a loss", items: restore.degraded },
    { title: "Never saved, gone from the REPL", items: dropped },
  ].filter(({ items }) => items.length > 0);
  let left = tokens;
  const texts = sections.map(({ title, items }, index) => {
    const share = left / (sections.length - index);
    const shown: string[] = [];
    let used = estimateTokens(title) + 8;
    for (const { name, reason } of items) {
      const part = `${shownName(name)} (${inertLine(reason, 120)})`;
      const cost = estimateTokens(part) + 1;
      if (used + cost > share) break;
      shown.push(part);
      used += cost;
    }
    left -= used;
    const hidden = items.length - shown.length;
    if (hidden > 0) shown.push(shown.length === 0 ? `${hidden} names` : `and ${hidden} more`);
    return `${title}: ${shown.join(", ")}`;
  });
  return texts.join("\n");
}
