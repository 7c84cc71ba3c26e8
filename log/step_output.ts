/** A part of what a step said. */
export interface OutputPart {
  readonly kind: "output" | "value" | "error" | "note";
  readonly text: string;
}

const FRAMED = /^(Output|Value|Error):\n(`{3,}|~{3,})[^\n]*\n(?:([\s\S]*?)\n)?\2(?:\n|$)/;
const KINDS: Readonly<Record<string, OutputPart["kind"]>> = {
  Output: "output",
  Value: "value",
  Error: "error",
};

/**
 * What an agent saw of a step, taken out of the frames that keep it apart in a prompt. Text without
 * frames, as other engines log it, is output as a whole.
 */
export function outputParts(text: string): OutputPart[] {
  const parts: OutputPart[] = [];
  let rest = text.replaceAll("\r\n", "\n");
  for (let match = FRAMED.exec(rest); match !== null; match = FRAMED.exec(rest)) {
    parts.push({ kind: KINDS[match[1] ?? ""] ?? "output", text: match[3] ?? "" });
    rest = rest.slice(match[0].length);
  }
  if (rest.trim() === "") return parts;
  // After a frame come the engine's own remarks.
  const isRemark = parts.length > 0 || /^The code (?:ran|was) /.test(rest);
  parts.push({ kind: isRemark ? "note" : "output", text: rest });
  return parts;
}

/** The one line that says most of a step: an error's first line, else the last that was printed. */
export function lineOfOutput(text: string, hasError: boolean): string {
  const parts = outputParts(text);
  const error = parts.find((part) => part.kind === "error");
  if (error !== undefined) return firstLine(error.text);
  if (hasError && parts[0] !== undefined) return firstLine(parts[0].text);
  const said = parts.findLast((part) => part.kind !== "note") ?? parts.at(-1);
  const lines = (said?.text ?? "").trimEnd();
  return lines.slice(lines.lastIndexOf("\n") + 1).trim();
}

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0] ?? "";
