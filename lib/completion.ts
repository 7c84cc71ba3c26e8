import { grouped } from "../repl/grouped.ts";
import { type AgentBudget, roughTokens } from "./budget.ts";
import { RlmError } from "./errors.ts";
import type { CallerRef, ChatMessage, Model, ModelReply, ModelRequest } from "./model/model.ts";
import { ModelError } from "./model/model_error.ts";
import { addUsage, noUsage, type Usage } from "./model/usage.ts";
import type { CompiledSchema } from "./output_schema.ts";

/** One model call without a REPL. */
export interface CompletionOptions {
  readonly prompt: string;
  readonly model: Model;
  readonly schema: CompiledSchema | undefined;
  readonly caller: CallerRef;
  readonly signal: AbortSignal;
  readonly budget: AgentBudget;
  readonly onRetry?: NonNullable<ModelRequest["onRetry"]>;
}

/** Tries at an answer that matches the schema. */
const SCHEMA_TRIES = 2;
const FENCED = /^\s*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/;

/**
 * Asks a model once; with a schema, once more when the answer does not match. An answer that was
 * cut by the output limit ends with a line that says so.
 *
 * @throws {RlmError} `model_context_too_long` with sizes, before anything is sent where the window
 * is known; `schema` when no answer matched; what the model throws
 */
export async function complete(
  options: CompletionOptions,
): Promise<{ value: unknown; usage: Usage }> {
  const { schema, model } = options;
  const messages: ChatMessage[] = [{
    role: "user",
    content: schema
      ? `${options.prompt}\n\nAnswer with JSON only, of this type:\n${schema.describe()}`
      : options.prompt,
  }];
  checkSize(options.prompt, model);
  let usage = noUsage;
  for (let attempt = 1;; attempt++) {
    const reply = await ask(options, messages, attempt);
    usage = addUsage(usage, reply.usage);
    if (!schema) return { value: textOf(reply, model), usage };
    const problems = await match(reply.text, schema);
    if ("value" in problems) return { value: problems.value, usage };
    if (attempt === SCHEMA_TRIES) {
      throw new RlmError("schema", `The answer does not match the schema: ${problems.errors[0]}`);
    }
    messages.push(
      { role: "assistant", content: reply.text || "(no text)" },
      {
        role: "user",
        content: `That does not match:\n${
          problems.errors.join("\n")
        }\nAnswer with the corrected JSON only.`,
      },
    );
  }
}

/** The text, marked where the output limit cut it: half an answer must not pass for a whole one. */
function textOf(reply: ModelReply, model: Model): string {
  if (reply.finish !== "length") return reply.text;
  if (reply.text.trim() !== "") return `${reply.text}\n[cut by the output limit of the model]`;
  throw new RlmError(
    "model_empty",
    `${model.id} used up its output limit without an answer: ask for less`,
  );
}

async function ask(options: CompletionOptions, messages: readonly ChatMessage[], attempt: number) {
  const { model, budget, signal, caller } = options;
  const promptTokens = messages.reduce((sum, { content }) => sum + roughTokens(content), 0);
  using reservation = await budget.complete({ model: model.id, promptTokens, signal });
  try {
    const reply = await model.generate({
      messages,
      caller: { ...caller, call: attempt },
      ...(reservation.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: reservation.maxOutputTokens }),
      signal,
      ...(options.onRetry ? { onRetry: options.onRetry } : {}),
    });
    reservation.settle(reply.usage);
    if (reply.finish === "filtered" || reply.finish === "refused") {
      throw new RlmError("model_filtered", `The model did not answer: ${reply.finish}`);
    }
    return reply;
  } catch (error) {
    reservation.fail(error instanceof ModelError ? error.usage : undefined);
    if (error instanceof RlmError && error.code === "model_context_too_long") {
      throw new RlmError(
        error.code,
        `${error.message}; ${sizeOf(options.prompt)}: split it, or use llm_query`,
      );
    }
    throw error;
  }
}

function checkSize(prompt: string, model: Model): void {
  if (model.contextWindow === undefined) return;
  const tokens = roughTokens(prompt);
  if (tokens <= model.contextWindow) return;
  throw new RlmError(
    "model_context_too_long",
    `${sizeOf(prompt)}; ${model.id} takes ${grouped(model.contextWindow)}: ` +
      "split it, or use llm_query",
  );
}

function sizeOf(prompt: string): string {
  const tokens = grouped(roughTokens(prompt));
  return `the prompt has ${grouped(prompt.length)} characters, some ${tokens} tokens`;
}

async function match(
  text: string,
  schema: CompiledSchema,
): Promise<{ value: unknown } | { errors: readonly string[] }> {
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(text)?.[2] ?? text);
  } catch (error) {
    return { errors: [`not JSON: ${(error as Error).message.slice(0, 200)}`] };
  }
  const checked = await schema.validate(value);
  return checked.ok ? { value: checked.value } : { errors: checked.errors };
}
