import type { Node } from "acorn";
import { commentsByName } from "./comments.ts";
import { refuseForeignSyntax } from "./foreign_syntax.ts";
import { asyncEdits, awaitsAtTopLevel, hoistedFunctions } from "./async_step.ts";
import { stepNames } from "./step_names.ts";
import { type ParsedStep, parseStep, tooDeep } from "./parse.ts";
import { applyEdits, type Edit, type EditedText, LineMap } from "./positions.ts";
import { child, fields, identifierName, list, patternTargets } from "./syntax_tree.ts";
import { StepSyntaxError } from "./syntax_error.ts";
import { stripTypes } from "./typescript.ts";

export { StepSyntaxError } from "./syntax_error.ts";

/** An agent's step, ready to be evaluated as a sloppy global script. */
export interface StepProgram {
  /** The agent's source with TypeScript types as blanks; every line is where the agent wrote it. */
  readonly source: string;
  /** Whether it has nothing to run: it is empty, or only comments. */
  readonly isEmpty: boolean;
  /**
   * What is evaluated: `source` with top-level `const`, `let` and `class` as `var`, so that every
   * name is one live property of the global and may be declared again, and `const` is a plain
   * variable with and without `await`. Every line is where it is in `source`. Of a step that awaits
   * it is a call whose promise settles when the step does.
   */
  readonly code: string;
  /**
   * Of a step that awaits: its top-level functions, to be evaluated before `code`; every character
   * stands where it would stand there. Empty for any other step.
   */
  readonly hoisted: string;
  /** REPL names that the step declares: top-level of any kind, and `var` outside functions. */
  readonly declared: readonly string[];
  /** REPL names that get a value while the step runs, `globalThis.x = …` included. */
  readonly assigned: readonly string[];
  /** REPL names that the step reads or writes anywhere, its functions included. */
  readonly used: readonly string[];
  /** What comments next to assignments say, by name; the record has no prototype. */
  readonly comments: Readonly<Record<string, string>>;
  /** Maps a 1-based place in `code` to the one in the agent's source; never outside of it. */
  position(line: number, column: number): { line: number; column: number };
}

/** How many lines, from the last, are tried to find an error in TypeScript. */
const maxErrorLines = 200;

/** How a step's source is to be read. */
export interface RewriteOptions {
  /**
   * Read the source as TypeScript first, because its author said so.
   * @default false: only when it is no JavaScript
   */
  readonly typescript?: boolean;
}

/**
 * Turns an agent's source into what is evaluated.
 *
 * Throws `StepSyntaxError` for source that does not parse, imports modules, or returns from
 * the top level before its last statement.
 */
export function rewriteStep(source: string, options: RewriteOptions = {}): StepProgram {
  try {
    return rewrite(source, options);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(source);
    throw error;
  }
}

function rewrite(original: string, options: RewriteOptions): StepProgram {
  const { source, step } = read(withoutPrologue(original), options);
  const { program, comments } = step;
  refuseForeignSyntax(program, source);
  const statements = list(program, "body");
  // In this order: it refuses what cannot be run, also for a step that awaits.
  const plainEdits = programEdits(statements, source);
  const awaits = awaitsAtTopLevel(program);
  const edited = applyEdits(source, awaits ? asyncEdits(statements, source) : plainEdits);
  const [code, hoisted] = awaits
    ? takeOut(edited, hoistedFunctions(statements))
    : [edited.text, ""];
  const codeLines = new LineMap(edited.text);
  const sourceLines = new LineMap(source);
  return {
    source,
    isEmpty: statements.every(({ type }) => type === "EmptyStatement"),
    code,
    hoisted,
    ...stepNames(program),
    comments: commentsByName(source, program, comments),
    position(line: number, column: number): { line: number; column: number } {
      return { ...sourceLines.place(edited.origin(codeLines.offset(line, column))) };
    },
  };
}

/** The edited text without the given nodes, and with nothing but them; both keep every place. */
function takeOut(edited: EditedText, nodes: readonly Node[]): [rest: string, taken: string] {
  const blank = (text: string) => text.replace(/[^\n\r\u2028\u2029]/g, " ");
  let rest = "";
  let taken = "";
  let done = 0;
  for (const { start, end } of nodes) {
    const from = edited.target(start, "behind");
    const to = edited.target(end, "before");
    rest += edited.text.slice(done, from) + blank(edited.text.slice(from, to));
    taken += blank(edited.text.slice(done, from)) + edited.text.slice(from, to);
    done = to;
  }
  rest += edited.text.slice(done);
  return [rest, nodes.length === 0 ? "" : taken];
}

