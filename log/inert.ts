/**
 * Text from a model, the sandbox or a file may hold anything: terminal escapes that clear the screen
 * or write the clipboard, bidirectional controls that reorder what a reader sees, half characters.
 * Here such characters become visible escapes, so that nothing acts on the reader's terminal.
 */

import { inertChars } from "../lib/inert_text.ts";

/**
 * Makes `text` inert for a screen: as `inertChars`, and `\r\n` becomes `\n`, a tab becomes two spaces.
 */
export function inert(text: string): string {
  return inertChars(text.replaceAll("\r\n", "\n").replaceAll("\t", "  "));
}

/** Printable ASCII: nothing in it acts, and each character takes one column. */
export const PLAIN: RegExp = /^[\x20-\x7e]*$/;

/** `inert` on one line: every run of white space becomes one space, the ends are trimmed. */
export function inertLine(text: string): string {
  // Most lines need nothing: then no other expression has to be compiled for them.
  if (PLAIN.test(text) && !text.includes("  ")) return text.trim();
  return inert(text).replace(/\s+/gu, " ").trim();
}
