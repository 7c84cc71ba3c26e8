/**
 * The loop of one agent: ask the model, run the code in its reply, feed the output back, until
 * FINAL. It is handed its model, its REPL and its clock; it knows no files and no terminal.
 */
import type { Body } from "../repl/body.ts";
import type { StepProgram } from "../repl/rewrite.ts";
import { type AgentBudget, roughTokens } from "./budget.ts";
import type { Clock } from "./clock.ts";
import { LimitError, RlmError } from "./errors.ts";
import type { EventBody, StepTimestamps } from "./events.ts";
import { foldConversation, type Folded } from "./fold.ts";
import type { ChatMessage, FinishReason, Model, ModelReply } from "./model/model.ts";
import { ModelError } from "./model/model_error.ts";
import type { Usage } from "./model/usage.ts";
import { FINAL_CALLED } from "./step_output.ts";
import type { RenderedStep } from "./step_output.ts";

/** A step as the REPL reports it. */
export interface StepOutcome extends RenderedStep {
  /** Set when FINAL was called. */
  readonly final?: Body;
}

/** A completed step, for whoever keeps the state. */
export interface CompletedStep {
  readonly step: number;
  readonly program: StepProgram;
  readonly code: string;
  readonly errorLine?: string;
}

/** The state after a step on its way to disk. Neither promise rejects. */
export interface Kept {
  /** It is out of the REPL, which may go on; awaited before the next evaluation. */
  readonly swept: Promise<void>;
  /** It is on disk, or was told why not; awaited before the answer. */
  readonly saved: Promise<void>;
}

/** The answer, checked against the schema where there is one. */
export type FinalCheck =
  | { readonly ok: true; readonly value: Body }
  | { readonly ok: false; readonly message: string };

/** What an agent is handed. */
export interface AgentOptions {
  readonly path: string;
  readonly depth: number;
  readonly model: Model;
  readonly budget: AgentBudget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly system: string;
  readonly first: string;
  /** Evaluates a step; `last` in the last turn, which may use the time that is left for it. */
  evaluate(program: StepProgram, step: number, last: boolean): Promise<StepOutcome>;
  /** Checks a FINAL value against the output schema. */
  checkFinal(value: Body): Promise<FinalCheck>;
  emit(event: EventBody): void;
  /** Keeps the state after a step, while the next model call is under way. */
  keep?(step: CompletedStep): Kept;
}

/** How an agent ended. */
export type AgentOutcome =
  | { readonly status: "answered"; readonly value: Body; readonly steps: number }
  | { readonly status: "limit"; readonly error: LimitError; readonly steps: number };

/** Replies in a row without anything to run that end an agent: more would be paid for in vain. */
const MAX_WITHOUT_CODE = 5;
/** The same for replies that were refused or filtered: asking again seldom helps. */
const MAX_REFUSED = 3;

/** Runs an agent to its end. Throws what ended it otherwise: a model's error, the signal's reason. */
export async function runAgent(options: AgentOptions): Promise<AgentOutcome> {
  return await new AgentLoop(options).run();
}

/** What reads replies brings a parser of JavaScript: it loads when the first reply streams in. */
const loadReader = (): Promise<typeof import("./reply.ts")> => import("./reply.ts");

class AgentLoop {
  #messages: ChatMessage[];
  /** What the agent is told next. */
  #pending: string;
  #steps = 0;
  /** Calls made: one more than steps after a prompt that was folded and asked again. */
  #calls = 0;
  #kept: Kept = { swept: Promise.resolve(), saved: Promise.resolve() };
  #reader: ReturnType<typeof loadReader> | undefined;
  /** Prompt tokens that fit: as the model says, or less, once it has refused a prompt. */
  #window: number | undefined;
  /** Real prompt tokens for each estimated one. */
  #tokenRatio = 1;
  /** Replies in a row that gave nothing to run. */
  #idle = 0;
  /** Estimated tokens of messages: a long conversation is not counted anew for each step. */
  readonly #tokens = new WeakMap<ChatMessage, number>();

  constructor(private readonly options: AgentOptions) {
    this.#messages = [{ role: "system", content: options.system }];
    this.#pending = options.first;
    this.#window = options.model.contextWindow;
  }

