import type { Node } from "acorn";
import { StepSyntaxError } from "./syntax_error.ts";
import { child, children, identifierName, isFunction } from "./syntax_tree.ts";

const useGlobals = "Use the globals of the REPL and the functions it lists";

/** Refuses syntax that parses but has no meaning in a step: modules, and `return` inside blocks. */
export function refuseForeignSyntax(program: Node, source: string): void {
  const refuse = (node: Node, message: string, hint: string): never => {
    throw new StepSyntaxError(message, source, node.start, hint);
  };
  const visit = (node: Node, inFunction: boolean): void => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ImportExpression":
        return refuse(node, "Modules cannot be imported here", useGlobals);
      case "MetaProperty":
        if (identifierName(child(node, "meta")) === "import") {
          refuse(node, "Modules cannot be imported here: there is no import.meta", useGlobals);
        }
        break;
      case "ExportNamedDeclaration":
      case "ExportDefaultDeclaration":
      case "ExportAllDeclaration":
        return refuse(
          node,
          "Modules cannot be exported here",
          "Leave `export` out: top-level names persist to the next step",
        );
      case "ReturnStatement":
        if (!inFunction) {
          refuse(
            node,
            "Cannot return from inside a block at the top level",
            "Call FINAL(value) to end, or put the code into a function",
          );
        }
        break;
    }
    for (const inner of children(node)) {
      const topLevelReturn = node === program && inner.type === "ReturnStatement";
      visit(inner, inFunction || topLevelReturn || isFunction(node));
    }
  };
  visit(program, false);
}
