import { inert } from "../inert.ts";
import { type Line, type Span, span, type Style } from "./line.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const JS_WORDS = words(
  "as async await break case catch class const continue debugger default delete do else enum " +
    "export extends false finally for from function get if import in instanceof interface let new " +
    "null of return set static super switch this throw true try type typeof undefined var void " +
    "while with yield",
);
const PYTHON_WORDS = words(
  "and as assert async await break class continue def del elif else except False finally for from " +
    "global if import in is lambda None nonlocal not or pass raise return True try while with yield",
);
/** What the REPL itself offers: where an agent's code does something beyond computing. */
const REPL_WORDS = words(
  "FINAL FINAL_VAR llm_query batch_llm_query llm_complete commit tools context saved_context print " +
    "console",
);

const JS_TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?|`(?:\\[\s\S]|[^`\\])*`?)|(?<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)n?)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<regex>\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)|(?<other>[\s\S])/uy;
const PYTHON_TOKEN =
  /(?<comment>#[^\n]*)|(?<string>[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?))|(?<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?))|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<other>[\s\S])/uy;

/** Python's own transcripts hold Python; the engine's hold JavaScript. */
function isPython(code: string): boolean {
  return /^\s*(?:def |import \w+$|from \w+ import |elif |print\(f?["'])/m.test(code) ||
    (/^\s*#/m.test(code) && !/\b(?:const|let|=>|function)\b|\/\//.test(code));
}

/** Characters of code that are coloured; the rest of a longer one is plain. */
const HIGHLIGHT_LIMIT = 100_000;

/** Code in coloured lines, inert. */
export function highlight(code: string): Line[] {
  const text = inert(code);
  const python = isPython(text.slice(0, 4000));
  const pattern = python ? PYTHON_TOKEN : JS_TOKEN;
  const keywords = python ? PYTHON_WORDS : JS_WORDS;
  const lines: Span[][] = [[]];
  const head = text.slice(0, HIGHLIGHT_LIMIT);
  let operandBefore = false;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(head); match !== null; match = pattern.exec(head)) {
    const [token] = match;
    const groups = match.groups ?? {};
    if (groups["regex"] !== undefined && operandBefore) {
      // A division: only its slash is taken.
      append(lines, "/", "plain");
      pattern.lastIndex = match.index + 1;
      operandBefore = false;
      continue;
    }
    append(lines, token, styleOf(groups, keywords));
    if (token.trim() !== "" && groups["comment"] === undefined) {
      operandBefore = groups["word"] === undefined
        ? groups["number"] !== undefined || groups["string"] !== undefined || /[)\]}]/.test(token)
        : !keywords.has(token) || token === "this";
    }
  }
  append(lines, text.slice(HIGHLIGHT_LIMIT), "plain");
  return lines;
}

function styleOf(groups: Record<string, string>, keywords: ReadonlySet<string>): Style {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined || groups["regex"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  const word = groups["word"];
  if (word === undefined) return "plain";
  return keywords.has(word) ? "keyword" : REPL_WORDS.has(word) ? "call" : "plain";
}

/** Adds a token, which may hold line breaks, to the lines. */
function append(lines: Span[][], token: string, style: Style): void {
  if (token === "") return;
  const parts = token.split("\n");
  for (const [i, part] of parts.entries()) {
    if (i > 0) lines.push([]);
    if (part === "") continue;
    const line = lines.at(-1);
    const last = line?.at(-1);
    if (line === undefined) continue;
    if (last !== undefined && last.style === style) {
      line[line.length - 1] = span(last.text + part, style);
    } else line.push(span(part, style));
  }
}
