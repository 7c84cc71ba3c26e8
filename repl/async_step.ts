/**
 * A step that awaits at its top level, as a script that V8 runs to its first `await`: the statements
 * in an asynchronous function, the names of the step as assignments to the global's properties, the
 * last expression as what the function returns. The inspector's own `replMode` would do the same, but
 * answers from inside the garbage collector when nothing refers to its promise any more, and Deno
 * 2.9.6 aborts the process then ("Invoke in DisallowJavascriptExecutionScope").
 */
import type { Node } from "acorn";
import type { Edit } from "./positions.ts";
import { child, children, fields, identifierName, isFunction, list } from "./syntax_tree.ts";

/** Whether anything is awaited outside of functions. */
export function awaitsAtTopLevel(node: Node): boolean {
  if (node.type === "AwaitExpression") return true;
  if (node.type === "ForOfStatement" && fields(node)["await"] === true) return true;
  if (isFunction(node) || node.type === "StaticBlock" || node.type === "PropertyDefinition") {
    return false;
  }
  return children(node).some(awaitsAtTopLevel);
}

/** The top-level function declarations: they are defined before the rest runs, as always. */
export function hoistedFunctions(statements: readonly Node[]): Node[] {
  return statements.filter(({ type }) => type === "FunctionDeclaration");
}

/** What comes before and after the statements. */
const OPEN = "(async()=>{";
const CLOSE = "\n})()";

/** Edits that turn the statements of a program into the body of an asynchronous function. */
export function asyncEdits(statements: readonly Node[], source: string): Edit[] {
  const last = statements.findLast(({ type }) =>
    type !== "EmptyStatement" && type !== "FunctionDeclaration"
  );
  return [
    insert(0, OPEN),
    ...statements.flatMap((statement) => [
      ...(statement === last ? valueEdits(statement, source) : []),
      ...topLevelEdits(statement),
    ]),
    insert(source.length, CLOSE),
  ];
}

function topLevelEdits(statement: Node): Edit[] {
  switch (statement.type) {
    case "FunctionDeclaration":
      return [];
    case "ClassDeclaration":
      return [
        insert(statement.start, `void(${identifierName(child(statement, "id"))}=`),
        insert(statement.end, ");"),
      ];
    case "VariableDeclaration":
      return assignmentEdits(statement);
    default:
      return nestedEdits(statement);
  }
}

/** `var` and functions in blocks belong to the REPL as well. */
function nestedEdits(node: Node): Edit[] {
  if (isFunction(node) || node.type === "StaticBlock") return [];
  return children(node).flatMap((inner): Edit[] => {
    if (inner.type === "FunctionDeclaration") {
      const name = identifierName(child(inner, "id"));
      const plain = fields(inner)["async"] !== true && fields(inner)["generator"] !== true;
      // As in any sloppy script, only a plain function leaves its block.
      return plain ? [insert(inner.end, `;globalThis.${name}=${name};`)] : [];
    }
    if (inner.type !== "VariableDeclaration" || fields(inner)["kind"] !== "var") {
      return nestedEdits(inner);
    }
    const isHead = /^For/.test(node.type) && child(node, "body") !== inner;
    if (!isHead) return assignmentEdits(inner);
    const keyword = { start: inner.start, end: inner.start + "var".length, text: "   " };
    return [keyword, ...nestedEdits(inner)];
  });
}

/** `const a = 1, {b} = o` as `void(a = 1, {b} = o);`. */
function assignmentEdits(declaration: Node): Edit[] {
  const kind = String(fields(declaration)["kind"]);
  const declarators = list(declaration, "declarations");
  const edits: Edit[] = [{
    start: declaration.start,
    end: declaration.start + kind.length,
    text: "void(".padEnd(kind.length),
  }];
  for (const declarator of declarators) {
    edits.push(...nestedEdits(declarator));
    // A `let` without a value starts afresh; a `var` keeps what is there.
    if (child(declarator, "init") === undefined && kind !== "var") {
      edits.push(insert(declarator.end, "=void 0"));
    }
  }
  edits.push(insert(declarators.at(-1)!.end, ");"));
  return edits;
}

/** The last expression is the value of the step. */
function valueEdits(statement: Node, source: string): Edit[] {
  if (statement.type !== "ExpressionStatement") return [];
  const closed = source[statement.end - 1] === ";";
  return [
    insert(statement.start, "return("),
    insert(statement.end - (closed ? 1 : 0), ")"),
  ];
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
