import type { Comment, Node } from "acorn";
import { CommentFinder, type Item } from "./comment_places.ts";
import { commentText } from "./comment_text.ts";
import { blockNames } from "./step_names.ts";
import {
  child,
  fields,
  identifierName,
  list,
  patternNames,
  patternTargets,
  propertyName,
} from "./syntax_tree.ts";

/**
 * The comments that stand next to assignments, by the name that is assigned: the lines directly
 * above, the end of the first line, and what follows on the last line. A later comment of the same
 * step replaces an earlier one; the record has no prototype.
 */
export function commentsByName(
  source: string,
  program: Node,
  comments: readonly Comment[],
): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null);
  if (comments.length === 0) return found;
  const finder = new CommentFinder(source, comments);
  for (const item of items(list(program, "body"), finder)) {
    const text = commentText(...finder.of(item)) || commentText(item.fallback?.() ?? []);
    if (text === "") continue;
    for (const name of item.names) found[name] = text;
  }
  return found;
}

function items(statements: readonly Node[], finder: CommentFinder): Item[] {
  return statements.flatMap((statement) => {
    switch (statement.type) {
      case "VariableDeclaration":
        return declarationItems(statement, finder);
      case "FunctionDeclaration":
      case "ClassDeclaration":
        return [item(patternNames(child(statement, "id")), statement, child(statement, "id"))];
      default:
        return innerItems(statement, finder, []);
    }
  });
}

/** Assignments to REPL names, also in blocks that run with the step; `hidden` names are others. */
function innerItems(
  statement: Node | undefined,
  finder: CommentFinder,
  hidden: readonly string[],
): Item[] {
  switch (statement?.type) {
    case "ExpressionStatement":
      return assignmentItems(statement, finder).filter((i) =>
        !i.names.some((name) => hidden.includes(name))
      );
    case "VariableDeclaration":
      return fields(statement)["kind"] === "var" ? declarationItems(statement, finder) : [];
    case "BlockStatement": {
      const inner = [...hidden, ...blockNames(list(statement, "body"))];
      return list(statement, "body").flatMap((s) => innerItems(s, finder, inner));
    }
    case "IfStatement":
      return ["consequent", "alternate"].flatMap((key) =>
        innerItems(child(statement, key), finder, hidden)
      );
    case "TryStatement":
      return [
        ...innerItems(child(statement, "block"), finder, hidden),
        ...innerItems(child(statement, "finalizer"), finder, hidden),
      ];
    default:
      return [];
  }
}

function item(names: readonly string[], node: Node, target: Node | undefined): Item {
  return { names, start: node.start, end: node.end, valueStart: target?.end ?? node.start };
}

function declarationItems(declaration: Node, finder: CommentFinder): Item[] {
  const declarators = list(declaration, "declarations");
  return declarators.flatMap((declarator, index) => {
    const target = child(declarator, "id");
    const own: Item = {
      names: patternNames(target),
      start: index === 0 ? declaration.start : declarator.start,
      end: declarator.end,
      valueStart: target?.end ?? declarator.start,
      fallback: () => [
        ...finder.above(declaration.start),
        ...(finder.sameLine(declarator.end, declaration.end) ? finder.after(declaration.end) : []),
      ],
    };
    return [own, ...patternItems(target, finder)];
  });
}

function assignmentItems(statement: Node, finder: CommentFinder): Item[] {
  const expression = child(statement, "expression");
  const parts = expression?.type === "SequenceExpression"
    ? list(expression, "expressions")
    : expression === undefined
    ? []
    : [expression];
  return parts.flatMap((part, index) => {
    const names: string[] = [];
    let target: Node | undefined;
    let inner: Node | undefined = part;
    while (inner?.type === "AssignmentExpression" && assigns(inner)) {
      target = child(inner, "left");
      names.push(...patternTargets(target).map(targetName).filter((name) => name !== ""));
      inner = child(inner, "right");
    }
    if (names.length === 0) return [];
    const own: Item = {
      names,
      start: index === 0 ? statement.start : part.start,
      end: part.end,
      valueStart: target?.end ?? part.start,
    };
    return [own, ...patternItems(target, finder)];
  });
}

/** Compound assignments change a value; their comments tell of the change, not of the variable. */
function assigns(assignment: Node): boolean {
  return ["=", "??=", "||="].includes(String(fields(assignment)["operator"]));
}

function targetName(target: Node): string {
  if (target.type !== "MemberExpression") return identifierName(target);
  const object = child(target, "object");
  const isGlobal = object?.type === "ThisExpression" || identifierName(object) === "globalThis";
  return (isGlobal ? propertyName(target) : undefined) ?? "";
}

/** The parts of a pattern that is written over several lines, each with a comment of its own. */
function patternItems(pattern: Node | undefined, finder: CommentFinder): Item[] {
  if (pattern === undefined || finder.sameLine(pattern.start, pattern.end)) return [];
  const parts = pattern.type === "ObjectPattern"
    ? list(pattern, "properties")
    : pattern.type === "ArrayPattern"
    ? list(pattern, "elements")
    : [];
  return parts.map((part) => {
    const value = part.type === "Property" ? child(part, "value") : part;
    const names = patternTargets(value).map(targetName).filter((name) => name !== "");
    return { names, start: part.start, end: part.end, valueStart: part.end };
  });
}
