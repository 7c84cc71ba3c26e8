import type { Node } from "acorn";
import type { Edit } from "./positions.ts";
import { child, children, isFunction } from "./syntax_tree.ts";

/**
 * The function that a step's own `await`s pass their value through. While the step waits, it keeps
 * the promise alive: V8 aborts the process when a step turns out to wait for garbage.
 */
export const HOLD_AWAIT = "__await";

/** Edits that pass what the top level awaits through `HOLD_AWAIT`. */
export function awaitEdits(program: Node): Edit[] {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    if (isFunction(node) || node.type === "StaticBlock") return;
    if (node.type === "PropertyDefinition") return;
    if (node.type === "AwaitExpression") {
      const argument = child(node, "argument")!;
      const inner = argument.type === "SequenceExpression" ? ["(", ")"] : ["", ""];
      edits.push({ start: argument.start, end: argument.start, text: `${HOLD_AWAIT}(${inner[0]}` });
      for (const next of children(node)) visit(next);
      edits.push({ start: argument.end, end: argument.end, text: `${inner[1]})` });
      return;
    }
    for (const next of children(node)) visit(next);
  };
  visit(program);
  return edits;
}

/** What the worker puts under `HOLD_AWAIT`. */
export interface AwaitHold {
  /** Returns its argument, or the promise that stands for it. */
  readonly hold: (value: unknown) => unknown;
  /** The step that waits was given up: what it waits for is kept for good. */
  abandon(): void;
}

/** Creates the hold; a step waits for one promise at a time, so there is one place for it. */
export function createAwaitHold(): AwaitHold {
  const NativePromise = Promise;
  const resolved = Function.prototype.call.bind(Promise.resolve, NativePromise) as (
    value: unknown,
  ) => unknown;
  const abandoned: unknown[] = [];
  let held: unknown;
  return {
    hold(value) {
      const waits = (typeof value === "object" && value !== null) || typeof value === "function";
      return waits ? held = resolved(value) : value;
    },
    abandon: () => void (abandoned[abandoned.length] = held),
  };
}
