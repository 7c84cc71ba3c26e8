import { formatDuration, plural } from "../../log/format.ts";
import { inert, inertLine } from "../../log/inert.ts";
import { sessionText } from "../../log/note_text.ts";
import { type Line, span } from "../../log/viewer/line.ts";
import { lineOfOutput, outputParts } from "../../log/step_output.ts";
import { compact, compactMoney, stopwatch } from "../../log/viewer/numbers.ts";
import { fit } from "../../log/width.ts";
import type { RunEvent } from "../events.ts";
import type { Usage } from "../model/usage.ts";

/** Cells of foreign text in one plain line. */
const QUOTE = 160;
/** Lines of code or output that verbose mode shows of one step. */
const BLOCK_LINES = 200;

/**
 * What an event says in plain text: one line where it matters to someone who reads a log, none where
 * it does not. No line holds a control character.
 */
export function plainLine(event: RunEvent, since: number): string | undefined {
  const text = wordsFor(event);
  if (text === undefined) return undefined;
  const who = event.agent.depth === 0 ? "" : `${event.agent.path} `;
  return `[${stopwatch(event.time - since)}] ${who}${text}`;
}

function wordsFor(event: RunEvent): string | undefined {
  switch (event.type) {
    case "run_start":
      return `started${event.query === undefined ? "" : ` query ${event.query}`} with ${
        quote(event.agent.model)
      }`;
    case "agent_start":
      return event.agent.depth === 0 ? undefined : `started with ${quote(event.agent.model)}`;
    case "model_retry":
      return `step ${event.step}: retry ${event.attempt} in ${formatDuration(event.waitMs)}: ${
        quote(event.reason)
      }`;
    case "code_generated":
      return `step ${event.step}: ${
        event.code === "" ? "reply without code" : plural(lineCount(event.code), "line")
      }${event.code === "" ? "" : " of code"}, ${usageText(event.usage)}, ${
        formatDuration(event.timestamps.modelEnd - event.timestamps.modelStart)
      }`;
    case "execution_result":
      return `step ${event.step}: ${saidIn(event)}`;
    case "tool_call":
      return event.error === undefined
        ? undefined
        : `step ${event.step}: tool ${quote(event.tool)} failed: ${quote(event.error)}`;
    case "session_open":
      return quote(sessionText(event));
    case "restart":
      return `step ${event.step}: the REPL was restarted: ${quote(event.reason)}`;
    case "warning":
      return `warning: ${quote(event.message)}`;
    case "agent_end":
      return event.agent.depth === 0
        ? undefined
        : `${event.status} after ${plural(event.steps, "step")}${
          event.error === undefined ? "" : `: ${quote(event.error)}`
        }`;
    default:
      return undefined;
  }
}

/** What stays on a terminal above the live tree: what somebody must know who looks later. */
export function stayingLine(event: RunEvent): Line[] {
  const who = event.agent.depth === 0 ? "" : `${event.agent.path} `;
  switch (event.type) {
    case "session_open":
      return [[span(quote(sessionText(event)), event.failed > 0 ? "warn" : "dim")]];
    case "restart":
      return [[span(`! ${who}the REPL was restarted: ${quote(event.reason)}`, "warn")]];
    case "warning":
      return [[span(`! ${inertLine(event.message)}`, "warn")]];
    default:
      return [];
  }
}

/** The error where there is one, else all that was printed, on one line. */
function saidIn(event: RunEvent & { type: "execution_result" }): string {
  if (event.hasError) return `error: ${quote(lineOfOutput(event.output, true))}`;
  const said = outputParts(event.output).map((part) => part.text).join(" ");
  return quote(said) || "no output";
}

const lineCount = (code: string): number => code.trimEnd().split("\n").length;
const quote = (text: string): string => fit(inertLine(text.slice(0, QUOTE * 8)), QUOTE);

function usageText(usage: Usage): string {
  const tokens = usage.totalTokens ??
    (usage.promptTokens === undefined || usage.completionTokens === undefined
      ? undefined
      : usage.promptTokens + usage.completionTokens);
  const cost = usage.cost === undefined ? "" : ` (${compactMoney(usage.cost)})`;
  return tokens === undefined ? `tokens unknown${cost}` : `${compact(tokens)} tokens${cost}`;
}

/** What verbose mode adds to a step: its code or its output, as lines that stay. */
export function verboseBlock(event: RunEvent): Line[] {
  if (event.type === "code_generated" && event.code !== "") {
    return block(`${event.agent.path} · step ${event.step} · code`, event.code);
  }
  if (event.type === "execution_result" && event.output !== "") {
    const text = outputParts(event.output).map((part) => part.text.trimEnd()).join("\n");
    return block(`${event.agent.path} · step ${event.step} · output`, text);
  }
  return [];
}

function block(title: string, text: string): Line[] {
  const lines = inert(text.trimEnd()).split("\n");
  const shown = lines.slice(0, BLOCK_LINES).map((line) => [span("  " + line.slice(0, 2000))]);
  const more = lines.length - shown.length;
  return [
    [span(`── ${title}`, "accent")],
    ...shown,
    ...(more > 0 ? [[span(`  … ${plural(more, "more line")}`, "dim")]] : []),
  ];
}
