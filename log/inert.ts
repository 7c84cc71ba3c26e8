/**
 * Text from a model, the sandbox or a file may hold anything: terminal escapes that clear the screen
 * or write the clipboard, bidirectional controls that reorder what a reader sees, half characters.
 * Here such characters become visible escapes, so that nothing acts on the reader's terminal.
 */

// C0 but for tab and newline, DEL, C1, soft hyphen's harmless cousins are kept; line and paragraph
// separators, every bidirectional control, invisible operators, BOM, annotation marks, tag characters,
// and surrogates that stand alone (in a `u` expression a paired one never matches \p{Cs}).
const ACTIVE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\r": "\\r", "\b": "\\b", "\f": "\\f" };

function escapeOf(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/**
 * Makes `text` inert: control, escape and bidirectional characters and lone surrogates are shown as
 * escapes such as `\x1b` or `\u202e`. Newlines stay, `\r\n` becomes `\n`, a tab becomes two spaces.
 */
export function inert(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", "  ").replace(ACTIVE, escapeOf);
}

/** `inert` on one line: every run of white space becomes one space, the ends are trimmed. */
export function inertLine(text: string): string {
  return inert(text).replace(/\s+/gu, " ").trim();
}
