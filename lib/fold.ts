import { grouped } from "../repl/grouped.ts";
import type { ChatMessage } from "./model/model.ts";
import { roughTokens } from "./budget.ts";
import { inertLine } from "./inert_text.ts";

/** The window assumed of a model that tells none, tokens. */
export const DEFAULT_CONTEXT_WINDOW = 128_000;

/** Folding begins at this share of the window and goes down to that one. */
const FOLD_FROM = 0.6;
const FOLD_TO = 0.3;
/** The newest messages stay: the last two steps. */
const KEEP_LAST = 4;
/** Messages shorter than this stay: folding them saves nothing. */
const FOLD_LENGTH = 200;
/** Begins every folded message; also how one is known. */
const MARK = "[folded: ";

/** The outcome of {@linkcode foldConversation}. */
export interface Folded {
  /** The same array where nothing was folded. */
  readonly messages: readonly ChatMessage[];
  /** Messages that were folded now. */
  readonly folded: number;
  /** What the agent is told once, in its next message; absent where nothing was folded. */
  readonly note?: string;
}

/** Options of {@linkcode foldConversation}. */
export interface FoldOptions {
  /** Prompt tokens that fit the model. @default 128,000 */
  readonly contextWindow?: number | undefined;
  /** Messages at the beginning that are never folded: system prompt and probe. @default 2 */
  readonly keepFirst?: number;
  /** Real prompt tokens for each estimated one, where replies told. @default 1 */
  readonly tokenRatio?: number;
  /** Estimated tokens of a message. @default `roughTokens` of its content */
  readonly tokensOf?: (message: ChatMessage) => number;
}

/**
 * Folds the oldest outputs of a long conversation to one line each, once it passes 60 % of the
 * model's window, until it is below 30 %; then, if outputs are not enough, the oldest replies. The
 * values are still in the REPL. Much is folded at once and seldom, because every fold costs the
 * provider's cache of the prefix. Outputs are user messages, replies assistant messages; the first
 * two messages and the last two steps stay. Folding twice changes nothing.
 */
export function foldConversation(
  messages: readonly ChatMessage[],
  options: FoldOptions = {},
): Folded {
  const window = options.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const { tokenRatio = 1, tokensOf = ({ content }: ChatMessage) => roughTokens(content) } = options;
  const tokens = messages.map((message) => tokensOf(message) * tokenRatio);
  let total = tokens.reduce((sum, n) => sum + n, 0);
  if (total <= window * FOLD_FROM) return { messages, folded: 0 };

  const result = [...messages];
  const end = messages.length - KEEP_LAST;
  let folded = 0;
  for (const role of ["user", "assistant"] as const) {
    for (let i = options.keepFirst ?? 2; i < end && total > window * FOLD_TO; i++) {
      const message = messages[i];
      if (message?.role !== role || message.content.length < FOLD_LENGTH) continue;
      if (message.content.startsWith(MARK)) continue;
      const content = foldedText(message);
      result[i] = { role, content };
      total -= (tokens[i] ?? 0) - roughTokens(content);
      folded++;
    }
  }
  if (folded === 0) return { messages, folded: 0 };
  const what = folded === 1 ? "1 older message was" : `${folded} older messages were`;
  return {
    messages: result,
    folded,
    note: `To save room, ${what} folded to one line each; your variables are all still there, ` +
      "print what you need again",
  };
}

function foldedText(message: ChatMessage): string {
  const kind = message.role === "user" ? "output" : "reply";
  const size = grouped(message.content.length);
  const start = inertLine(message.content, 100).replaceAll("`", "'"); // no fence in it
  return `${MARK}${kind} of ${size} characters, began: ${start}]`;
}
