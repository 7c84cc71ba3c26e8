/** A piece of code with what it is; `plain` for everything that needs no colour. */
export interface CodeToken {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword" | "name";
  readonly text: string;
}

/** A language that `highlight` knows. */
export type CodeLanguage = "js" | "python";

/**
 * Splits code into coloured pieces that joined give the code again. It looks at single tokens only,
 * which is all that colour needs. It is also sent to the browser as it stands: it uses nothing from
 * outside itself.
 */
export function highlight(code: string, language: CodeLanguage): CodeToken[] {
  const words = language === "python"
    ? "False None True and as assert async await break class continue def del elif else except " +
      "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
      "with yield"
    : "async await break case catch class const continue default delete do else export extends " +
      "false finally for from function get if import in instanceof let new null of return set " +
      "static super switch this throw true try typeof undefined var void while yield";
  const keywords = new Set(words.split(" "));
  const names = new Set(
    "FINAL llm_query batch_llm_query llm_complete commit tools context print".split(" "),
  );
  const pattern = language === "python"
    ? /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g
    : /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\[\s\S]|[^`\\])*`?)|(\b\d[\w.]*)|([A-Za-z_$][\w$]*)/g;
  const tokens: CodeToken[] = [];
  let plain = "";
  let from = 0;
  const put = (kind: CodeToken["kind"], text: string): void => {
    if (plain !== "") tokens.push({ kind: "plain", text: plain });
    plain = "";
    tokens.push({ kind, text });
  };
  for (const match of code.matchAll(pattern)) {
    const [text, comment, string, number] = match;
    plain += code.slice(from, match.index);
    from = match.index + text.length;
    if (comment !== undefined) put("comment", text);
    else if (string !== undefined) put("string", text);
    else if (number !== undefined) put("number", text);
    else if (keywords.has(text)) put("keyword", text);
    else if (names.has(text)) put("name", text);
    else plain += text;
  }
  plain += code.slice(from);
  if (plain !== "") tokens.push({ kind: "plain", text: plain });
  return tokens;
}
