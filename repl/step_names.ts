import type { Node } from "acorn";
import {
  child,
  children,
  fields,
  identifierName,
  isFunction,
  list,
  patternNames,
  patternTargets,
  propertyName,
} from "./syntax_tree.ts";

/** What a step does with the names of the REPL, each list without duplicates. */
export interface StepNames {
  /** Names it declares: top-level declarations of any kind, and `var` anywhere outside functions. */
  readonly declared: readonly string[];
  /** Names it gives a value while it runs. */
  readonly assigned: readonly string[];
  /** Names it reads or writes anywhere, in functions too. */
  readonly used: readonly string[];
}

/** The names that a scope inside the step hides. */
interface Scope {
  readonly names: ReadonlySet<string>;
  readonly outer: Scope | undefined;
}

/** Where the walk is. */
interface Position {
  /** `undefined` at the top level, where every name is a REPL name. */
  readonly scope: Scope | undefined;
  /** Whether the code runs in this step: outside functions, or in one that is called at once. */
  readonly runs: boolean;
  /** Whether `this` is the global object. */
  readonly globalThis: boolean;
}

/** Finds what a parsed step does with names. */
export function stepNames(program: Node): StepNames {
  const walk = new NameWalk();
  for (const name of [...blockNames(list(program, "body")), ...varNames(program)]) {
    walk.declared.add(name);
    walk.used.add(name);
  }
  walk.visitAll(list(program, "body"), { scope: undefined, runs: true, globalThis: true });
  return {
    declared: [...walk.declared],
    assigned: [...walk.assigned],
    used: [...walk.used],
  };
}

class NameWalk {
  readonly declared = new Set<string>();
  readonly assigned = new Set<string>();
  readonly used = new Set<string>();

  visitAll(nodes: readonly Node[], at: Position): void {
    for (const node of nodes) this.visit(node, at);
  }

  visit(node: Node, at: Position): void {
    if (isFunction(node)) return this.#function(node, at, false);
    switch (node.type) {
      case "Identifier":
        return this.#read(identifierName(node), at);
      case "MemberExpression":
        this.#globalMember(node, at, this.used);
        return this.#visitKeyed(node, "object", "property", at);
      case "Property":
        return this.#visitKeyed(node, "value", "key", at);
      case "MethodDefinition":
        return this.#visitKeyed(node, "value", "key", { ...at, globalThis: false });
      case "PropertyDefinition": {
        const runs = at.runs && fields(node)["static"] === true;
        return this.#visitKeyed(node, "value", "key", { ...at, runs, globalThis: false });
      }
      case "LabeledStatement":
        return this.#visitChild(node, "body", at);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      case "VariableDeclaration":
        return this.#declaration(node, at);
      case "AssignmentExpression":
      case "ForInStatement":
      case "ForOfStatement":
        return this.#assignment(node, at);
      case "UpdateExpression":
        this.#write(child(node, "argument"), at);
        return this.#visitChild(node, "argument", at);
      case "CallExpression":
      case "NewExpression":
        return this.#call(node, at);
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(node, at);
      case "BlockStatement":
        return this.visitAll(list(node, "body"), within(at, blockNames(list(node, "body"))));
      case "StaticBlock": {
        const names = [...blockNames(list(node, "body")), ...varNames(node)];
        return this.visitAll(list(node, "body"), { ...within(at, names), globalThis: false });
      }
      case "SwitchStatement": {
        const statements = list(node, "cases").flatMap((c) => list(c, "consequent"));
        return this.visitAll(children(node), within(at, blockNames(statements)));
      }
      case "ForStatement":
        return this.visitAll(children(node), within(at, headNames(child(node, "init"))));
      case "CatchClause":
        return this.visitAll(children(node), within(at, patternNames(child(node, "param"))));
      default:
        return this.visitAll(children(node), at);
    }
  }

