import { join } from "@std/path";

/**
 * The path of a new transcript: prefix, time and id, in characters that every file system takes.
 *
 * @param time milliseconds since the epoch
 */
export function transcriptPath(dir: string, prefix: string, time: number, id: string): string {
  const stamp = new Date(time).toISOString().replaceAll(":", "-").replace(".", "-");
  return join(dir, `${prefix}_${stamp}_${id.slice(0, 8)}.jsonl`);
}