  async run(): Promise<AgentOutcome> {
    try {
      for (;;) {
        const value = await this.#step();
        if (value) {
          await this.#kept.saved;
          return { status: "answered", value, steps: this.#steps };
        }
      }
    } catch (error) {
      await this.#kept.saved;
      const { signal } = this.options;
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (!(reason instanceof LimitError)) throw reason;
      return { status: "limit", error: reason, steps: this.#steps };
    }
  }

  get steps(): number {
    return this.#steps;
  }

  /** One reply and what comes of it; resolves to the answer when it was given. */
  async #step(): Promise<Body | undefined> {
    const { options } = this;
    const step = this.#steps + 1;
    const modelStart = options.clock.now();
    const { reply, last } = await this.#ask(step);
    this.#steps = step;
    const modelEnd = options.clock.now();
    this.#messages.push({ role: "assistant", content: reply.text || "(no text)" });
    const { parseReply } = await (this.#reader ??= loadReader());
    const parsed = parseReply(reply.text, reply.finish);
    const reasoning = reply.reasoning === undefined ? {} : { reasoning: reply.reasoning };
    const code = parsed.kind === "code" ? parsed.source : "";
    const generated = (timestamps: StepTimestamps): EventBody => ({
      type: "code_generated",
      step,
      code,
      text: reply.text,
      ...reasoning,
      finish: reply.finish,
      usage: reply.usage,
      timestamps,
    });
    options.emit(generated({ modelStart, modelEnd }));
    if (parsed.kind === "none") {
      this.#nothingRun(parsed.reason, reply.finish);
      return undefined;
    }
    this.#idle = 0;
    await this.#kept.swept;
    options.signal.throwIfAborted();
    const codeStart = options.clock.now();
    const outcome = await options.evaluate(parsed.program, step, last);
    const codeEnd = options.clock.now();
    const final = outcome.final ? await options.checkFinal(outcome.final) : undefined;
    const refused = final?.ok === false ? final.message : undefined;
    // A refusal says most of its step, so it comes first.
    const output = refused === undefined ? [outcome.text] : [refused];
    if (refused !== undefined && outcome.text !== FINAL_CALLED) output.push(outcome.text);
    if (parsed.note) output.push(`Note: ${parsed.note}`);
    const text = output.join("\n");
    options.emit({
      type: "execution_result",
      step,
      code,
      output: text,
      hasError: outcome.hasError || final?.ok === false,
      ...reasoning,
      usage: reply.usage,
      timestamps: { modelStart, modelEnd, codeStart, codeEnd },
    });
    this.#keep({ step, program: parsed.program, code, ...errorOf(outcome) });
    if (final?.ok) return final.value;
    this.#pending = text;
    return undefined;
  }

  /**
   * Tells the agent why nothing was run. A model that only ever refuses or talks must not be paid
   * until the limit of calls.
   *
   * @throws {RlmError} `model_filtered`, `model_unreadable`
   */
  #nothingRun(reason: string, finish: FinishReason): void {
    this.#pending = reason;
    this.#idle++;
    const { id } = this.options.model;
    if ((finish === "refused" || finish === "filtered") && this.#idle >= MAX_REFUSED) {
      throw new RlmError(
        "model_filtered",
        `Cannot go on with ${id}: ${this.#idle} replies in a row gave nothing to run, the last was ` +
          `${finish}; change the task or name another model`,
      );
    }
    if (this.#idle < MAX_WITHOUT_CODE) return;
    throw new RlmError(
      "model_unreadable",
      `Cannot go on with ${id}: ${this.#idle} replies in a row gave nothing to run; the last: ` +
        `${reason.replace(/^Nothing was run: /, "").split("\n")[0]}; name another model`,
    );
  }

  #keep(step: CompletedStep): void {
    if (this.options.keep) this.#kept = this.options.keep(step);
  }

  /** Asks for the next reply; a prompt that was too long is folded and asked again. */
  async #ask(step: number): Promise<{ reply: ModelReply; last: boolean }> {
    for (;;) {
      const fold = this.#fold();
      this.#messages = [...fold.messages];
      const promptTokens = this.#messages.reduce(
        (sum, message) => sum + this.#tokensOf(message),
        roughTokens(this.#pending),
      );
      const { model, budget, signal } = this.options;
      using reservation = await budget.turn({ model: model.id, promptTokens, signal });
      const notes = fold.note === undefined ? reservation.notes : [...reservation.notes, fold.note];
      const content = [this.#pending, ...notes.map((note) => `Note: ${note}`)].join("\n");
      const messages: ChatMessage[] = [...this.#messages, { role: "user", content }];
      try {
        const reply = await this.#send(step, messages, reservation.maxOutputTokens);
        reservation.settle(reply.usage);
        this.#messages = messages;
        this.#learn(reply.usage, promptTokens);
        return { reply, last: reservation.last !== undefined };
      } catch (error) {
        reservation.fail(usageOf(error));
        if (!this.#narrow(error, promptTokens)) throw error;
      }
    }
  }

  async #send(
    step: number,
    messages: readonly ChatMessage[],
    maxOutputTokens: number | undefined,
  ): Promise<ModelReply> {
    const { model, path, depth, signal, emit } = this.options;
    const promptChars = messages.reduce((sum, { content }) => sum + content.length, 0);
    emit({ type: "model_start", step, promptChars });
    return await model.generate({
      messages,
      caller: { agent: path, depth, call: ++this.#calls },
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      stopAtCode: true,
      signal,
      onText: (delta) => {
        this.#reader ??= loadReader();
        emit({ type: "model_text", step, delta });
      },
      onRetry: (retry) => emit({ type: "model_retry", step, ...retry }),
    });
  }

  #fold(): Folded {
    return foldConversation(this.#messages, {
      contextWindow: this.#window,
      tokenRatio: this.#tokenRatio,
      tokensOf: (message) => this.#tokensOf(message),
    });
  }

  #tokensOf(message: ChatMessage): number {
    const known = this.#tokens.get(message);
    if (known !== undefined) return known;
    const tokens = roughTokens(message.content);
    this.#tokens.set(message, tokens);
    return tokens;
  }

  /** How far the estimate of prompt tokens is off, by a reply to one try. */
  #learn(usage: Usage, estimated: number): void {
    if (usage.calls === 1 && usage.promptTokens !== undefined && estimated >= 200) {
      this.#tokenRatio = Math.min(Math.max(usage.promptTokens / estimated, 1), 4);
    }
  }

  /** A refused prompt tells how large the window is not. Whether folding makes it fit is to be seen. */
  #narrow(error: unknown, promptTokens: number): boolean {
    if (!(error instanceof RlmError) || error.code !== "model_context_too_long") return false;
    this.#window = Math.floor(promptTokens * this.#tokenRatio);
    return this.#fold().folded > 0;
  }
}

function errorOf(outcome: StepOutcome): { errorLine?: string } {
  return outcome.errorLine === undefined ? {} : { errorLine: outcome.errorLine };
}

/** What a failed call used, where its error knows. */
function usageOf(error: unknown): Usage | undefined {
  return error instanceof ModelError ? error.usage : undefined;
}
