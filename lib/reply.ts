import { endsInsideText, looksLikeCode } from "../repl/code_shape.ts";
import { type RewriteOptions, rewriteStep, type StepProgram } from "../repl/rewrite.ts";
import { StepSyntaxError } from "../repl/syntax_error.ts";
import { type FencedBlock, fencedBlocks } from "./fences.ts";
import type { FinishReason } from "./model/model.ts";

/** What a model's reply asks to be run. */
export type ParsedReply =
  | {
    readonly kind: "code";
    readonly program: StepProgram;
    /** The code as the model wrote it; several blocks are joined by newlines. */
    readonly source: string;
    /** What the model should be told besides the output, for example that a block was skipped. */
    readonly note?: string;
  }
  | {
    readonly kind: "none";
    /** What the model should be told: why nothing was run, and what to do. */
    readonly reason: string;
  };

const typescript: ReadonlySet<string> = new Set(["ts", "typescript", "mts", "cts", "tsx"]);
const javascript: ReadonlySet<string> = new Set([
  ...typescript,
  ...["js", "javascript", "mjs", "cjs", "jsx", "repl", "node", "deno", "ecmascript"],
]);

const howTo = "Put JavaScript into one ```js block; call FINAL(value) in it to end";

/**
 * Reads the code out of a model's reply. In order:
 *
 * - A reply that was cut (by the output limit or a filter) is never run, nor is reasoning that
 *   leaked into the text as `<think>`.
 * - Fenced blocks marked as JavaScript or TypeScript, or bare, are joined in order and run if they
 *   parse as a whole; beside a marked block, a bare one runs only if it looks like code. Blocks in
 *   other languages are skipped and named. If a block is not closed, nothing is run.
 * - Without fences, `<code>` or `<repl>` elements count as blocks; without those, the whole text is
 *   run if it is JavaScript that does something.
 *
 * No function is looked for by its name: `FINAL` counts when it is executed.
 */
export function parseReply(text: string, finish: FinishReason): ParsedReply {
  if (finish === "length") {
    return none("the reply was cut by the output limit. Reply again with shorter code");
  }
  if (finish === "filtered") return none("the reply was cut by a content filter. Reply again");
  const body = text.replace(/^\uFEFF/, "").replace(
    /^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>/i,
    "",
  );
  if (/^\s*<think(?:ing)?>/i.test(body)) return none(`the reasoning has no end. ${howTo}`);
  if (body.trim() === "") return none(`the reply was empty. ${howTo}`);
  const blocks = fencedBlocks(body, endsInsideText);
  if (blocks.length > 0) return fromBlocks(blocks);
  const elements = codeElements(body);
  return elements.length > 0 ? fromBlocks(elements) : fromPlainText(body.trim());
}

function none(why: string): ParsedReply {
  return { kind: "none", reason: `Nothing was run: ${why}` };
}

function fromBlocks(blocks: readonly FencedBlock[]): ParsedReply {
  const marked = blocks.some((b) => javascript.has(b.language));
  const isRun = (block: FencedBlock): boolean =>
    javascript.has(block.language) ||
    (block.language === "" && (!marked || !block.closed || looksLikeCode(block.code)));
  const run = blocks.filter(isRun);
  const skipped = blocks.filter((block) => !isRun(block));
  if (run.length === 0) {
    return none(`only JavaScript runs here, and the reply has ${naming(skipped)}. ${howTo}`);
  }
  if (run.some((block) => !block.closed)) {
    return none("a code block is not closed. Reply again with the whole block and its closing ```");
  }
  const source = join(run.map((block) => block.code));
  const options = { typescript: run.some((block) => typescript.has(block.language)) };
  const note = skipped.length === 0
    ? {}
    : { note: `Only JavaScript runs here: ${naming(skipped)} skipped` };
  const parsed = program(source, options, note);
  return parsed.kind === "code" && parsed.program.isEmpty
    ? none(`the code block has no statement. ${howTo}`)
    : parsed;
}

function program(
  source: string,
  options: RewriteOptions,
  note: { readonly note?: string },
): ParsedReply {
  try {
    return { kind: "code", program: rewriteStep(source, options), source, ...note };
  } catch (error) {
    if (!(error instanceof StepSyntaxError)) throw error;
    if (/^\s*(?:```|~~~)/.test(error.excerpt)) {
      return none(`line ${error.line} of the code block opens another one. Close each block`);
    }
    return none(`the code does not parse. ${error.describe()}`);
  }
}

/** Blocks in their order; a semicolon keeps one from being read on into the next. */
function join(codes: readonly string[]): string {
  return codes.map((code, index) => index > 0 && /^\s*[([`+\-*/.,?]/.test(code) ? `;${code}` : code)
    .join("\n");
}

/** `a python block`, `2 blocks (json, text)`. */
function naming(blocks: readonly FencedBlock[]): string {
  const names = [...new Set(blocks.map((block) => block.language || "unmarked"))].slice(0, 4);
  return blocks.length === 1
    ? `one ${names.join("")} block`
    : `${blocks.length} other blocks (${names.join(", ")})`;
}

/** `<code>…</code>` and the like around whole lines. */
function codeElements(text: string): FencedBlock[] {
  const element =
    /^[ \t]*<(code|repl|js|javascript|typescript)>[ \t]*\n?([^]*?)(?:<\/\1>[ \t]*$|(?![^]))/gim;
  return [...text.matchAll(element)].map((match) => {
    const [whole, tag = "", code = ""] = match;
    const name = tag.toLowerCase();
    return {
      language: name === "code" ? "js" : name,
      code: code.trimEnd(),
      closed: whole.trimEnd().toLowerCase().endsWith(`</${name}>`),
    };
  });
}

function fromPlainText(text: string): ParsedReply {
  const [, inline] = /^`([^`\n]+)`$/.exec(text) ?? [];
  const source = inline ?? text;
  const parsed = program(source, {}, {});
  if (parsed.kind === "code" && looksLikeCode(parsed.program.source)) return parsed;
  const meantAsCode =
    /^(?:const|let|var|await|async|function|class|for|if|try|FINAL|console|print)\b\s*[\w({["'`.$]/;
  if (parsed.kind === "none" && meantAsCode.test(source) && /[;=(]/.test(source)) {
    return { kind: "none", reason: `${parsed.reason}\n${howTo}` };
  }
  return none(`the reply has no code block. ${howTo}`);
}
