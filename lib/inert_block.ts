import { grouped } from "../repl/grouped.ts";
import { inertChars } from "./inert_text.ts";

/** Several lines of at most `max` characters in all; line breaks and tabs stay. */
export function inertBlock(text: string, max: number): string {
  const head = text.slice(0, max);
  const block = inertChars(head.replace(/\r\n?/g, "\n"));
  const left = text.length - head.length;
  return left === 0 ? block : `${block}\n… ${grouped(left)} more characters`;
}