  #visitChild(node: Node, key: string, at: Position): void {
    const inner = child(node, key);
    if (inner !== undefined) this.visit(inner, at);
  }

  /** A key is a name of the REPL only when it is computed. */
  #visitKeyed(node: Node, value: string, key: string, at: Position): void {
    if (fields(node)["computed"] === true) this.#visitChild(node, key, at);
    this.#visitChild(node, value, at);
  }

  #read(name: string, at: Position): void {
    if (isGlobal(name, at)) this.used.add(name);
  }

  #write(target: Node | undefined, at: Position): void {
    if (target === undefined) return;
    const name = identifierName(target);
    if (name !== "") {
      this.#read(name, at);
      if (at.runs && isGlobal(name, at)) this.assigned.add(name);
    } else if (target.type === "MemberExpression") {
      this.#globalMember(target, at, at.runs ? this.assigned : this.used);
    }
  }

  /** Notes `globalThis.x` as the name `x`. */
  #globalMember(member: Node, at: Position, names: Set<string>): void {
    const object = child(member, "object");
    const name = propertyName(member);
    const isGlobalObject = object?.type === "ThisExpression"
      ? at.globalThis
      : identifierName(object) === "globalThis" && isGlobal("globalThis", at);
    if (!isGlobalObject || name === undefined) return;
    names.add(name);
    this.used.add(name);
  }

  #declaration(node: Node, at: Position): void {
    for (const declarator of list(node, "declarations")) {
      const initialised = child(declarator, "init") !== undefined ||
        fields(node)["kind"] !== "var";
      for (const name of patternNames(child(declarator, "id"))) {
        this.#read(name, at);
        if (initialised && at.runs && isGlobal(name, at)) this.assigned.add(name);
      }
      this.visitAll(children(declarator), at);
    }
  }

  #assignment(node: Node, outer: Position): void {
    const left = child(node, "left");
    const at = node.type === "AssignmentExpression" ? outer : within(outer, headNames(left));
    const pattern = left?.type === "VariableDeclaration"
      ? child(list(left, "declarations")[0] ?? left, "id")
      : left;
    for (const target of patternTargets(pattern)) this.#write(target, at);
    this.visitAll(children(node), at);
  }

  #call(node: Node, at: Position): void {
    for (const part of children(node)) {
      if (isFunction(part)) this.#function(part, at, true);
      else this.visit(part, at);
    }
  }

  #function(node: Node, outer: Position, calledAtOnce: boolean): void {
    const arrow = node.type === "ArrowFunctionExpression";
    const id = child(node, "id");
    if (node.type === "FunctionDeclaration") this.#write(id, outer);
    const body = child(node, "body");
    const names = [
      ...(node.type === "FunctionExpression" ? patternNames(id) : []),
      ...(arrow ? [] : ["arguments"]),
      ...list(node, "params").flatMap(patternNames),
      ...(body?.type === "BlockStatement" ? varNames(body) : []),
    ];
    const at: Position = {
      ...within(outer, names),
      runs: outer.runs && calledAtOnce,
      globalThis: arrow && outer.globalThis,
    };
    this.visitAll(list(node, "params"), at);
    if (body !== undefined) this.visit(body, at);
  }

  #class(node: Node, outer: Position): void {
    const id = child(node, "id");
    if (node.type === "ClassDeclaration") this.#write(id, outer);
    const at = within(outer, patternNames(id));
    this.#visitChild(node, "superClass", at);
    this.#visitChild(node, "body", at);
  }
}

function isGlobal(name: string, at: Position): boolean {
  for (let scope = at.scope; scope !== undefined; scope = scope.outer) {
    if (scope.names.has(name)) return false;
  }
  return true;
}

function within(at: Position, names: readonly string[]): Position {
  return names.length === 0 ? at : { ...at, scope: { names: new Set(names), outer: at.scope } };
}

/** What the statements of a block declare for that block alone. */
export function blockNames(statements: readonly Node[]): string[] {
  return statements.flatMap((statement) => {
    if (statement.type === "VariableDeclaration") return headNames(statement);
    const declares = statement.type === "FunctionDeclaration" ||
      statement.type === "ClassDeclaration";
    return declares ? patternNames(child(statement, "id")) : [];
  });
}

/** The names of a `let`, `const` or `using` declaration; none for `var` and other nodes. */
function headNames(node: Node | undefined): string[] {
  if (node?.type !== "VariableDeclaration" || fields(node)["kind"] === "var") return [];
  return list(node, "declarations").flatMap((d) => patternNames(child(d, "id")));
}

/** The names that `var`, and functions in blocks, declare for the function or step around them. */
function varNames(root: Node): string[] {
  return children(root).flatMap((node) => {
    if (node.type === "FunctionDeclaration" && root.type === "BlockStatement") {
      const plain = fields(node)["async"] !== true && fields(node)["generator"] !== true;
      return plain ? patternNames(child(node, "id")) : [];
    }
    if (isFunction(node) || node.type === "StaticBlock") return [];
    const own = node.type === "VariableDeclaration" && fields(node)["kind"] === "var"
      ? list(node, "declarations").flatMap((d) => patternNames(child(d, "id")))
      : [];
    return [...own, ...varNames(node)];
  });
}
