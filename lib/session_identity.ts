/**
 * Whether a directory is a session's: asked before anything in it is locked, written or removed.
 *
 * @module
 */
import { join } from "@std/path";
import { diskError } from "./disk_error.ts";
import { RlmError } from "./errors.ts";
import type { FileSystem } from "./file_system.ts";
import { inertLine } from "./inert_text.ts";
import { listCheckpoints, readCheckpoint } from "./session_checkpoint.ts";
import type { QueryEntry } from "./session_format.ts";
import { checkManifest, NewerFormat, parseJson, StateFault, unreadable } from "./session_parse.ts";
import { PREVIOUS_FILE, STATE_FILE } from "./session_state_file.ts";

/** Throws `input` where there is no directory at the path, with what is there instead. */
export async function checkDirectory(dir: string, fs: FileSystem): Promise<void> {
  const info = await fs.stat(dir).catch((error) => {
    throw diskError(dir, "find a session", error, "");
  });
  if (info?.isDirectory) return;
  const there = info === undefined ? "does not exist" : "is a file; name a session directory";
  throw new RlmError("input", `Cannot find a session: ${inertLine(dir, 500)} ${there}`);
}

/** Whether the directory holds a file that has the name of a session's state or checkpoint. */
export async function hasSession(dir: string, fs: FileSystem): Promise<boolean> {
  try {
    for (const name of [STATE_FILE, PREVIOUS_FILE]) {
      if (await fs.stat(join(dir, name))) return true;
    }
    return (await listCheckpoints(dir, fs)).length > 0;
  } catch (error) {
    throw diskError(dir, "find a session", error, "");
  }
}

/** Throws `input` where the path is no directory, or one that holds no file of a session. */
export async function checkSession(dir: string, fs: FileSystem): Promise<void> {
  await checkDirectory(dir, fs);
  if (await hasSession(dir, fs)) return;
  throw new RlmError(
    "input",
    `Cannot find a session: there is no session here: ${
      inertLine(dir, 500)
    } holds no ${STATE_FILE}`,
  );
}

/**
 * The ledger entries that the session's files still hold. Throws `session_unreadable` where no file
 * shows that they are a session's, so that another program's folder is never taken for one, and for
 * a newer format.
 */
export async function proveSession(dir: string, fs: FileSystem): Promise<QueryEntry[]> {
  await checkSession(dir, fs);
  const path = join(dir, STATE_FILE);
  const queries: QueryEntry[] = [];
  let proven = false;
  let fault = "is missing";
  for (const name of [STATE_FILE, PREVIOUS_FILE]) {
    const own = name === STATE_FILE;
    try {
      const bytes = (await fs.stat(join(dir, name)))?.isFile
        ? await fs.readFile(join(dir, name))
        : undefined;
      if (bytes === undefined) continue;
      // A torn file of ours still begins as we write it.
      proven ||= head.test(new TextDecoder().decode(bytes.subarray(0, 200)));
      queries.push(...checkManifest(parseJson(bytes)).queries);
      proven = true;
    } catch (error) {
      if (!(error instanceof StateFault)) throw diskError(dir, "read the session", error);
      if (own && error instanceof NewerFormat) throw unreadable(path, dir, error.message, true);
      if (own) fault = error.message;
    }
  }
  for (const number of await listCheckpoints(dir, fs)) {
    const checkpoint = await readCheckpoint(dir, number, fs).catch(() => undefined);
    if (checkpoint === undefined) continue;
    queries.push(checkpoint.query);
    proven = true;
  }
  if (proven) return queries;
  throw new RlmError(
    "session_unreadable",
    `Cannot tell that this is a session: ${inertLine(path, 500)} ${fault}, and no earlier state ` +
      "is there; nothing was changed; if it is one, remove the directory itself",
  );
}

const head = /^\{\s*"format":\s*\d+,\s*"devalue":/;
