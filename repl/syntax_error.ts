import { LineMap } from "./positions.ts";

/** The longest line of source that an error shows, in characters. */
const maxExcerptLine = 160;

/** A step whose source cannot be evaluated. The message is one line and says why. */
export class StepSyntaxError extends Error {
  override readonly name = "StepSyntaxError";
  /** 1-based line in the agent's source. */
  readonly line: number;
  /** 1-based column in the agent's source. */
  readonly column: number;
  /** The agent's source line and, below it, a caret; long lines show the part around the error. */
  readonly excerpt: string;
  /** What to do instead, where the cause is a known one. */
  readonly hint?: string;
  /** 0-based offset of the error in the agent's source. */
  readonly offset: number;

  constructor(message: string, source: string, offset: number, hint?: string) {
    super(message);
    const map = new LineMap(source);
    const place = map.place(offset);
    this.offset = offset;
    this.line = place.line;
    this.column = place.column;
    this.excerpt = excerpt(map.line(place.line), place.column);
    if (hint !== undefined) this.hint = hint;
  }

  /** Everything an agent needs to repair the code: message, place, excerpt and hint. */
  describe(): string {
    const where = `SyntaxError at line ${this.line}, column ${this.column}: ${this.message}`;
    const hint = this.hint === undefined ? "" : `\n${this.hint}`;
    return this.excerpt.trim() === "^" ? `${where}${hint}` : `${where}\n${this.excerpt}${hint}`;
  }
}

function excerpt(line: string, column: number): string {
  const at = Math.min(column - 1, line.length);
  const first = line.length <= maxExcerptLine
    ? 0
    : Math.max(0, Math.min(at - maxExcerptLine / 2, line.length - maxExcerptLine));
  const shown = onePlace(line.slice(first, first + maxExcerptLine));
  return `${shown}\n${" ".repeat(at - first)}^`;
}

/** One visible character for each UTF-16 unit that would move the caret or the terminal. */
function onePlace(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}
