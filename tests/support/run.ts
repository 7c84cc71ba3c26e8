import * as engine from "../../mod.ts";
import type { RunDeps } from "../../lib/run.ts";

/**
 * The engine's `run`, but a run that names no place for its transcript gets one that is removed
 * after it: tests leave nothing in the directory that they are started in.
 */
export async function run(
  options: engine.RunOptions,
  deps: RunDeps = {},
): Promise<engine.RunResult> {
  if (options.logDir !== undefined || options.sessionDir !== undefined) {
    return await engine.run(options, deps);
  }
  const logDir = await Deno.makeTempDir({ prefix: "fast-rlm-test-logs-" });
  try {
    return await engine.run({ ...options, logDir }, deps);
  } finally {
    await Deno.remove(logDir, { recursive: true });
  }
}
