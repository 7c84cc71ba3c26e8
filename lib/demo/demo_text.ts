import type { Usage } from "../model/usage.ts";
import type { Question } from "./questions.ts";
import type { QueryFacts } from "./session_facts.ts";

/** What the demo shows of a query. */
export interface ShownQuery {
  readonly number: number;
  readonly question: Question;
  readonly answer: unknown;
  readonly right: boolean;
  readonly steps: number;
  readonly usage: Pick<Usage, "promptTokens" | "completionTokens" | "calls">;
  /** Milliseconds from the start of the process to its end. */
  readonly ms: number;
  readonly facts: QueryFacts;
  /** What the engine said about a recording that does not fit any more. */
  readonly divergence?: string;
}

/** Puts a style around text, or leaves it as it is where there is no terminal. */
export type Paint = (style: "bold" | "dim" | "green" | "red" | "cyan", text: string) => string;

const CODES = { bold: 1, dim: 2, green: 32, red: 31, cyan: 36 } as const;
const WIDTH = 96;

/** Colours for a terminal, none otherwise. */
export function painter(color: boolean): Paint {
  return (style, text) => color ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}

/** The head of the demo. */
export function introText(paint: Paint, questions: number, bytes: number): string {
  return `${
    paint("bold", "fast-rlm demo")
  }: a session of ${questions} queries, each in a process of its own

The context is a bundled archive of 40 podcast episodes (${
    Math.round(bytes / 1000)
  } kB), all of it invented.
The model is played back: its replies were written by hand and come from a recording, so no key and
no network are needed. Engine, sandbox, sub-agents, sweep and restore are the real ones.
`;
}

/** One query. */
export function queryText(paint: Paint, query: ShownQuery): string {
  const { number, question, answer, right, steps, usage, ms, facts } = query;
  const mark = right ? paint("green", "✓") : paint("red", "✗ not the expected answer");
  const tokens = usage.promptTokens === undefined || usage.completionTokens === undefined
    ? "tokens unknown"
    : `${count(usage.promptTokens)} + ${count(usage.completionTokens)} tokens`;
  const figures = [
    plural(steps, "step"),
    plural(usage.calls, "model call"),
    tokens,
    `${(ms / 1000).toFixed(1)} s`,
  ];
  const lines = [
    `${paint("bold", `Query ${number}`)} ${paint("dim", `· ${question.use}`)}`,
    ...wrapped(question.prompt, "  ? ").map((line) => paint("dim", line)),
    ...wrapped(asText(answer), "  → ").map((line) => paint("cyan", line)),
    `  ${mark} ${paint("dim", figures.join(" · "))}`,
    ...reuseLines(facts).map((line) => `  ${paint("dim", line)}`),
    ...(query.divergence === undefined ? [] : [`  ${paint("red", query.divergence)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The end of the demo. */
export function outroText(
  paint: Paint,
  queries: readonly ShownQuery[],
  kept: { readonly dir: string; readonly command: string } | undefined,
): string {
  const right = queries.filter((query) => query.right).length;
  const first = queries[0]?.usage.promptTokens;
  const rest = queries.slice(1).map(({ usage }) => usage.promptTokens ?? 0);
  const seconds = queries.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const mean = rest.length === 0 ? 0 : Math.round(rest.reduce((a, b) => a + b) / rest.length);
  const verdict = `${right} of ${queries.length} answers are the expected ones`;
  const lines = [
    `${paint(right === queries.length ? "green" : "red", verdict)}, ${
      seconds.toFixed(1)
    } s in all.`,
    `Input tokens (o200k, counted when it was recorded): ${count(first ?? 0)} to build, then ${
      count(mean)
    } a follow-up.`,
  ];
  if (kept) {
    lines.push(
      "",
      `The session is kept in ${kept.dir}. Look at it:`,
      `  ${kept.command} log ${kept.dir} --tui`,
      `  ${kept.command} log ${kept.dir} --html demo.html`,
      `  ${kept.command} session show ${kept.dir}`,
    );
  } else lines.push(paint("dim", "With --keep the session stays, and can be looked at."));
  return `${lines.join("\n")}\n`;
}

function reuseLines({ restored, used, added }: QueryFacts): string[] {
  const built = added.length === 0 ? "" : `left ${plural(added.length, "new name")}`;
  if (restored.length === 0) return [`reused nothing, ${built}: the session is new`];
  const names = used.length === 0 ? "none of them" : used.join(", ");
  const reused = `restored ${plural(restored.length, "name")}, used ${names}`;
  return [built === "" ? reused : `${reused}; ${built}`];
}

function asText(answer: unknown): string {
  if (typeof answer === "string") return answer;
  return asJson(answer);
}

/** JSON on one line without quotes around keys, with spaces where it may be broken. */
function asJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(asJson).join(", ")}]`;
  const entries = Object.entries(value).map(([key, part]) => `${key}: ${asJson(part)}`);
  return `{${entries.join(", ")}}`;
}

function wrapped(text: string, first: string): string[] {
  const rest = " ".repeat(first.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + word.length + 1 > WIDTH - first.length) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((one, at) => (at === 0 ? first : rest) + one);
}

function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
