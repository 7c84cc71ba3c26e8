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
const opening = /^((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*)(`{3,}|~{3,})[ \t]*(.*)$/;

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
    const end = blockEnd(lines, index + 1, fence, breaksOff);
    const code = blockCode(lines, index + 1, end, fence);
    const closed = end < lines.length;
    // A stray fence at the end of a reply opens nothing.
    if (closed || code.trim() !== "") blocks.push({ language: language(fence.info), code, closed });
    index = end;
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

/**
 * The index of the line that closes a block; the number of lines where none does. Whether the code
 * breaks off is asked only where a later fence could close the block instead: it costs a parse.
 */
function blockEnd(
  lines: readonly string[],
  first: number,
  fence: Fence,
  breaksOff: (code: string) => boolean,
): number {
  const closings: number[] = [];
  for (let index = first; index < lines.length && closings.length < maxClosings; index++) {
    if (closes(dedent(lines[index] ?? "", fence.prefix), fence.marks)) closings.push(index);
  }
  const [only = lines.length, ...later] = closings;
  if (later.length === 0) return only;
  return closings.find((at) => !breaksOff(blockCode(lines, first, at, fence))) ?? only;
}

function blockCode(lines: readonly string[], first: number, end: number, fence: Fence): string {
  return lines.slice(first, end).map((line) => dedent(line, fence.prefix)).join("\n");
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
