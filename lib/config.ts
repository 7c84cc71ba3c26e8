import type { Model } from "./model/model.ts";

/**
 * What a caller may set, by the names of DESIGN §12. Nothing here is required but the model; every
 * default stands in `resolveConfig`.
 */
export interface Config {
  /** Model of the root agent: `openrouter/…`, `replay:FILE`, or an AI SDK model. No default. */
  primaryAgent?: string | Model;
  /** Model of sub-agents. @default the primary agent's */
  subAgent?: string | Model;
}
