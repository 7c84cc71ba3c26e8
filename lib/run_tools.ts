import type { ResolvedConfig } from "./config.ts";
import type { Toolbox } from "./toolbox.ts";

/** The tools of a run. Disposing ends what was started for them. */
export interface RunTools extends AsyncDisposable {
  /** Undefined where the run has no tools. */
  readonly toolbox: Toolbox | undefined;
  /** Values that the REPL may see as `env`. */
  readonly exposed: Readonly<Record<string, string>>;
}

/** Makes the tools ready that the settings name. */
export async function openToolbox(config: ResolvedConfig): Promise<RunTools> {
  const given = Object.keys(config.tools).length > 0;
  const { ToolSet } = given ? await import("./tools.ts") : { ToolSet: undefined };
  return {
    toolbox: ToolSet ? await ToolSet.create(config.tools, { env: config.env }) : undefined,
    exposed: {},
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
