import { join } from "@std/path";
import type { Manifest } from "../session_format.ts";

/** What a query found in its session, and what it left. */
export interface QueryFacts {
  /** Names that were live when the query began. */
  readonly restored: readonly string[];
  /** Those of them that the query's code uses. */
  readonly used: readonly string[];
  /** Names that are saved now and were not before. */
  readonly added: readonly string[];
}

/** The session's manifest; undefined where nothing is saved yet. */
export async function readState(sessionDir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(join(sessionDir, "state.json")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Compares the session before and after its newest query. */
export function queryFacts(before: Manifest | undefined, after: Manifest): QueryFacts {
  const restored = namesOf(before);
  const query = after.queries.at(-1)?.number;
  const code = after.steps.filter((step) => step.query === query).map((step) => step.code).join(
    "\n",
  );
  // Neither keys of objects nor properties of something else.
  const name =
    /(?<![.\p{ID_Continue}$])[\p{ID_Start}$_][\p{ID_Continue}$]*(?!\s*:|[\p{ID_Continue}$])/gu;
  const words = new Set(code.match(name) ?? []);
  return {
    restored,
    used: restored.filter((name) => words.has(name)),
    added: namesOf(after).filter((name) => !restored.includes(name)),
  };
}

function namesOf(state: Manifest | undefined): string[] {
  return state ? [...Object.keys(state.variables), ...Object.keys(state.functions)] : [];
}
