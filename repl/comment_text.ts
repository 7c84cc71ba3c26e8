import type { Comment } from "acorn";

/** The longest comment that is kept, in characters. */
const maxLength = 300;

/** Remarks for tools, which say nothing of a variable. */
const directive =
  /^(?:@ts-|eslint|deno-(?:lint|fmt|coverage)|prettier-|biome-|istanbul |c8 |v8 |[#@]\s*source)/i;

/** A banner: decoration on both sides of a title, or a long rule in front of it. */
const banner = /^([-=*#~_+─═–—]{2,}).*[-=*#~_+─═–—]{2,}$/;

/**
 * What comments say: markers, gutters, rules and control characters removed, one line a paragraph,
 * at most 300 characters (a cut is marked with `…`). Empty when nothing is left. Each group of
 * comments begins a paragraph.
 */
export function commentText(...groups: readonly (readonly Comment[])[]): string {
  const paragraphs: string[][] = [];
  for (const comments of groups) {
    paragraphs.push([]);
    for (const line of comments.flatMap(commentLines)) {
      if (line === "") paragraphs.push([]);
      else if (says(line)) paragraphs.at(-1)?.push(line);
    }
  }
  const text = paragraphs.map((lines) => lines.join(" ")).filter((p) => p !== "").join("\n");
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  return `${characters.slice(0, maxLength - 1).join("").trimEnd()}…`;
}

function commentLines(comment: Comment): string[] {
  const lines = comment.type === "Line"
    ? [comment.value.replace(/^[/!]+/, "")]
    : comment.value.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/^\s*[*!]+/, ""));
  const clean = lines.map(fold);
  if (comment.type === "Line") return clean;
  return clean.slice(clean[0] === "" ? 1 : 0, clean.at(-1) === "" ? -1 : undefined);
}

function fold(line: string): string {
  return line.toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}

function says(line: string): boolean {
  return /\p{L}/u.test(line) && !banner.test(line) && !directive.test(line);
}
