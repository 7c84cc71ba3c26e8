import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import { RlmError } from "./errors.ts";
import type { Toolbox } from "./toolbox.ts";

/** The tools of a run. Disposing ends what was started for them. */
export interface RunTools extends AsyncDisposable {
  /** Undefined where the run has no tools. */
  readonly toolbox: Toolbox | undefined;
  /** Values that the REPL may see as `env`. */
  readonly exposed: Readonly<Record<string, string>>;
}

/**
 * Makes the tools and MCP servers ready that the settings name; servers are started by their first
 * use.
 *
 * @param environment reads a variable of the machine, for `${NAME}` in the servers' settings
 * @throws {RlmError} `config`, naming the tool, the server or the variable at fault
 */
export async function openToolbox(
  config: ResolvedConfig,
  clock: Clock,
  environment: (name: string) => string | undefined,
): Promise<RunTools> {
  const { tools, mcpServers, env } = config;
  const exposed = exposedEnv(config);
  if (Object.keys(tools).length === 0 && Object.keys(mcpServers).length === 0) {
    return { toolbox: undefined, exposed, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const [{ ToolSet }, { McpServers }, { createToolbox }] = await Promise.all([
    import("./tools.ts"),
    import("./mcp.ts"),
    import("./tool_catalog.ts"),
  ]);
  const servers = new McpServers(mcpServers, {
    clock,
    env: (name) => env[name] ?? environment(name),
  });
  return {
    toolbox: createToolbox(await ToolSet.create(tools, { env }), servers),
    exposed,
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

/** The values of `env` that the user opened to the REPL, by name. */
function exposedEnv({ env, exposeEnv }: ResolvedConfig): Record<string, string> {
  const exposed: Record<string, string> = {};
  for (const name of exposeEnv) {
    const value = env[name];
    if (value === undefined) {
      throw new RlmError("config", `Cannot expose ${name}: env holds no value of that name`);
    }
    exposed[name] = value;
  }
  return exposed;
}
