/**
 * Text from the sandbox, a model or a state file, made safe to show: no control, escape or
 * bidirectional character in it can move a cursor, close a frame or turn a line around.
 *
 * @module
 */

import { grouped } from "./grouped.ts";

// Controls, lone surrogates, line and paragraph separators, bidirectional marks and overrides,
// invisible characters other than joiners, tags.
const active =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** One line of at most `max` characters; line breaks and tabs become spaces, the rest an escape. */
export function inertLine(text: string, max: number): string {
  // What is cut is not scanned: a hostile text may be very long.
  const head = text.length > max * 4 ? text.slice(0, max * 4) : text;
  const line = head.replace(/\s+/g, " ").replace(active, escaped).trim();
  return text === head ? cut(line, max) : cut(line + "…", max);
}

/** Several lines of at most `max` characters in all; line breaks and tabs stay. */
export function inertBlock(text: string, max: number): string {
  const head = text.slice(0, max);
  const block = head.replace(/\r\n?/g, "\n").replace(
    active,
    (char) => char === "\n" || char === "\t" ? char : escaped(char),
  );
  const left = text.length - head.length;
  return left === 0 ? block : `${block}\n… ${grouped(left)} more characters`;
}

/** The text, or its beginning and `…`, at most `max` characters, never half a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return text.slice(0, Math.max(0, end)) + "…";
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
