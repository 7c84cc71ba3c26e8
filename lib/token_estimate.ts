/**
 * How many tokens a text costs, without a tokenizer: a count of the pieces that tokenizers cut text
 * into, meant not to fall below o200k on English, code, JSON and other scripts.
 *
 * @module
 */

const pieces = / ?[A-Za-z]+| ?\d+|[^\S\n]+|\n+|[!-/:-@[-`{-~]+|[^\p{ASCII}]/gu;

/** An estimate from above of the o200k tokens of the text; takes time linear in its length. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const piece of text.match(pieces) ?? []) tokens += tokensOf(piece);
  return Math.ceil(tokens);
}

function tokensOf(piece: string): number {
  const code = piece.codePointAt(piece.length > 1 && piece.startsWith(" ") ? 1 : 0) ?? 0;
  if (code > 0x7f) return tokensOfCharacter(code);
  if (isLetter(code)) return tokensOfWord(piece.trimStart());
  // A space does not merge with the digits after it, and three digits are a token.
  if (code >= 0x30 && code <= 0x39) {
    return piece.startsWith(" ")
      ? 1 + Math.ceil((piece.length - 1) / 3)
      : Math.ceil(piece.length / 3);
  }
  if (piece.startsWith("\n")) return 0.5;
  if (piece.trim() === "") return piece.length === 1 ? 0.3 : 1;
  return Math.ceil(piece.length / 2) * 0.9 + Math.max(0, piece.length - 4) * 0.2;
}

/** Most words of a text: what follows comes to the same for them, and takes longer. */
const plainWord = /^[A-Z]?[a-z]+$/;

/** Words of up to seven letters are one token each; what is no word costs more a letter. */
function tokensOfWord(word: string): number {
  if (word.length <= 7 && plainWord.test(word)) return 1.05;
  const humps = word.match(/[A-Z]*[a-z]+|[A-Z]+/g) ?? [];
  let tokens = 0;
  for (const hump of humps) {
    const capitals = hump.search(/[a-z]|$/);
    tokens += 1.05 + Math.max(0, capitals - 1) * 0.4 + Math.max(0, hump.length - 7) * 0.14;
  }
  return tokens * (humps.length > 3 ? 1.15 : 1) + Math.max(0, word.length - 16) * 0.4;
}

/** By script; letters of scripts that the vocabulary holds few words of cost up to their bytes. */
function tokensOfCharacter(code: number): number {
  if (code <= 0x24f) return 1.1;
  if (code <= 0x7ff) return 0.55;
  if (code <= 0xe7f) return 0.75;
  if (code >= 0x2010 && code <= 0x2027) return 1;
  if (code >= 0xac00 && code <= 0xd7af) return 0.8;
  if (code >= 0x3040 && code <= 0x9fff) return 1.15;
  return code <= 0xffff ? 2.5 : 3.2;
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
