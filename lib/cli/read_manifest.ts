import { denoFileSystem } from "../file_system.ts";
import type { Manifest } from "../session_format.ts";
import { readManifest as readStored } from "../session_state_file.ts";

/** The manifest of a session directory, for the log, which knows no store. */
export async function readManifest(directory: string): Promise<Manifest> {
  return (await readStored(directory, denoFileSystem)).manifest;
}
