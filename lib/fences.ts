/** A fenced block of a model's reply. */
export interface FencedBlock {
  /** First word of the info string in lower case; empty for a bare fence. */
  readonly language: string;
  /** The block's lines, dedented as far as its fence is indented, joined by `\n`. */
  readonly code: string;
  /** Whether the fence was closed. */
  readonly closed: boolean;
}

/** How many closing fences are tried for one block. */
const maxClosings = 20;

/** Indentation, list markers and quote marks, then the fence and its info string. */
const opening = /^((?:[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t]+|>)*)(`{3,}|~{3,})[ \t]*(.*)$/;

interface Fence {
  readonly prefix: string;
  readonly marks: string;
  readonly info: string;
}

/**
 * Finds the fenced blocks of a text: three or more backticks or tildes; a fence is closed by a line
 * of at least as many of the same marks. A block whose code breaks off inside a string or comment
 * (`breaksOff`) goes on to the first later fence where it does not.
 */
export function fencedBlocks(
  text: string,
  breaksOff: (code: string) => boolean,
): readonly FencedBlock[] {
  const lines = text.split(/\r\n|\n|\r/);
  const blocks: FencedBlock[] = [];
  for (let index = 0; index < lines.length; index++) {
    const fence = openingFence(lines[index] ?? "");
    if (fence === undefined) continue;
    const inline = inlineBlock(fence);
    if (inline !== undefined) {
      blocks.push(inline);
      continue;
    }
    const body = lines.slice(index + 1).map((line) => dedent(line, fence.prefix));
    const end = blockEnd(body, fence.marks, breaksOff);
    const code = body.slice(0, end).join("\n");
    const closed = end < body.length;
    // A stray fence at the end of a reply opens nothing.
    if (closed || code.trim() !== "") blocks.push({ language: language(fence.info), code, closed });
    index += end + 1;
  }
  return blocks;
}

function openingFence(line: string): Fence | undefined {
  const [, prefix = "", marks, info = ""] = opening.exec(line) ?? [];
  return marks === undefined ? undefined : { prefix, marks, info };
}

/** A whole block on one line; a backtick in an info string is otherwise no fence. */
function inlineBlock({ marks, info }: Fence): FencedBlock | undefined {
  if (!marks.startsWith("`") || !info.includes("`")) return undefined;
  const text = info.trimEnd();
  const code = text.endsWith(marks) ? text.slice(0, -marks.length) : "";
  const [, word = "", rest = ""] = /^(?:([A-Za-z]+)[ \t]+)?(.*)$/.exec(code) ?? [];
  return { language: word.toLowerCase(), code: rest, closed: code !== "" };
}

function blockEnd(
  body: readonly string[],
  marks: string,
  breaksOff: (code: string) => boolean,
): number {
  const closings: number[] = [];
  for (let index = 0; index < body.length && closings.length < maxClosings; index++) {
    if (!closes(body[index] ?? "", marks)) continue;
    closings.push(index);
    if (!breaksOff(body.slice(0, index).join("\n"))) return index;
  }
  return closings[0] ?? body.length;
}

function closes(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === (marks[0] ?? "").repeat(text.length);
}

function dedent(line: string, prefix: string): string {
  const rest = prefix.includes(">") ? line.replace(/^[ \t]*>[ \t]?/, "") : line;
  const width = prefix.includes(">") ? 0 : prefix.length;
  const blank = /^[ \t]*/.exec(rest)?.[0].length ?? 0;
  return rest.slice(Math.min(width, blank));
}

function language(info: string): string {
  return (/^[{.\s]*([\w+#-]*)/.exec(info)?.[1] ?? "").toLowerCase().slice(0, 20);
}
