import { type Comment, type Expression, type Node, type Options, Parser, tokTypes } from "acorn";
import type { Program, TokenType } from "acorn";
import { StepSyntaxError } from "./syntax_error.ts";

/** A parsed step: the syntax tree and every comment of the text, in order. */
export interface ParsedStep {
  readonly program: Program;
  readonly comments: readonly Comment[];
}

const options: Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowAwaitOutsideFunction: true,
  // Both are refused by us, with a reason that helps.
  allowReturnOutsideFunction: true,
  allowImportExportEverywhere: true,
};

/** acorn's internal name for a `var` binding (`BIND_VAR`). */
const varBinding = 1;

/** The parts of acorn's parser that its type declarations leave out; acorn is pinned. */
interface ParserInternals {
  readonly type: TokenType;
  readonly start: number;
  readonly input: string;
  readonly scopeStack: readonly unknown[];
  next(): void;
  nextToken(): void;
  startNode(): Node;
  parseExpression(): Expression;
  parseExpressionStatement(node: Node, expression: Expression): Node;
  parseStatement(context: unknown, topLevel?: boolean, exports?: unknown): Node;
  declareName(name: string, bindingType: number, pos: number): void;
}

/**
 * JavaScript as a notebook reads it: a top-level name may be declared again, and a last statement
 * that is an object literal is that object and not a block.
 */
function notebook(base: typeof Parser): typeof Parser {
  const Base = base as unknown as new (
    options: Options,
    input: string,
    start?: number,
  ) => ParserInternals;
  class NotebookParser extends Base {
    override declareName(name: string, bindingType: number, pos: number): void {
      const topLevel = this.scopeStack.length === 1;
      super.declareName(name, topLevel ? varBinding : bindingType, pos);
    }

    override parseStatement(context: unknown, topLevel?: boolean, exports?: unknown): Node {
      const isObject = topLevel === true && this.type === tokTypes.braceL &&
        endsAsObject(new Base(options, this.input, this.start));
      if (!isObject) return super.parseStatement(context, topLevel, exports);
      return this.parseExpressionStatement(this.startNode(), this.parseExpression());
    }
  }
  return NotebookParser as unknown as typeof Parser;
}

/** Whether the rest of a parser's text is one object literal and semicolons. */
function endsAsObject(parser: ParserInternals): boolean {
  try {
    parser.nextToken();
    const expression = parser.parseExpression();
    while (parser.type === tokTypes.semi) parser.next();
    return parser.type === tokTypes.eof && expression.type === "ObjectExpression";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const StepParser = Parser.extend(notebook);

/** Parses a step's JavaScript; throws `StepSyntaxError` at the place of the first error. */
export function parseStep(source: string): ParsedStep {
  const comments: Comment[] = [];
  try {
    const program = StepParser.parse(source, { ...options, onComment: comments });
    return { program, comments };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(source);
    if (!(error instanceof SyntaxError)) throw error;
    throw explain(error, source);
  }
}

/** The error for source that overflows the stack of whoever walks it. */
export function tooDeep(source: string, offset = 0): StepSyntaxError {
  return new StepSyntaxError("Cannot run code that is nested too deeply", source, offset);
}

function explain(error: SyntaxError & { pos?: number }, source: string): StepSyntaxError {
  const offset = error.pos ?? 0;
  const plain = error.message.replace(/ \(\d+:\d+\)$/, "").replace(/\s+/g, " ");
  if (plain.startsWith("Not enough stack")) return tooDeep(source, offset);
  const message = plain === "Unexpected token"
    ? `Unexpected ${token(source, offset)}`
    : plain.startsWith("Using declaration")
    ? "Cannot declare `using` at the top level"
    : plain.startsWith("The only valid meta property for import")
    ? "Modules cannot be imported here"
    : plain;
  return new StepSyntaxError(clip(message), source, offset, hint(plain, source, offset));
}

function token(source: string, offset: number): string {
  if (offset >= source.length) return "end of input";
  const [text = ""] = /^(?:[\p{ID_Start}$_#][\p{ID_Continue}$]*|=>|[^])/u.exec(
    source.slice(offset, offset + 24),
  ) ?? [];
  return `token '${text}'`;
}

function clip(text: string): string {
  const inert = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
  return inert.length > 160 ? `${inert.slice(0, 159)}…` : inert;
}

function hint(message: string, source: string, offset: number): string | undefined {
  const before = source.slice(Math.max(0, offset - 40), offset);
  if (message.startsWith("Using declaration")) {
    return "It ends with its block: { using x = …; }";
  }
  if (/\bawait\s+$/.test(before)) {
    return "await needs an async function around it; for many calls: " +
      "await Promise.all(list.map(async (x) => …))";
  }
  if (source[offset] === "@") return "Decorators are not supported here";
  if (source[offset] === "<" && /^<(?:>|[A-Za-z][\w.-]*[\s/>])/.test(source.slice(offset))) {
    return "JSX is not supported here; build strings or objects";
  }
  if (message.startsWith("Unterminated template")) {
    return "A template literal is not closed; a backtick inside one is written \\`";
  }
  return undefined;
}
