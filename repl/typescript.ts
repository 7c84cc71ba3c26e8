import { isShallow } from "./nesting.ts";
import { LineMap } from "./positions.ts";
import { StepSyntaxError } from "./syntax_error.ts";

/** What became of an attempt to read source as TypeScript. */
export type Stripped =
  /** Types are blanks now: every character that is left stands where it stood. */
  | { readonly kind: "stripped"; readonly source: string }
  /** It is TypeScript, but uses syntax that has a meaning at run time. */
  | { readonly kind: "unsupported"; readonly error: StepSyntaxError }
  /** It is no valid TypeScript, or too intricate to be given to the stripper. */
  | { readonly kind: "invalid" };

type Strip = typeof import("node:module").stripTypeScriptTypes;

/** Node's stripper, loaded when the first TypeScript comes: it takes 20 ms that most runs need not. */
function stripper(): Strip {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(id: "node:module"): { stripTypeScriptTypes: Strip } };
  };
  return process.getBuiltinModule("node:module").stripTypeScriptTypes;
}

/** Replaces TypeScript types by blanks. */
export function stripTypes(source: string): Stripped {
  if (!isShallow(source)) return { kind: "invalid" };
  try {
    return { kind: "stripped", source: stripper()(source, { mode: "strip" }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const found = /^(.*?)(?:,? at \S*:(\d+):(\d+))$/s.exec(message);
    if (found === null) return { kind: "invalid" };
    const [, reason = "", line, column] = found;
    const offset = new LineMap(source).offset(Number(line), Number(column));
    return { kind: "unsupported", error: unsupported(reason, source, offset) };
  }
}

function unsupported(reason: string, source: string, offset: number): StepSyntaxError {
  const [, syntax] = /^TypeScript (.+) is not supported/.exec(reason) ?? [];
  if (syntax !== undefined) {
    return new StepSyntaxError(
      `Cannot run a TypeScript ${syntax}: only types can be removed`,
      source,
      offset,
      "Write it in plain JavaScript, for example an object or a class",
    );
  }
  const angle = reason.includes("angle-bracket");
  return new StepSyntaxError(
    angle ? "Cannot run an angle-bracket type assertion" : "Cannot run this TypeScript syntax",
    source,
    offset,
    angle ? "Write `value as Type`, or leave the type out" : "Write it in plain JavaScript",
  );
}
