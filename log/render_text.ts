/** Plain text of what happened in a run: for `--text` and `--follow`. */
import { type Entry, readUsage } from "./entry.ts";
import { finalText, formatAmount, formatCount, formatMoney } from "./format.ts";
import { inert, inertLine } from "./inert.ts";
import type { AgentModel, LogModel, StepModel } from "./model.ts";
import { noteText } from "./note_text.ts";
import { describeSkipped, entryPieces } from "./reader.ts";
import { type OutputPart, outputParts } from "./step_output.ts";
import { type Tally, tallyOf } from "./tally.ts";
import { fit, wrap } from "./width.ts";

/**
 * One entry of a transcript as plain, inert text of at most `width` columns, without a final newline;
 * empty for entries that have nothing to show. Replies show their code, evaluations their output.
 */
export function renderEntryText(entry: Entry, width: number): string {
  const who = inertLine(entry.agent ?? entry.run_id);
  switch (entry.event_type) {
    case "run_start":
      return lines(
        headOf(["run", entry.query === undefined ? "" : `query ${entry.query}`]),
        width,
        [
          block(entry.prompt ?? "", "  ", width),
        ],
      );
    case "agent_start":
      return fit(headOf([who, `depth ${entry.depth}`, inertLine(entry.task ?? "")]), width);
    case "code_generated":
      return lines(stepHead(who, entry), width, [
        block(entry.text ?? "", "  ", width),
        entry.code === "" ? "  (no code to run)" : block(entry.code ?? "", "  │ ", width),
      ]);
    case "execution_result":
      // Only a Python transcript has the usage here; there the code was not shown before.
      return lines(entry.usage === undefined ? "" : stepHead(who, entry), width, [
        entry.usage === undefined ? "" : block(entry.code ?? "", "  │ ", width),
        outputBlock(entry.output ?? "", entry.hasError === true, width),
      ]);
    case "final_result": {
      const value = entry.result_type === "undefined" ? undefined : entry.result;
      return lines(headOf([who, "FINAL"]), width, [block(finalText(value), "  → ", width)]);
    }
    case "agent_end":
    case "run_end":
      return fit(
        headOf([
          entry.event_type === "run_end" ? "run" : who,
          inertLine(entry.status ?? "ended"),
          entry.total_usage === undefined ? "" : used(tallyOf(readUsage(entry.total_usage, 0))),
          inertLine(entry.error ?? ""),
        ]),
        width,
      );
    default: {
      const text = noteText(entry);
      return text === undefined ? "" : fit(headOf([who, inertLine(text)]), width);
    }
  }
}

/** A whole session or transcript as plain text, in the order in which it happened. */
export function renderText(model: LogModel, width: number): string {
  const parts = model.queries.map((query) => {
    const head = headOf([`query ${query.number}`, query.status, used(query.tally)]);
    const skipped = query.transcript === undefined ? "" : describeSkipped(query.transcript.skipped);
    return lines(head, width, [
      block(query.query, "  ", width),
      query.missing === undefined ? "" : `  (${inertLine(query.missing)})`,
      skipped === "" ? "" : `  ! ${skipped}`,
      ...(query.transcript?.roots ?? []).map((agent) => agentText(agent, width)),
      "final" in query ? block(finalText(query.final), "  → ", width) : "",
      query.error === undefined ? "" : block(query.error, "  ! ", width),
    ]);
  });
  return `${parts.join("\n\n")}\n`;
}

/** `renderText` for logs of any size, a piece at a time: their entries in the order of the file. */
export function* textPieces(model: LogModel, width: number): Generator<string, void, void> {
  for (const query of model.queries) {
    const head = headOf([`query ${query.number}`, query.status, used(query.tally)]);
    yield `${fit(head, width)}\n`;
    if (query.transcript === undefined) continue;
    for (const entries of entryPieces(query.transcript.path)) {
      const texts = entries.map((entry) => renderEntryText(entry, width));
      yield texts.filter((text) => text !== "").map((text) => `${text}\n`).join("");
    }
    yield "\n";
  }
}

function agentText(agent: AgentModel, width: number): string {
  const children = new Map(agent.children.map((child) => [child.runId, child]));
  const parts: string[] = [];
  for (const step of agent.steps) {
    parts.push(renderStepModel(inertLine(agent.path), step, width));
    for (const id of step.children) {
      const child = children.get(id);
      if (child !== undefined) parts.push(agentText(child, width));
      children.delete(id);
    }
  }
  for (const child of children.values()) parts.push(agentText(child, width));
  return parts.join("\n");
}

/** One step of the model as plain, inert text. */
function renderStepModel(who: string, step: StepModel, width: number): string {
  return lines(headOf([who, `step ${step.step}`, used(step.tally)]), width, [
    block(step.text ?? "", "  ", width),
    step.code === "" ? "  (no code to run)" : block(step.code, "  │ ", width),
    step.output === undefined ? "" : outputBlock(step.output, step.hasError, width),
    ...step.notes.map((note) => `  · ${fit(inertLine(note.text), width - 4)}`),
  ]);
}

function stepHead(who: string, entry: Entry): string {
  // Step 0 is the probe of a Python transcript: no model was called.
  const isCall = entry.usage !== undefined && entry.step !== 0;
  const usage = isCall ? used(tallyOf(readUsage(entry.usage, 1))) : "";
  return headOf([who, `step ${entry.step ?? "?"}`, usage]);
}

function outputBlock(output: string, hasError: boolean, width: number): string {
  if (output === "") return hasError ? "  ✗" : "  (no output)";
  const parts = outputParts(output);
  // A log without frames tells only that the step failed.
  const framed = parts.some(({ kind }) => kind === "error");
  return parts.map(({ kind, text }) => {
    const isError = kind === "error" || (hasError && !framed && kind !== "note");
    return block(text, isError ? "  ✗ " : LEADS[kind], width);
  }).filter((part) => part !== "").join("\n");
}

const LEADS: Readonly<Record<OutputPart["kind"], string>> = {
  output: "  ",
  value: "  = ",
  error: "  ✗ ",
  note: "  ◦ ",
};

const headOf = (parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join(" · ");

function used(tally: Tally): string {
  if (tally.calls === 0) return "";
  const tokens = formatAmount(tally.total, formatCount);
  const cost = tally.cost.value === undefined ? "cost " : "";
  return `${tokens} tokens · ${cost}${formatAmount(tally.cost, formatMoney)}`;
}

function lines(head: string, width: number, parts: readonly string[]): string {
  return [fit(head, width), ...parts].filter((part) => part !== "").join("\n");
}

function block(text: string, lead: string, width: number): string {
  const shown = inert(text).replace(/^\n+|\n+$/g, "");
  if (shown === "") return "";
  return wrap(shown, width - lead.length).map((line) => `${lead}${line}`.trimEnd()).join("\n");
}