/** A byte order mark and a hashbang line mean nothing here; their length is kept. */
function withoutPrologue(source: string): string {
  return source.replace(/^\uFEFF?#!.*|^\uFEFF/, (prologue) => " ".repeat(prologue.length));
}

function read(source: string, options: RewriteOptions): { source: string; step: ParsedStep } {
  if (options.typescript === true) {
    const stripped = stripTypes(source);
    if (stripped.kind === "stripped") {
      return { source: stripped.source, step: parseStep(stripped.source) };
    }
  }
  try {
    return { source, step: parseStep(source) };
  } catch (error) {
    if (!(error instanceof StepSyntaxError)) throw error;
    const stripped = stripTypes(source);
    if (stripped.kind === "unsupported") throw stripped.error;
    if (stripped.kind === "invalid") throw typeScriptError(source, error) ?? error;
    return { source: stripped.source, step: parseStep(stripped.source) };
  }
}

/**
 * The error in TypeScript that has one: the stripper gives no place, and to JavaScript the first
 * type is an error already. So the lines that are valid are stripped, and the rest is parsed.
 */
function typeScriptError(source: string, first: StepSyntaxError): StepSyntaxError | undefined {
  const map = new LineMap(source);
  const lowest = Math.max(first.line, map.lines - maxErrorLines);
  for (let line = map.lines - 1; line >= lowest; line--) {
    const valid = map.offset(line + 1, 1);
    const stripped = stripTypes(source.slice(0, valid));
    if (stripped.kind !== "stripped" || stripped.source.length !== valid) continue;
    try {
      parseStep(stripped.source);
    } catch {
      continue;
    }
    try {
      parseStep(stripped.source + source.slice(valid));
    } catch (error) {
      if (error instanceof StepSyntaxError) return error;
    }
    return undefined;
  }
  return undefined;
}

function programEdits(statements: readonly Node[], source: string): Edit[] {
  const lastReal = statements.findLastIndex((s) =>
    s.type !== "EmptyStatement" && s.type !== "FunctionDeclaration"
  );
  return statements.flatMap((statement, index) => {
    switch (statement.type) {
      case "VariableDeclaration":
        refuseConstants(statement, source);
        return declarationEdits(statement);
      case "ClassDeclaration":
        return [
          insert(statement.start, `var ${identifierName(child(statement, "id"))}=`),
          insert(statement.end, ";"),
        ];
      case "ReturnStatement":
        if (index === lastReal) return returnEdits(statement);
        throw new StepSyntaxError(
          "Cannot return from the top level before the last statement",
          source,
          statement.start,
          "Call FINAL(value) to end, or put the code into a function",
        );
      case "ExpressionStatement": {
        const expression = child(statement, "expression");
        if (expression?.type !== "ObjectExpression" || expression.start !== statement.start) {
          return [];
        }
        const open = index === 0 ? "(" : ";(";
        return [insert(expression.start, open), insert(expression.end, ")")];
      }
      default:
        return [];
    }
  });
}

/** Globals that no script can change: a `var` of their name would be ignored in silence. */
function refuseConstants(declaration: Node, source: string): void {
  for (const target of list(declaration, "declarations").flatMap(targets)) {
    const name = identifierName(target);
    if (name !== "undefined" && name !== "NaN" && name !== "Infinity") continue;
    throw new StepSyntaxError(`Cannot declare ${name}: it is a constant`, source, target.start);
  }
}

function targets(declarator: Node): Node[] {
  return patternTargets(child(declarator, "id"));
}

function declarationEdits(declaration: Node): Edit[] {
  const kind = String(fields(declaration)["kind"]);
  if (kind === "var") return [];
  const end = declaration.start + kind.length;
  const keyword = { start: declaration.start, end, text: "var".padEnd(kind.length) };
  // A declaration without a value starts afresh, whatever an earlier step left in the name.
  const values = list(declaration, "declarations").filter((d) => child(d, "init") === undefined)
    .map((declarator) => insert(declarator.end, "=void 0"));
  return [keyword, ...values];
}

/** `return x` as the last statement is the value of the step. */
function returnEdits(statement: Node): Edit[] {
  const keyword = { start: statement.start, end: statement.start + "return".length };
  const argument = child(statement, "argument");
  if (argument === undefined) return [{ ...keyword, text: "void 0" }];
  return [{ ...keyword, text: ";    (" }, insert(argument.end, ")")];
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
