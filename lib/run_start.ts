/** The part of a run that needs the whole engine; it loads while the first sandbox starts. */
import { type Body, encodeBody } from "../repl/body.ts";
import { systemClock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import type { RunDeps, RunOptions, RunResult } from "./run.ts";
import { openModels, usesRecording } from "./run_models.ts";
import { QueryRun } from "./run_query.ts";
import type { SandboxPool } from "./sandbox_pool.ts";
import { openSession } from "./session_open.ts";

/** Opens models and session, and lets the root agent work. */
export async function startRun(
  config: ResolvedConfig,
  options: RunOptions,
  deps: RunDeps,
  sandboxes: SandboxPool,
): Promise<RunResult> {
  const clock = deps.clock ?? systemClock;
  const environment = deps.environment ?? readEnvironment;
  const context = encodeContext(options);
  const open = (runKey?: string) =>
    openModels(config, {
      clock,
      query: options.prompt,
      ...(runKey === undefined ? {} : { runKey }),
      environment,
    });
  // A recording tells queries of the same text apart by their number, known once the session is open.
  const early = usesRecording(config) ? undefined : open();
  early?.catch(() => {});
  const session = await openSession(config, {
    query: options.prompt,
    clock,
    ...(options.wait === undefined ? {} : { wait: options.wait }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(deps.ephemeralDir === undefined ? {} : { ephemeralDir: deps.ephemeralDir }),
  });
  // Disposed in reverse: the store gives its lock back before the directory may be removed.
  await using _cleanup = session.cleanup;
  await using store = session.store;
  return await new QueryRun(config, options, {
    clock,
    context,
    sandboxes,
    store,
    resumable: session.resumable,
    environment,
    models: await (early ?? open(String(store.manifest.queries.length + 1))),
  }).execute();
}

function readEnvironment(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** The context's bytes; a prompt without material is its own context. */
function encodeContext(options: RunOptions): { body: Body; source?: string; own: boolean } {
  const { input } = options;
  if (input?.kind === "text") {
    const bytes = input.bytes as Uint8Array<ArrayBuffer>;
    return { body: { form: "text", bytes }, source: input.name, own: true };
  }
  const value = input ? input.value : options.context;
  if (value === undefined) return { body: encodeBody(options.prompt), own: false };
  try {
    const body = encodeBody(value);
    if (body.loss.length === 0) {
      return { body, own: true, ...(input ? { source: input.name } : {}) };
    }
    throw new Error(body.loss[0]);
  } catch (error) {
    throw new RlmError("input", `Cannot use the context: ${(error as Error).message}`);
  }
}
