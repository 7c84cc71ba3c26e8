import { join } from "@std/path";

/** Every file below a directory as text, by path. */
export async function filesBelow(dir: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Deno.readDir(dir)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory) {
      for (const [name, text] of await filesBelow(path)) files.set(name, text);
    } else files.set(path, await Deno.readTextFile(path));
  }
  return files;
}
