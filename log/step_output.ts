/** A part of what a step said. */
export interface OutputPart {
  readonly kind: "output" | "value" | "error" | "note";
  readonly text: string;
}

const FRAMED = /^(Output|Value|Error):\n(`{3,}|~{3,})[^\n]*\n(?:([\s\S]*?)\n)?\2(?:\n|$)/;
/** Announces what the schema refused; a line for each mismatch follows, then what to do. */
const REFUSED_HEAD = "FINAL's value does not match the schema:";
const REFUSED =
  /^FINAL's value (?:does not match the schema:\n(?:- [^\n]*(?:\n|$))*(?:Correct it [^\n]*(?:\n|$))?|cannot be read: [^\n]*(?:\n|$))/;
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
  const refused = REFUSED.exec(rest)?.[0];
  if (refused !== undefined) {
    parts.push({ kind: "error", text: refused.trimEnd() });
    rest = rest.slice(refused.length);
  }
  for (let match = FRAMED.exec(rest); match !== null; match = FRAMED.exec(rest)) {
    parts.push({ kind: KINDS[match[1] ?? ""] ?? "output", text: match[3] ?? "" });
    rest = rest.slice(match[0].length);
  }
  if (rest.trim() === "") return parts;
  // After a frame come the engine's own remarks.
  const isRemark = parts.length > 0 || /^(?:The code (?:ran|was) |FINAL was called\.)/.test(rest);
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

/** With the next line where the first one only announces it. */
function firstLine(text: string): string {
  const [first = "", second] = text.trimStart().split("\n", 2);
  return second !== undefined && first === REFUSED_HEAD ? `${first} ${second}` : first;
}
