import type { MCPClient } from "@ai-sdk/mcp";
import type { Clock } from "../clock.ts";
import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { inertLine } from "../inert_text.ts";
import { showName } from "../show_value.ts";
import { redactor } from "../tools/redact.ts";
import { untilAborted } from "../tools/until_aborted.ts";
import { callValue, McpCallError, resourceValue } from "./call_result.ts";
import type { McpServer } from "./server_config.ts";
import { StdioTransport } from "./stdio_transport.ts";

/** Time for a server to start and answer, milliseconds: `npx` may download it first. */
const CONNECT_MS = 60_000;
/** Most entries read of any list of a server. */
const MAX_LISTED = 2_000;

/** A tool as its server lists it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** What a connection needs of the run. */
export interface ConnectionOptions {
  readonly clock: Clock;
  /** Gives the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
}

interface Page {
  readonly nextCursor?: string | undefined;
}

/**
 * One server: connected at first use, by several calls at once only once; connected again by the
 * next call after it has gone away; ended by `close`.
 */
export class McpConnection {
  readonly name: string;
  readonly kind: McpServer["kind"];
  readonly #server: McpServer;
  readonly #options: ConnectionOptions;
  readonly #redact: (text: string) => string;
  #open: Promise<MCPClient> | undefined;
  #tools: Promise<McpTool[]> | undefined;
  /** All processes ever started; each is ended. */
  readonly #transports = new Set<StdioTransport>();
  #closed = false;

  constructor(server: McpServer, options: ConnectionOptions) {
    this.name = server.name;
    this.kind = server.kind;
    this.#server = server;
    this.#options = options;
    this.#redact = redactor(server.kind === "stdio" ? server.env : secretsOf(server));
  }

