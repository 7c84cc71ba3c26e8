import { grouped } from "../repl/grouped.ts";
import type { CapturedOutput, StepError } from "../repl/protocol.ts";
import type { EvaluatedStep } from "../repl/host.ts";
import type { StepProgram } from "../repl/rewrite.ts";
import { fenced } from "./fence.ts";

/** What a step says whose FINAL is all that it did. */
export const FINAL_CALLED = "FINAL was called.";
/** Longest source line shown beside an error, characters. */
const EXCERPT_CHARS = 160;

/** Programs by the name of their script, for errors that point into an earlier step. */
export type Programs = ReadonlyMap<string, StepProgram>;

/** What a step says, as the agent sees it. */
export interface RenderedStep {
  readonly text: string;
  readonly hasError: boolean;
  /** The error as one line, for the ledger. */
  readonly errorLine?: string;
}

function outputText(output: CapturedOutput): string {
  const shown = output.head.length + output.tail.length;
  if (output.chars <= shown) return output.head + output.tail;
  return `${output.head}\n… ${grouped(output.chars - shown)} of ${
    grouped(output.chars)
  } characters in ${grouped(output.lines)} lines left out …\n${output.tail}`;
}

/** The step's output, echo, error and notices, framed so that they cannot be taken for more. */
export function renderStep(
  evaluated: EvaluatedStep,
  programs: Programs,
  timeLimit: string,
): RenderedStep {
  const parts: string[] = [];
  const { output, echo, error, interrupted, notices } = evaluated;
  if (output.chars > 0) parts.push(`Output:\n${fenced(outputText(output))}`);
  else if (echo !== undefined) parts.push(`Value:\n${fenced(echo)}`);
  let errorLine: string | undefined;
  if (error) {
    const shown = renderError(error, programs);
    errorLine = shown.line;
    parts.push(`Error:\n${fenced(shown.text)}`);
  }
  if (interrupted) {
    errorLine = `interrupted after ${timeLimit}`;
    parts.push(
      `The code was interrupted after ${timeLimit}; your variables are intact. What it had done by then stays done.`,
    );
  }
  for (const line of notices) parts.push(`Note: ${line.replaceAll("\n", " ")}`);
  if (parts.length === 0) {
    parts.push(evaluated.finalValue ? FINAL_CALLED : "The code ran without output.");
  }
  return {
    text: parts.join("\n"),
    hasError: errorLine !== undefined,
    ...(errorLine === undefined ? {} : { errorLine }),
  };
}

/** Message, the agent's own line and column, and one line of source around it. */
export function renderError(
  error: StepError,
  programs: Programs,
): { text: string; line: string } {
  const headline = `${error.name}: ${error.message}`;
  const trace: string[] = [];
  let place = "";
  let excerpt = "";
  for (const frame of error.frames) {
    const program = programs.get(frame.script);
    const at = program ? program.position(frame.line, frame.column) : frame;
    const where = `${frame.script.replace("-", " ")}, line ${at.line}, column ${at.column}`;
    if (place === "") {
      place = ` (${where})`;
      excerpt = program ? excerptOf(program.source, at.line, at.column) : "";
    } else if (frame.fn || trace.length === 0) {
      trace.push(`  called from ${where}`);
    }
  }
  const text = [headline + place, excerpt, ...trace.slice(0, 4)].filter((l) => l !== "").join("\n");
  const line = `${headline.split("\n", 1)[0]!.slice(0, 300)}${place}`;
  return { text, line };
}

function excerptOf(source: string, line: number, column: number): string {
  const text = source.split("\n")[line - 1];
  if (text === undefined || text.trim() === "") return "";
  const from = Math.max(0, column - 1 - EXCERPT_CHARS / 2);
  const shown = text.slice(from, from + EXCERPT_CHARS);
  return `  ${shown}\n  ${" ".repeat(Math.max(0, column - 1 - from))}^`;
}
