import type { Node } from "acorn";

/** A node whose fields are read by name: acorn's union type is too narrow for a generic walk. */
export type Fields = Node & { readonly [key: string]: unknown };

/** A node as a bag of fields. */
export function fields(node: Node): Fields {
  return node as Fields;
}

/** The node in a field, if it holds one. */
export function child(node: Node, key: string): Node | undefined {
  const value = fields(node)[key];
  return isNode(value) ? value : undefined;
}

/** The nodes in a field that holds a list; holes are left out. */
export function list(node: Node, key: string): Node[] {
  const value = fields(node)[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** All direct children of a node, in the order of its fields. */
export function children(node: Node): Node[] {
  const found: Node[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) { for (const item of value) if (isNode(item)) found.push(item); }
    else if (isNode(value)) found.push(value);
  }
  return found;
}

/** The name of an identifier; empty for any other node. */
export function identifierName(node: Node | undefined): string {
  if (node?.type !== "Identifier") return "";
  const name = fields(node)["name"];
  return typeof name === "string" ? name : "";
}

/** Whether a node is a function of any kind, also an arrow. */
export function isFunction(node: Node): boolean {
  return node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
}

/** The identifiers that a binding or assignment pattern gives a value to. */
export function patternTargets(pattern: Node | undefined): Node[] {
  switch (pattern?.type) {
    case "Identifier":
    case "MemberExpression":
      return [pattern];
    case "ObjectPattern":
      return list(pattern, "properties").flatMap((property) =>
        patternTargets(child(property, property.type === "RestElement" ? "argument" : "value"))
      );
    case "ArrayPattern":
      return list(pattern, "elements").flatMap(patternTargets);
    case "AssignmentPattern":
      return patternTargets(child(pattern, "left"));
    case "RestElement":
      return patternTargets(child(pattern, "argument"));
    default:
      return [];
  }
}

/** The names that a binding pattern declares. */
export function patternNames(pattern: Node | undefined): string[] {
  return patternTargets(pattern).map(identifierName).filter((name) => name !== "");
}

/** The name of a property that a member expression reads by a constant key. */
export function propertyName(member: Node): string | undefined {
  const property = child(member, "property");
  if (property === undefined) return undefined;
  if (fields(member)["computed"] !== true) return identifierName(property) || undefined;
  const value = fields(property)["value"];
  return property.type === "Literal" && typeof value === "string" ? value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value &&
    typeof value.type === "string" && "start" in value;
}