  /** The server's tools; listed once a connection. */
  async tools(signal: AbortSignal): Promise<readonly McpTool[]> {
    return await this.#ask("list tools", signal, async (client) => {
      const listing: Promise<McpTool[]> = this.#tools ??
        listAll((cursor) => client.listTools(cursor), (page) => page.tools);
      this.#tools = listing;
      try {
        return await listing;
      } catch (error) {
        this.#tools = undefined;
        throw error;
      }
    });
  }

  /** The server's resources. */
  async resources(signal: AbortSignal): Promise<readonly unknown[]> {
    return await this.#ask(
      "list resources",
      signal,
      (client) => listAll((cursor) => client.listResources(cursor), (page) => page.resources),
    );
  }

  /** The server's resource templates. */
  async templates(signal: AbortSignal): Promise<readonly unknown[]> {
    return await this.#ask(
      "list resource templates",
      signal,
      async (client) => (await client.listResourceTemplates()).resourceTemplates,
    );
  }

  /** The contents of a resource. */
  async read(uri: string, signal: AbortSignal): Promise<unknown> {
    return await this.#ask(
      `read ${showName(uri)}`,
      signal,
      async (client) => resourceValue(await client.readResource({ uri, options: { signal } })),
    );
  }

  /** Finds a tool; agents also write `read_file` for `read-file`. */
  async find(tool: string, signal: AbortSignal): Promise<McpTool> {
    const tools = await this.tools(signal);
    const exact = tools.find((one) => one.name === tool);
    if (exact) return exact;
    const alike = tools.filter((one) => isSameTool(one.name, tool));
    if (alike.length === 1) return alike[0]!;
    const names = tools.map((one) => one.name);
    const meant = didYouMean(tool, names);
    const has = inertLine(names.join(", ") || "none", 500);
    const hint = meant === undefined ? `it has ${has}` : `did you mean ${showName(meant)}?`;
    throw new RlmError("tool", `Cannot find the tool ${showName(tool)} of ${this.name}: ${hint}`);
  }

  /** Calls a tool. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { name } = await this.find(tool, signal);
    return await this.#ask(`call ${showName(name)}`, signal, async (client) => {
      const options = { signal };
      return callValue(await client.callTool({ name, arguments: { ...args }, options }));
    });
  }

  /** Ends the connection and the server's process; safe to call twice, and while it connects. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#open;
    this.#open = undefined;
    await Promise.all([...this.#transports].map((transport) => transport.close()));
    try {
      await (await open)?.close();
    } catch {
      // it never opened, or is closed already
    }
  }

  async #ask<T>(
    what: string,
    signal: AbortSignal,
    ask: (client: MCPClient) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) {
      throw new RlmError(
        "tool",
        `Cannot ${what} of the MCP server ${this.name}: the run has ended`,
      );
    }
    try {
      // The connection is shared: one caller's abort ends its own wait only.
      return await untilAborted(this.#connected().then(ask), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RlmError) throw error;
      const message = error instanceof Error ? error.message || error.name : String(error);
      const verb = error instanceof McpCallError ? "failed" : "could not be done";
      throw new RlmError(
        "tool",
        `MCP server ${this.name}: ${what} ${verb}: ${inertLine(this.#redact(message), 1_000)}`,
      );
    }
  }

  #connected(): Promise<MCPClient> {
    if (!this.#open) {
      const open = this.#connect();
      this.#open = open;
      open.catch(() => this.#forget(open));
    }
    return this.#open;
  }

  #forget(open: Promise<MCPClient>): void {
    if (this.#open !== open) return;
    this.#open = undefined;
    this.#tools = undefined;
  }

  async #connect(): Promise<MCPClient> {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const server = this.#server;
    const transport = server.kind === "stdio" ? this.#stdio(server) : {
      type: server.kind,
      url: server.url,
      headers: { ...server.headers },
    };
    try {
      const client = await createMCPClient({
        transport,
        clientName: "fast-rlm",
        initializationOptions: { timeout: CONNECT_MS },
        onUncaughtError: () => {}, // the call that fails tells
      });
      this.#watch(transport, client);
      return client;
    } catch (error) {
      const stdio = transport instanceof StdioTransport ? transport : undefined;
      await stdio?.close();
      const message = error instanceof Error ? error.message : String(error);
      const log = stdio && stdio.log.trim() !== "" ? `; it wrote: ${stdio.log.trim()}` : "";
      const text = inertLine(this.#redact(message + log), 600);
      throw new RlmError("tool", `Cannot connect to the MCP server ${this.name}: ${text}`);
    }
  }

  #stdio(server: Extract<McpServer, { kind: "stdio" }>): StdioTransport {
    if (this.#closed) throw new Error("the run has ended");
    const { clock, env } = this.#options;
    const transport = new StdioTransport(server, { clock, inherit: env });
    this.#transports.add(transport);
    return transport;
  }

  /** When a server's process ends, its client is closed and the next call starts it anew. */
  #watch(transport: unknown, client: MCPClient): void {
    if (!(transport instanceof StdioTransport)) return;
    const open = this.#open;
    const before = transport.onclose;
    transport.onclose = () => {
      before?.();
      if (open) this.#forget(open);
      void client.close().catch(() => {});
    };
  }
}

/** Headers, and the parts of the URL that may be a secret. */
function secretsOf(server: Extract<McpServer, { url: string }>): Record<string, string> {
  const url = new URL(server.url);
  const secrets: Record<string, string> = { ...server.headers };
  for (const [name, value] of url.searchParams) secrets[name] = value;
  if (url.password !== "") secrets["password"] = url.password;
  for (const [name, value] of Object.entries(server.headers)) {
    const token = /^\w+\s+(\S+)$/.exec(value)?.[1]; // "Bearer …"
    if (token !== undefined) secrets[`${name} token`] = token;
  }
  return secrets;
}

const identifier = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "_");

/** Whether both name the same tool, one of them perhaps written as an identifier. */
export function isSameTool(a: string, b: string): boolean {
  return identifier(a) === identifier(b);
}

async function listAll<P extends Page, T>(
  ask: (options?: { params: { cursor: string } }) => Promise<P>,
  items: (page: P) => readonly T[],
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor === undefined ? undefined : { params: { cursor } });
    all.push(...items(page));
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < MAX_LISTED);
  return all.slice(0, MAX_LISTED);
}
