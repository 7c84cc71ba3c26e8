/**
 * Text from the sandbox, a model or a state file, made safe to show: no control, escape or
 * bidirectional character in it can move a cursor, close a frame or turn a line around.
 *
 * @module
 */

// Controls but for tab and line feed, lone surrogates (in a `u` expression a paired one never matches;
// a range, since the table of \p{Cs} takes 0.2 ms of every start), line and paragraph separators,
// bidirectional marks and overrides, invisible characters other than joiners, tags.
const active =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text with every character that acts as an escape, such as `\x1b`; tabs and line feeds stay. */
export function inertChars(text: string): string {
  return text.replace(active, escaped);
}

/** One line of at most `max` characters; line breaks and tabs become spaces, the rest an escape. */
export function inertLine(text: string, max: number): string {
  // What is cut is not scanned: a hostile text may be very long.
  const head = text.length > max * 4 ? text.slice(0, max * 4) : text;
  const line = inertChars(head.replace(/\s+/g, " ")).trim();
  return text === head ? cut(line, max) : cut(line + "…", max);
}

/** The text, or its beginning and `…`, at most `max` characters, never half a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return text.slice(0, Math.max(0, end)) + "…";
}

const SHORT: Readonly<Record<string, string>> = { "\r": "\\r", "\b": "\\b", "\f": "\\f" };

/** As it is written in JavaScript. */
function escaped(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
