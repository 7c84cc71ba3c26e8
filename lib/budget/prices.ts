import type { Usage } from "../model/usage.ts";

/** Providers charge about five times as much for a completion token as for a prompt token. */
const COMPLETION_WEIGHT = 5;
/** Completion tokens expected of a model that has not replied yet. */
const FIRST_COMPLETION = 1_000;
/**
 * Smallest estimated prompt that teaches how far estimates are off: what providers add to every
 * request would make a question of three tokens look five times its size, and all after it too.
 */
const TEACHING_PROMPT = 200;
/** Farthest that estimates are taken to be off, both ways. */
const LARGEST_RATIO = 4;

/** What the replies of one model taught. */
interface Lesson {
  /** US dollars a prompt token, the lowest and the highest seen; undefined while no reply had a cost. */
  low: number | undefined;
  high: number | undefined;
  /** A reply came without a cost, and none with one. */
  silent: boolean;
  /** Real prompt tokens for each estimated one, by the last reply to a prompt of some length. */
  ratio: number;
  /** Most completion tokens seen. */
  completion: number;
}

/** What a call is expected to use. */
export interface Forecast {
  readonly promptTokens: number;
  /** Completion tokens: the bound that was asked for, else the most seen. */
  readonly completionTokens: number;
  /** US dollars that the call costs at least, by the cheapest price seen. */
  readonly costFrom: number;
  /** US dollars that it is expected to cost, by the dearest price seen. */
  readonly costTo: number;
  /** No reply has told yet whether and what this model charges. */
  readonly unpriced: boolean;
}

/**
 * Prices and sizes learned from replies, by model. No price list is shipped: it would be out of
 * date, and the provider's own figure counts. Two prices are kept because caches make the same
 * tokens cheaper: a call is refused by the lowest, a burst is narrowed by the highest.
 */
export class Prices {
  // A Map, because a model may be named "constructor".
  readonly #lessons = new Map<string, Lesson>();

  forecast(model: string, estimate: { promptTokens: number; maxOutputTokens?: number }): Forecast {
    const lesson = this.#lessons.get(model);
    const promptTokens = Math.ceil(estimate.promptTokens * (lesson?.ratio ?? 1));
    const completionTokens = estimate.maxOutputTokens ?? lesson?.completion ?? FIRST_COMPLETION;
    const units = promptTokens + COMPLETION_WEIGHT * completionTokens;
    return {
      promptTokens,
      completionTokens,
      costFrom: promptTokens * (lesson?.low ?? 0),
      costTo: units * (lesson?.high ?? 0),
      unpriced: lesson === undefined || (lesson.high === undefined && !lesson.silent),
    };
  }

  learn(model: string, estimatedPrompt: number, usage: Usage): void {
    const lesson = this.#lessons.get(model) ??
      { low: undefined, high: undefined, silent: false, ratio: 1, completion: 0 };
    this.#lessons.set(model, lesson);
    const { promptTokens, completionTokens, cost } = usage;
    if (promptTokens !== undefined && promptTokens > 0 && estimatedPrompt >= TEACHING_PROMPT) {
      const ratio = promptTokens / estimatedPrompt;
      lesson.ratio = Math.min(Math.max(ratio, 1 / LARGEST_RATIO), LARGEST_RATIO);
    }
    lesson.completion = Math.max(lesson.completion, completionTokens ?? 0);
    if (cost === undefined) {
      lesson.silent = lesson.high === undefined;
      return;
    }
    lesson.silent = false;
    const units = (promptTokens ?? 0) + COMPLETION_WEIGHT * (completionTokens ?? 0);
    const price = units > 0 ? cost / units : 0;
    lesson.low = Math.min(lesson.low ?? Infinity, price);
    lesson.high = Math.max(lesson.high ?? 0, price);
  }
}

/**
 * Tokens of a text, roughly: one for four UTF-8 bytes. The budget corrects it by the replies of the
 * model.
 */
export function roughTokens(text: string): number {
  let bytes = text.length;
  // Most prompts are ASCII; count the rest without encoding the text a second time.
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return Math.ceil(bytes / 4);
}
