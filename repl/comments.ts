import type { Comment, Node } from "acorn";
import { commentText } from "./comment_text.ts";
import { LineMap } from "./positions.ts";
import {
  child,
  fields,
  identifierName,
  list,
  patternNames,
  patternTargets,
  propertyName,
} from "./syntax_tree.ts";

/** Something that gives values to names, and where the comments on it may stand. */
interface Item {
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
  /** Where a comment at the end of the first line may begin, at the earliest. */
  readonly valueStart: number;
  /** Comments for an item without its own; those of the declaration around it. */
  readonly fallback?: () => readonly Comment[];
}

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
      case "ExpressionStatement":
        return assignmentItems(statement, finder);
      default:
        return [];
    }
  });
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

class CommentFinder {
  readonly #source: string;
  readonly #map: LineMap;
  readonly #byStart: ReadonlyMap<number, Comment>;
  readonly #byEnd: ReadonlyMap<number, Comment>;

  constructor(source: string, comments: readonly Comment[]) {
    this.#source = source;
    this.#map = new LineMap(source);
    this.#byStart = new Map(comments.map((c) => [c.start, c]));
    this.#byEnd = new Map(comments.map((c) => [c.end, c]));
  }

  /** The comments above an item, at the end of its first line, and after it. */
  of(item: Item): Comment[][] {
    return [this.above(item.start), this.#endOfFirstLine(item), this.after(item.end)];
  }

  sameLine(a: number, b: number): boolean {
    return this.#map.place(a).line === this.#map.place(b).line;
  }

  /** The comments that end directly before `start`, with no blank line and no code between. */
  above(start: number): Comment[] {
    const found: Comment[] = [];
    let at = start;
    for (;;) {
      const blank = /\s*$/.exec(this.#source.slice(Math.max(0, at - 2_000), at))?.[0] ?? "";
      const comment = this.#byEnd.get(at - blank.length);
      if (comment === undefined || new LineMap(blank).lines > 2) break;
      found.unshift(comment);
      at = comment.start;
    }
    // What stands behind code on that code's line belongs to it, unless a comma came before.
    while (found[0] !== undefined) {
      const { line, column } = this.#map.place(found[0].start);
      const before = this.#map.line(line).slice(0, column - 1).trimEnd();
      const inline = before.endsWith(",") && this.sameLine(found[0].end, start);
      if (before === "" || inline) break;
      found.shift();
    }
    return found;
  }

  /** The comments after `end` on its line, before any other code. */
  after(end: number): Comment[] {
    const found: Comment[] = [];
    let at = end;
    let comma = false;
    for (;;) {
      const between = /[^\S\n\r\u2028\u2029]*[;,)\]}]?/y;
      between.lastIndex = at;
      const [text = ""] = between.exec(this.#source) ?? [];
      if (text.endsWith(",")) comma = true;
      at += text.length;
      const comment = this.#byStart.get(at);
      if (comment === undefined) {
        if (text === "") break;
        continue;
      }
      found.push(comment);
      at = comment.end;
      if (!this.sameLine(comment.start, comment.end)) break;
    }
    const rest = this.#source.slice(at, this.#map.offset(this.#map.place(at).line, Infinity));
    // After a comma, an inner comment is about what follows it.
    return comma && rest.trim() !== "" ? [] : found;
  }

  /** A comment at the end of the first line of an item that goes on below. */
  #endOfFirstLine(item: Item): Comment[] {
    if (this.sameLine(item.start, item.end)) return [];
    const { line } = this.#map.place(item.start);
    const text = this.#map.line(line).trimEnd();
    const comment = this.#byEnd.get(this.#map.offset(line, 1) + text.length);
    if (comment === undefined || comment.start < item.valueStart || comment.end > item.end) {
      return [];
    }
    return [comment];
  }
}
