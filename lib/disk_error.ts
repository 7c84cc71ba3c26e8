import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";

/** The error as the engine's own: what could not be done, where, why, and what is still true. */
export function diskError(path: string, what: string, cause: unknown, still = intact): Error {
  if (cause instanceof RlmError) return cause;
  if (!(cause instanceof Error)) return new Error(String(cause));
  const message = `Cannot ${what}: ${inertLine(path, 500)}: ${reasonOf(cause)}${still}`;
  return new RlmError("disk", message, { cause });
}

const intact = "; the state before it is intact";

/** Why the disk refused, in a few words. */
export function reasonOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || /no space left|os error (28|112)\b/i.test(error.message)) {
    return "no space left on the disk";
  }
  if (code === "EROFS" || /read-only file system/i.test(error.message)) return "it is read-only";
  if (error instanceof Deno.errors.NotADirectory || code === "ENOTDIR") {
    return "a part of the path is no directory";
  }
  if (error instanceof Deno.errors.NotCapable) {
    const flag = /--allow-[a-z]+/.exec(error.message)?.[0] ?? "--allow-write";
    return `Deno was not allowed to; see ${flag}`;
  }
  if (error instanceof Deno.errors.NotFound) return "a part of the path does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return inertLine(error.message, 300);
}
