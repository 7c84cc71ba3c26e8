// Valid JSON escapes for what would act on a terminal or split a line in another reader.
const ACTIVE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** JSON text of the same value in which no character acts on a terminal: JSON leaves some of them. */
export function inertJson(text: string): string {
  return text.replace(ACTIVE, escaped);
}
