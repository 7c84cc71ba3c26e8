import { codeOnly, matching } from "./functions.ts";

/** The body of a function expression that has a name of its own. */
interface NamedBody {
  readonly name: string;
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

const MAX_TEXT = 1_000_000;
const ID = "[\\p{ID_Start}$_][\\p{ID_Continue}$]*";
const NAMED = new RegExp(
  `(?:[=(,:?[!&|>~+\\-]|\\b(?:return|await|yield|new|void|typeof))\\s*` +
    `((?:async\\s+)?function\\s*\\*?\\s*(${ID})\\s*)\\(`,
  "gu",
);

/**
 * Remembers the named function expressions of programs. What is written inside one may use its name,
 * which is in no scope that the inspector shows: without this, such a function would come back bound
 * to nothing, or to a global of the same name.
 */
export class EnclosingNames {
  readonly #programs: { readonly text: string; readonly bodies: NamedBody[] }[] = [];

  /** Takes in a program that is to run. */
  add(text: string): void {
    if (text.length > MAX_TEXT) return;
    const bodies: NamedBody[] = [];
    for (const found of text.matchAll(NAMED)) {
      const [all, head, name] = found as unknown as [string, string, string];
      const open = found.index + all.length - 1;
      const start = text.indexOf("{", matching(text, open));
      if (start < 0) continue;
      const end = matching(text, start);
      const from = open - head.length;
      bodies.push({ name, source: text.slice(from, end + 1), start, end });
    }
    if (bodies.length > 0) this.#programs.unshift({ text, bodies });
  }

  /**
   * Names of function expressions around a function that its text uses.
   * @param source Text of the function.
   * @param line Line of its definition in its program, from 0.
   * @param column Column of the same.
   */
  used(source: string, line: number, column: number): NamedBody[] {
    for (const { text, bodies } of this.#programs) {
      let offset = 0;
      for (let n = 0; n < line && offset >= 0; n++) offset = text.indexOf("\n", offset) + 1 || -1;
      if (offset < 0) continue;
      offset += column;
      const start = text.lastIndexOf(source, offset);
      if (start < 0 || start + source.length <= offset) continue;
      const code = codeOnly(source);
      return bodies.filter((body) =>
        body.start < start && start < body.end &&
        new RegExp(
          `(?<![.\\p{ID_Continue}$])${body.name.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`,
          "u",
        )
          .test(code)
      );
    }
    return [];
  }
}
