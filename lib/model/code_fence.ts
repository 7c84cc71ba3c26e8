const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([A-Za-z]*)[ \t]*$/;
const languages = new Set(["", "js", "javascript", "ts", "typescript", "repl"]);

/**
 * Where the first complete block of code in `text` ends: the index behind the line of its closing
 * fence. Undefined while that line is not complete. Blocks in other languages do not count.
 */
export function endOfFirstCode(text: string): number | undefined {
  let fence: { readonly mark: string; readonly counts: boolean } | undefined;
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf("\n", at);
    if (lineEnd < 0) return undefined;
    const line = text.slice(at, lineEnd).replace(/\r$/, "");
    at = lineEnd + 1;
    const found = opening.exec(line);
    if (!fence) {
      if (found) {
        const language = (found[2] ?? "").toLowerCase();
        fence = { mark: found[1] ?? "", counts: languages.has(language) };
      }
    } else if (found && !found[2] && (found[1] ?? "").startsWith(fence.mark)) {
      if (fence.counts) return at;
      fence = undefined;
    }
  }
}
