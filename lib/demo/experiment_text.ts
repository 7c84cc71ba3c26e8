import type { CodeMode, MeasuredQuery, MeasuredSession } from "./experiment.ts";

/** What the modes are called where people read them. */
export const MODE_NAMES: Readonly<Record<CodeMode, string>> = {
  all: "all code",
  budget: "code within the budget (default)",
  none: "no code",
};

/** The sum of what is known; undefined where nothing is. */
export function totalTokens(queries: readonly MeasuredQuery[]): number | undefined {
  const known = queries.flatMap(({ tokens }) => tokens === undefined ? [] : [tokens]);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b);
}

/** The experiment as Markdown. `model` is the one that was asked, if any. */
export function tables(sessions: readonly MeasuredSession[], model: string | undefined): string {
  const [first] = sessions;
  if (first === undefined) return "";
  const names = sessions.map(({ mode }) => MODE_NAMES[mode]);
  const rows = first.queries.map(({ question }, at) => [
    `${at + 1}. ${question.use}`,
    ...sessions.map(({ queries }) => cell(queries[at])),
  ]);
  const sums = sessions.map(({ queries }) => shown(totalTokens(queries)));
  const right = sessions.map(({ queries }) =>
    `${queries.filter((query) => query.right).length} of ${queries.length}`
  );
  return [
    "Input tokens of a query, over all its agents and calls:",
    "",
    line(["query", ...names]),
    line(["---", ...names.map(() => "--:")]),
    ...rows.map(line),
    line(["**sum**", ...sums.map((sum) => `**${sum}**`)]),
    line(["right answers", ...right]),
    "",
    note(first, model),
    "",
  ].join("\n");
}

function note(session: MeasuredSession, model: string | undefined): string {
  if (model?.startsWith("replay:")) return `Played: ${model}; tokens as they were recorded.`;
  if (model !== undefined) return `Asked: ${model}; tokens as its provider counts them.`;
  const [build] = session.queries;
  const own = shown(build?.rootTokens);
  return `Counted with o200k over the prompts that the engine builds. The replies were written by ` +
    `hand and are the same in every column, so this measures prompts, not a model's skill. Of query ` +
    `1, ${own} tokens are the root agent's, the rest is read by its sub-agents. Published for the ` +
    `Python engine, with another corpus and a real model: 119,744 with code, 314,961 without.`;
}

function cell(query: MeasuredQuery | undefined): string {
  if (query === undefined) return "";
  const calls = query.calls === 1 ? "" : ` (${query.calls} calls)`;
  return `${shown(query.tokens)}${calls}${query.right ? "" : " ✗"}`;
}

function shown(tokens: number | undefined): string {
  return tokens === undefined ? "unknown" : tokens.toLocaleString("en-US");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
