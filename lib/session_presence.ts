import { join } from "@std/path";
import type { FileSystem } from "./file_system.ts";
import type { Manifest, PayloadEntry } from "./session_format.ts";
import { VALUES_DIR } from "./session_values.ts";

/** Files that are asked for at once. */
const AT_ONCE = 64;

/**
 * The manifest with every name marked as failed whose value file is missing or has a wrong size.
 * The contents are not read, so that looking at a session stays cheap; a repair checks them.
 */
export async function markAbsent(
  manifest: Manifest,
  dir: string,
  fs: FileSystem,
): Promise<Manifest> {
  const faults = new Map<string, string>();
  const files = Object.entries(manifest.payloads).filter(([, { text }]) => text === undefined);
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ([id, entry]) => {
        const fault = await faultOf(id, entry, dir, fs);
        if (fault !== undefined) faults.set(id, `its file values/${id.slice(0, 12)}… ${fault}`);
      }),
    );
  }
  if (faults.size === 0) return manifest;
  const marked = <T extends { value: { payload: string } }>(
    names: Readonly<Record<string, T>>,
  ): Record<string, T> => {
    const result: Record<string, T> = Object.create(null);
    for (const [name, entry] of Object.entries(names)) {
      const failed = faults.get(entry.value.payload);
      result[name] = failed === undefined ? entry : { ...entry, failed };
    }
    return result;
  };
  return {
    ...manifest,
    variables: marked(manifest.variables),
    functions: marked(manifest.functions),
  };
}

async function faultOf(
  id: string,
  entry: PayloadEntry,
  dir: string,
  fs: FileSystem,
): Promise<string | undefined> {
  const info = await fs.stat(join(dir, VALUES_DIR, id)).catch(() => undefined);
  if (info === undefined) return "is missing";
  if (!info.isFile) return "is no regular file";
  return info.size === entry.bytes ? undefined : `is damaged (${info.size} bytes)`;
}
