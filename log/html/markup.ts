import { basename } from "@std/path";
import {
  finalText,
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  formatMoney,
  formatMoneyExact,
  plural,
} from "../format.ts";
import { inert, inertLine } from "../inert.ts";
import type { LogModel, MemoryItem, QueryModel } from "../model.ts";
import { durationOf } from "../queries.ts";
import { describeSkipped } from "../reader.ts";
import type { Tally } from "../tally.ts";

/** Text made inert and safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return inert(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Characters of a text in a closed row. */
const GLANCE = 400;
/** Characters of one value or source in the memory section. */
const DETAIL = 20_000;

const line = (text: string): string => escapeHtml(inertLine(text.slice(0, GLANCE)));
const tokens = (tally: Tally): string => formatAmount(tally.total, formatCount);
const cost = (tally: Tally): string => formatAmount(tally.cost, formatMoney);

/** The name of what the report is about. */
export function titleOf(model: LogModel): string {
  const path = model.path.replace(/[\\/]+$/, "").replace(/[\\/]state\.json$/, "");
  return inertLine(basename(path)) || inertLine(model.path);
}

/** Heading and sums. */
export function introMarkup(model: LogModel): string {
  const kind = model.kind === "session"
    ? "Session"
    : model.kind === "transcript"
    ? "Transcript"
    : "Transcripts in";
  const { transcript } = model.queries[0] ?? {};
  const maker = model.kind === "session" || model.format !== undefined
    ? `fast-rlm ${inertLine(model.engine ?? "")}`
    : transcript === undefined || transcript.entries === 0
    ? ""
    : "fast-rlm (Python)";
  const from = model.queries.find((query) => query.started !== undefined)?.started;
  const origin = [
    `${kind} ${inertLine(model.path)}`,
    maker.trim(),
    from === undefined ? "" : new Date(from).toISOString().slice(0, 16).replace("T", " ") + " UTC",
  ].filter((part) => part !== "").join(" · ");
  const facts = factsOf(model).map(([name, value]) =>
    `<div><dt>${escapeHtml(name)}</dt><dd data-fact="${escapeHtml(name)}">${
      escapeHtml(value)
    }</dd></div>`
  ).join("");
  return `<section class="intro wrap"><h1>${escapeHtml(titleOf(model))}</h1>
<p class="origin">${escapeHtml(origin)}</p>
<dl class="totals">${facts}</dl></section>`;
}

function factsOf(model: LogModel): [string, string][] {
  const { totals } = model;
  const transcript = model.kind === "transcript" ? model.queries[0]?.transcript : undefined;
  const own = transcript === undefined ? undefined : durationOf(transcript);
  const time = transcript === undefined ? totals.ms : { value: own, partial: false };
  return [
    ...(transcript === undefined
      ? [
        [model.kind === "session" ? "queries" : "runs", formatCount(totals.queries)],
        ["answered", formatCount(totals.answered)],
      ] as [string, string][]
      : [
        ["entries", formatCount(transcript.entries)],
        ["agents", formatCount(transcript.runs)],
        ["depth", formatCount(transcript.depth)],
      ] as [string, string][]),
    ["steps", formatCount(totals.steps)],
    ["tokens", tokens(totals.tally)],
    [
      "cost",
      transcript === undefined
        ? cost(totals.tally)
        : formatAmount(totals.tally.cost, formatMoneyExact),
    ],
    ["time", formatAmount(time, formatDuration)],
  ];
}

/** The timeline: one closed row a query. */
export function timelineMarkup(model: LogModel): string {
  const most = {
    tokens: Math.max(0, ...model.queries.map((query) => query.tally.total.value ?? 0)),
    cost: Math.max(0, ...model.queries.map((query) => query.tally.cost.value ?? 0)),
  };
  const noun = model.kind === "session" ? "Queries" : model.kind === "directory" ? "Runs" : "Run";
  const rows = model.queries.map((query, index) =>
    queryMarkup(query, index, most, model.kind === "transcript")
  ).join("\n");
  const count = model.kind === "transcript"
    ? ""
    : ` <span class="count">${formatCount(model.queries.length)}</span>`;
  return `<h2>${noun}${count}</h2>\n${
    rows || '<p class="none">No query was put to this session yet.</p>'
  }`;
}

