import type { AgentModel } from "./model.ts";

/** Siblings in the order they were asked for, which need not be the order in which they began. */
export function byPath(a: AgentModel, b: AgentModel): number {
  const number = ({ path }: AgentModel): number => Number(path.slice(path.lastIndexOf(".") + 1));
  return number(a) - number(b) || 0;
}
