import type { Clock } from "./clock.ts";
import { McpConnection } from "./mcp/connection.ts";
import { readServers } from "./mcp/server_config.ts";

export type { McpConnection, McpTool } from "./mcp/connection.ts";

/** Options of {@linkcode McpServers}. */
export interface McpOptions {
  readonly clock: Clock;
  /** Gives the value of an environment variable, for `${NAME}` and what a server inherits. */
  readonly env: (name: string) => string | undefined;
}

/**
 * The MCP servers of one run. Nothing is started or reached before the first call that needs it;
 * `close` ends every server, also after errors.
 */
export class McpServers implements AsyncDisposable {
  readonly #connections: ReadonlyMap<string, McpConnection>;

  /**
   * @param servers by name, as Claude Desktop and fast-rlm write them
   * @throws {RlmError} `config`, naming server and field
   */
  constructor(servers: Readonly<Record<string, unknown>>, options: McpOptions) {
    this.#connections = new Map(
      readServers(servers, options.env).map((
        server,
      ) => [server.name, new McpConnection(server, options)]),
    );
  }

  /** Names, in the order they were given. */
  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  /** The connection to a server, opened by its first use. */
  get(name: string): McpConnection | undefined {
    return this.#connections.get(name);
  }

  /** `MCP: files (stdio), web (http)`, told without connecting; empty without servers. */
  probe(): string {
    const servers = [...this.#connections.values()].map(({ name, kind }) => `${name} (${kind})`);
    return servers.length === 0 ? "" : `MCP: ${servers.join(", ")}`;
  }

  /** Ends all servers; resolves when their processes are gone. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
