/**
 * What keeps an entry small and discreet: secrets are masked, a second copy of the prompt becomes a
 * marker, and text beyond a limit is cut with its true length kept beside it.
 */

import { formatCount } from "./format.ts";
import { headAndTail } from "./shorten.ts";

/** Characters of one text that an entry keeps. */
export const TEXT_LIMIT = 65_536;
/** Characters of the prompt by which a copy is recognised; shorter prompts only as a whole text. */
const ANCHOR = 24;

/** Replaces copies of the prompt, also cut ones that begin like it, with a marker of their length. */
export function withoutPrompt(text: string, prompt: string): string {
  if (prompt === "" || text.length < Math.min(prompt.length, ANCHOR)) return text;
  if (text === prompt) return marker(prompt.length);
  if (prompt.length < ANCHOR) return text;
  const anchor = prompt.slice(0, ANCHOR);
  let at = text.indexOf(anchor);
  if (at < 0) return text;
  let out = "";
  let from = 0;
  while (at >= 0) {
    let length = ANCHOR;
    while (length < prompt.length && prompt[length] === text[at + length]) length++;
    out += text.slice(from, at) + marker(length);
    from = at + length;
    at = text.indexOf(anchor, from);
  }
  return out + text.slice(from);
}

const marker = (length: number): string =>
  `[prompt, ${formatCount(length)} characters: see run_start]`;

/** Masks every secret. Secrets shorter than 8 characters are ignored: they would mask plain words. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let out = text;
  for (const secret of secrets) {
    if (secret.length >= 8) out = out.replaceAll(secret, "[secret]");
  }
  return out;
}

/** The head and the tail of a text longer than `limit` characters, with what is missing stated. */
export function cutText(text: string, limit: number = TEXT_LIMIT): string {
  return headAndTail(text, limit, "not logged");
}
