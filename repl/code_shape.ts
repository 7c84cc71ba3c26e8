import type { Node } from "acorn";
import { parseStep } from "./parse.ts";
import { StepSyntaxError } from "./syntax_error.ts";
import { child, children, list } from "./syntax_tree.ts";

const actions: ReadonlySet<string> = new Set([
  "AssignmentExpression",
  "AwaitExpression",
  "CallExpression",
  "ClassDeclaration",
  "FunctionDeclaration",
  "NewExpression",
  "UpdateExpression",
  "VariableDeclaration",
]);

/**
 * Whether JavaScript does something, so that it was meant to be run: prose such as `Done`, `yes; no`
 * or `Answer: f(x)` can parse, too. Source that does not parse is no code.
 */
export function looksLikeCode(source: string): boolean {
  try {
    const body = list(parseStep(source).program, "body");
    return !body.some((statement, index) => isProse(statement, index === body.length - 1)) &&
      body.some(acts);
  } catch (error) {
    if (error instanceof StepSyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

/** Whether the text breaks off inside a template literal or a comment, which may hold any line. */
export function endsInsideText(source: string): boolean {
  try {
    parseStep(source);
    return false;
  } catch (error) {
    return error instanceof StepSyntaxError &&
      /^Unterminated (?:template|comment)/.test(error.message);
  }
}

function isProse(statement: Node, last: boolean): boolean {
  if (statement.type === "LabeledStatement") {
    return !/^(?:For|While|DoWhile|Block)/.test(child(statement, "body")?.type ?? "");
  }
  const expression = child(statement, "expression");
  return !last && (expression?.type === "Identifier" || expression?.type === "SequenceExpression");
}

function acts(node: Node): boolean {
  return actions.has(node.type) || children(node).some(acts);
}
