import type { LanguageModel } from "ai";

/** Any language model of the AI SDK: what its providers make. */
export type AiSdkLanguageModel = Exclude<LanguageModel, string>;

/** The newest interface, by which this engine calls models; older ones take the same text calls. */
export type LanguageModelV4 = Extract<AiSdkLanguageModel, { specificationVersion: "v4" }>;

/** Options of one call. */
export type CallOptions = Parameters<LanguageModelV4["doGenerate"]>[0];

/** Whether a value is an AI SDK model of an interface that can be called here. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  if (typeof value !== "object" || value === null) return false;
  const model = value as Partial<LanguageModelV4>;
  return typeof model.doGenerate === "function" && typeof model.doStream === "function" &&
    /^v[234]$/.test(String(model.specificationVersion));
}
