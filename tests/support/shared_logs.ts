/** The transcripts of the Python fast-rlm that lie beside the repository, where they are. */
import { fromFileUrl, join } from "@std/path";

const FOLDER = new URL("../../../shared/logs/", import.meta.url);

/** What a plain look at the lines of a transcript gives. */
export interface PlainCount {
  readonly file: string;
  readonly lines: number;
  readonly runs: number;
  readonly depth: number;
  readonly steps: number;
  readonly tokens: number;
  readonly cost: number;
  readonly errors: number;
}

/** Paths of the shared transcripts; empty, with a message to `tell`, where the folder is absent. */
export function sharedLogs(tell: (message: string) => void): string[] {
  const folder = fromFileUrl(FOLDER);
  try {
    return [...Deno.readDirSync(folder)].map((entry) => entry.name)
      .filter((name) => name.endsWith(".jsonl")).sort().map((name) => join(folder, name));
  } catch {
    tell("skipped: ../shared/logs is not here");
    return [];
  }
}

/** Counts the lines of a transcript without any code of the engine. */
export function plainCount(file: string): PlainCount {
  const lines = Deno.readTextFileSync(file).split("\n").filter((line) => line !== "");
  // deno-lint-ignore no-explicit-any
  const entries: any[] = lines.map((line) => JSON.parse(line));
  const sum = (field: string): number =>
    entries.reduce((total, entry) => total + (entry.usage?.[field] ?? 0), 0);
  return {
    file,
    lines: lines.length,
    runs: new Set(entries.map((entry) => entry.run_id)).size,
    depth: Math.max(...entries.map((entry) => entry.depth)),
    steps: entries.filter((entry) => entry.step > 0).length,
    tokens: sum("total_tokens"),
    cost: sum("cost"),
    errors: entries.filter((entry) => entry.hasError === true).length,
  };
}
