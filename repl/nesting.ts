/**
 * The native type stripper aborts the whole process when its stack overflows (measured on Deno
 * 2.9.6: from about 1,600 nested functions), so its input is bounded first. The bound may count too
 * much but never too little: it needs no parser, and what it cannot read for sure it refuses.
 */

/** Nesting that the stripper survives with a wide margin, also on the small stack of a thread. */
const maxDepth = 200;
/** Operators and words in a row, without `,` or `;`: each may open one more level. */
const maxRun = 1_500;

/** Whether the stripper can be given this text. */
export function isShallow(source: string): boolean {
  return new NestingScan(source).shallow();
}

/** Words that an expression may follow, so that a slash behind them can begin a regular expression. */
const operators =
  /^(?:await|case|default|delete|do|else|extends|in|instanceof|new|of|return|throw|typeof|void|yield)$/;

class NestingScan {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  /** Generics: `<` without its `>`. */
  #angles = 0;
  #run = 0;
  /** What a slash would be now: a division, the start of a regular expression, or either. */
  #slashIs: "division" | "regex" | "unsure" = "regex";
  /** The depths at which `${` parts of open template literals began. */
  readonly #templates: number[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  shallow(): boolean {
    while (this.#at < this.#source.length) {
      const understood = this.#step(this.#source[this.#at] ?? "");
      if (!understood || this.#depth + this.#angles > maxDepth || this.#run > maxRun) return false;
    }
    return true;
  }

  /** Reads one token; false when it cannot be read for sure. */
  #step(char: string): boolean {
    if (/[\p{ID_Start}$_#\\]/u.test(char)) return this.#word();
    this.#at++;
    if (/\s/.test(char)) return true;
    const slash = this.#slashIs;
    this.#slashIs = /["'`\]\d.]/.test(char)
      ? "division"
      : /[)}+\->!]/.test(char)
      ? "unsure"
      : "regex";
    switch (char) {
      case "'":
      case '"':
        return this.#string(char);
      case "`":
        return this.#template();
      case "/":
        return this.#slash(slash);
      case "(":
      case "[":
      case "{":
        this.#depth++;
        return true;
      case "}":
        return this.#closeBrace();
      case ")":
      case "]":
        this.#depth = Math.max(0, this.#depth - 1);
        return true;
      case ";":
        this.#angles = 0;
        this.#run = 0;
        return true;
      case ",":
        this.#run = 0;
        return true;
      case "<":
        this.#angles++;
        return true;
      case ">":
        if (this.#source[this.#at - 2] !== "=") this.#angles = Math.max(0, this.#angles - 1);
        return true;
      default:
        if (!/[.\d]/.test(char)) this.#run++;
        return true;
    }
  }

  #closeBrace(): boolean {
    const inTemplate = this.#templates.at(-1) === this.#depth;
    this.#depth = Math.max(0, this.#depth - 1);
    if (!inTemplate) return true;
    this.#templates.pop();
    this.#slashIs = "division";
    return this.#template();
  }

  #word(): boolean {
    this.#run++;
    const text = this.#match(/[\p{ID_Continue}$#\\]+/uy) || " ";
    this.#at += text.length;
    this.#slashIs = operators.test(text) || text.includes("\\") ? "unsure" : "division";
    return true;
  }

  #string(quote: string): boolean {
    for (; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at];
      if (char === "\\") this.#at += this.#source.startsWith("\r\n", this.#at + 1) ? 2 : 1;
      else if (char === quote || char === "\n" || char === "\r") break;
    }
    this.#at++;
    return true;
  }

  /** The text of a template literal, up to its end or its next `${`. */
  #template(): boolean {
    for (; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at];
      if (char === "\\") this.#at++;
      else if (char === "`") break;
      else if (this.#source.startsWith("${", this.#at)) {
        this.#templates.push(++this.#depth);
        this.#slashIs = "regex";
        this.#at++;
        break;
      }
    }
    this.#at++;
    return true;
  }

  /** A comment, a division or a regular expression. */
  #slash(kind: "division" | "regex" | "unsure"): boolean {
    const next = this.#source[this.#at];
    if (next === "/") {
      this.#slashIs = kind;
      this.#at += this.#match(/[^\n\r\u2028\u2029]*/y).length;
      return true;
    }
    if (next === "*") {
      this.#slashIs = kind;
      const end = this.#source.indexOf("*/", this.#at + 1);
      this.#at = end < 0 ? this.#source.length : end + 2;
      return true;
    }
    if (kind === "division") return true;
    if (kind === "regex") {
      const body = /(?:\\.|\[(?:\\.|[^\]\\\n\r\u2028\u2029])*\]|[^/[\\\n\r\u2028\u2029])*\/?/y;
      this.#at += this.#match(body).length;
      this.#slashIs = "division";
      return true;
    }
    return this.#eitherWay();
  }

  /** Where a slash may be both: everything that opens counts and nothing that closes does. */
  #eitherWay(): boolean {
    // A regular expression ends on its line, so a lone slash divides.
    const line = this.#match(/[^\n\r\u2028\u2029]*/y);
    if (!line.includes("/")) return true;
    if (this.#templates.length > 0 || /`|\/\*/.test(line)) return false;
    this.#depth += line.match(/[([{<]/g)?.length ?? 0;
    this.#run += line.match(/[^\s\w]|\w+/g)?.length ?? 0;
    this.#at += line.length;
    return true;
  }

  #match(sticky: RegExp): string {
    sticky.lastIndex = this.#at;
    return sticky.exec(this.#source)?.[0] ?? "";
  }
}