function queryMarkup(
  query: QueryModel,
  index: number,
  most: { readonly tokens: number; readonly cost: number },
  isOpen: boolean,
): string {
  const { transcript, tally } = query;
  const ms = durationOf(query);
  const agents = (transcript?.runs ?? 1) - 1;
  const nameless = isOpen || transcript === undefined
    ? "(no prompt in the log)"
    : line(basename(transcript.path));
  const title = line(query.query) || nameless;
  const skipped = transcript === undefined ? "" : describeSkipped(transcript.skipped);
  const facts = [
    `<span class="is-${query.status}">${query.status}</span>`,
    plural(query.steps, "step"),
    agents > 0 ? plural(agents, "sub-agent") : "",
    ms === undefined ? "" : formatDuration(ms),
    query.missing === undefined ? "" : `(${line(query.missing)})`,
    skipped === "" ? "" : `<span class="warn">${skipped}</span>`,
  ].filter((part) => part !== "").join(" · ");
  const answer = "final" in query
    ? `<div class="a">${line(finalText(query.final)) || "(empty)"}</div>`
    : query.error === undefined
    ? ""
    : `<div class="a is-failed">${line(query.error)}</div>`;
  // Bars compare runs: a run that is alone has its figures in the sums above.
  const bars = isOpen
    ? ""
    : `<div class="bars">${bar("tokens", tally.total.value, most.tokens, tokens(tally))}${
      bar("cost", tally.cost.value, most.cost, cost(tally))
    }</div>`;
  return `<details class="query${isOpen ? " alone" : ""}" data-id="${index}"${
    isOpen ? " open" : ""
  }>` +
    `<summary class="row"><span class="num">${query.number}</span><div><div class="q">${title}</div>${answer}` +
    `<div class="meta">${facts}</div></div>` +
    `${bars}</summary><div class="body"></div></details>`;
}

function bar(kind: string, value: number | undefined, most: number, text: string): string {
  const width = value === undefined || most === 0 ? 0 : (value / most) * 100;
  return `<span class="what">${kind}</span><svg viewBox="0 0 100 8" preserveAspectRatio="none" ` +
    `aria-hidden="true"><rect class="${kind}" width="${width.toFixed(2)}" height="8"/></svg>` +
    `<span class="much" data-${kind}>${text}</span>`;
}

/** What the session remembers; empty where the report is of a transcript. */
export function memoryMarkup({ memory }: LogModel): string {
  if (memory === undefined) return "";
  const groups: [string, readonly MemoryItem[]][] = [
    ["Variables", memory.variables],
    ["Functions", memory.functions],
    ["Failed to restore", memory.failed],
    ["Dropped", memory.dropped],
  ];
  const count = groups.reduce((sum, [, items]) => sum + items.length, 0);
  const body = groups.filter(([, items]) => items.length > 0).map(([name, items]) =>
    `<h3>${name} <span class="count">${formatCount(items.length)}</span></h3>\n${
      items.map(itemMarkup).join("\n")
    }`
  ).join("\n");
  return `<h2 id="memory">Memory <span class="count">${formatCount(count)}</span></h2>\n${
    body || '<p class="none">This session remembers nothing yet.</p>'
  }`;
}

function itemMarkup(item: MemoryItem): string {
  const isSaved = item.kind === "variable" || item.kind === "function";
  const what = isSaved ? item.note ?? item.comment ?? "" : item.detail;
  const code = item.kind === "function"
    ? `<div class="block code"><pre class="source" tabindex="0">${detail(item.detail)}</pre></div>`
    : `<div class="block"><pre tabindex="0">${detail(item.detail)}</pre></div>`;
  const told = [
    item.comment === undefined ? "" : `<p>Comment: ${detail(item.comment)}</p>`,
    item.note === undefined ? "" : `<p>Note: ${detail(item.note)}</p>`,
    ...item.loss.map((loss) => `<p class="warn">Not kept: ${line(loss)}</p>`),
    `<p>${escapeHtml(inertLine(item.type))}, from query ${item.query}, step ${item.step}</p>`,
  ].join("");
  const kind = item.kind === "function" ? " source" : item.kind === "failed" ? " failed-item" : "";
  return `<details class="item${kind}"><summary class="row">` +
    `<span class="star">${item.committed ? '<span title="committed">★</span>' : ""}</span>` +
    `<code>${line(item.name)}</code><span class="what">${line(what)}</span>` +
    `<span class="size">${line(item.type)}${
      item.bytes === undefined ? "" : ` · ${formatBytes(item.bytes)}`
    }</span></summary><div class="body">${told}${code}</div></details>`;
}

function detail(text: string): string {
  const isLong = text.length > DETAIL;
  const cut = isLong ? ` … ${formatCount(text.length - DETAIL)} more characters` : "";
  return escapeHtml(text.slice(0, DETAIL)) + cut;
}
