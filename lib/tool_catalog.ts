import { isRecord } from "./config_checks.ts";
import { didYouMean } from "./did_you_mean.ts";
import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";
import type { McpConnection, McpServers, McpTool } from "./mcp.ts";
import { isSameTool } from "./mcp/connection.ts";
import { typeText } from "./output_schema.ts";
import { showName, showValue } from "./show_value.ts";
import type { Toolbox } from "./toolbox.ts";
import type { ToolCallOptions, ToolSet } from "./tools.ts";

/** Calls that find tools instead of being one. A user's tool of the same name comes first. */
const DISCOVERY = ["list", "schema", "resources", "templates", "read"] as const;
type Discovery = typeof DISCOVERY[number];

/** A server as an agent has it: whole, or some of its tools. */
interface Grant {
  readonly connection: McpConnection;
  /** Absent: all of them, and its resources. */
  readonly tools?: ReadonlySet<string>;
}

/**
 * The tools and MCP servers of a run as one toolbox.
 *
 * Agent code calls `tools.name(args)` and `tools.server.name(args)`. It finds what servers offer when
 * it needs it: `tools.list()` or `tools.list("server")`, `tools.schema("server.name")`,
 * `tools.resources("server")`, `tools.templates("server")`, `tools.read(uri)` or
 * `tools.read({server, uri})`. So a server costs a line of the prompt, however much it offers, and
 * nothing is connected before it is used.
 */
export function createToolbox(tools: ToolSet, servers?: McpServers): Toolbox {
  const grants = new Map<string, Grant>();
  for (const name of servers?.names ?? []) {
    if (tools.get(name)) {
      throw new RlmError("config", `Cannot use the name ${name} for a tool and an MCP server`);
    }
    grants.set(name, { connection: servers!.get(name)! });
  }
  return new Catalog(tools, grants);
}

class Catalog implements Toolbox {
  readonly #tools: ToolSet;
  readonly #servers: ReadonlyMap<string, Grant>;

  constructor(tools: ToolSet, servers: ReadonlyMap<string, Grant>) {
    this.#tools = tools;
    this.#servers = servers;
  }

  describe(): string {
    const lines = [this.#tools.describe()];
    if (this.#servers.size > 0) {
      const names = [...this.#servers].map(([name, { connection }]) =>
        `${showName(name)} (${connection.kind})`
      );
      lines.push(
        `- MCP servers: ${
          names.join(", ")
        }. Find their tools with tools.list("server"), arguments ` +
          'with tools.schema("server.tool"), call tools.server.tool(args); files with ' +
          'tools.resources("server"), tools.templates("server"), tools.read(uri)',
      );
    }
    return lines.filter((line) => line !== "").join("\n");
  }

  async call(name: string, args: unknown, options: ToolCallOptions): Promise<unknown> {
    if (this.#tools.get(name)) return await this.#tools.call(name, args, options);
    if (isDiscovery(name)) return await this.#discover(name, args, options.signal);
    const found = this.#split(name);
    if (!found) throw this.#unknown(name);
    const { grant, tool } = found;
    if (!isRecord(args)) {
      throw new RlmError(
        "tool",
        `Cannot call tools.${showName(name)}: args must be an object, is ${showValue(args)}`,
      );
    }
    const { name: real } = await this.#allowed(grant, tool, options.signal);
    return await grant.connection.call(real, args, options.signal);
  }

  grant(names: readonly string[]): Toolbox {
    const own: string[] = [];
    const servers = new Map<string, Grant>();
    for (const name of names) {
      const whole = this.#servers.get(name);
      const found = whole ? undefined : this.#split(name);
      if (this.#tools.get(name)) own.push(name);
      else if (whole) servers.set(name, whole);
      else if (found) {
        const { grant, tool } = found;
        if (!includes(grant, tool)) throw this.#unknown(name);
        const before = servers.get(grant.connection.name);
        if (before && !before.tools) continue;
        const tools = new Set([...(before?.tools ?? []), tool]);
        servers.set(grant.connection.name, { connection: grant.connection, tools });
      } else throw this.#unknown(name);
    }
    return new Catalog(this.#tools.grant(own), servers);
  }

  /** `server.tool`; a name of a server has no dot, a name of a tool may have one. */
  #split(name: string): { grant: Grant; tool: string } | undefined {
    const dot = name.indexOf(".");
    const grant = dot > 0 ? this.#servers.get(name.slice(0, dot)) : undefined;
    return grant && dot + 1 < name.length ? { grant, tool: name.slice(dot + 1) } : undefined;
  }

  async #allowed(grant: Grant, tool: string, signal: AbortSignal): Promise<McpTool> {
    const found = await grant.connection.find(tool, signal);
    if (!includes(grant, found.name)) {
      throw this.#unknown(`${grant.connection.name}.${tool}`);
    }
    return found;
  }

  async #discover(what: Discovery, args: unknown, signal: AbortSignal): Promise<unknown> {
    if (what === "schema") return await this.#schema(args, signal);
    if (what === "read") return await this.#read(args, signal);
    const server = serverOf(args);
    const grants = server === undefined ? [...this.#servers.values()] : [this.#server(server)];
    if (what === "list") {
      const own = server === undefined ? this.#listOwn() : [];
      const listed = await Promise.all(grants.map((grant) => listServer(grant, signal)));
      return [...own, ...listed.flat()];
    }
    const whole = grants.filter((grant) => !grant.tools);
    const found = await Promise.all(whole.map(async ({ connection }) => {
      const entries = await connection[what](signal);
      return entries.map((entry) => ({ server: connection.name, ...(entry as object) }));
    }));
    return found.flat();
  }

  #listOwn(): unknown[] {
    return this.#tools.names.map((name) => {
      const { signature, description } = this.#tools.get(name)!;
      return { name, signature, description };
    });
  }

  async #schema(name: unknown, signal: AbortSignal): Promise<unknown> {
    const given = typeof name === "string" ? name : isRecord(name) ? name["name"] : undefined;
    if (typeof given !== "string") {
      throw new RlmError("tool", 'Cannot find a schema: tools.schema takes "server.tool"');
    }
    const own = this.#tools.get(given);
    if (own) return { description: own.description, inputSchema: own.input?.jsonSchema };
    const found = this.#split(given);
    if (!found) throw this.#unknown(given);
    const { description, inputSchema, outputSchema } = await this.#allowed(
      found.grant,
      found.tool,
      signal,
    );
    return { description, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
  }

  /** Of several servers, the one that lists the URI; a template's URI needs its server named. */
  async #read(args: unknown, signal: AbortSignal): Promise<unknown> {
    const { uri, server } = typeof args === "string" ? { uri: args } : isRecord(args) ? args : {};
    if (typeof uri !== "string" || uri === "") {
      throw new RlmError("tool", "Cannot read: tools.read takes a URI, or {server, uri}");
    }
    if (server !== undefined) return await this.#readable(String(server)).read(uri, signal);
    const open = [...this.#servers.values()].filter((grant) => !grant.tools);
    if (open.length === 1) return await open[0]!.connection.read(uri, signal);
    for (const { connection } of open) {
      const listed = await connection.resources(signal).catch(() => []);
      const has = listed.some((entry) => (entry as { uri?: unknown }).uri === uri);
      if (has) return await connection.read(uri, signal);
    }
    throw new RlmError(
      "tool",
      `Cannot read ${showName(uri)}: no server lists it; name one with tools.read({server, uri})`,
    );
  }

  #readable(name: string): McpConnection {
    const grant = this.#server(name);
    if (!grant.tools) return grant.connection;
    throw new RlmError(
      "tool",
      `Cannot read from ${showName(name)}: this agent has only some of its tools`,
    );
  }

  #server(name: string): Grant {
    const grant = this.#servers.get(name);
    if (grant) return grant;
    const known = [...this.#servers.keys()];
    const meant = didYouMean(name, known);
    const hint = meant !== undefined
      ? `did you mean ${meant}?`
      : known.length === 0
      ? "this agent has none"
      : `there are ${known.join(", ")}`;
    throw new RlmError("tool", `Cannot find the MCP server ${showName(name)}: ${hint}`);
  }

  #unknown(name: string): RlmError {
    const known = [...this.#tools.names, ...this.#servers.keys()];
    const meant = didYouMean(name, known);
    const all = known.length === 0 ? "this agent has none" : `there are ${known.join(", ")}`;
    const hint = meant === undefined ? all : `did you mean ${meant}?`;
    return new RlmError("tool", `Cannot find the tool ${showName(name)}: ${inertLine(hint, 500)}`);
  }
}

/** Whether a tool belongs to what was granted of its server. */
function includes(grant: Grant, tool: string): boolean {
  return !grant.tools || [...grant.tools].some((name) => isSameTool(name, tool));
}

const isDiscovery = (name: string): name is Discovery =>
  (DISCOVERY as readonly string[]).includes(name);

/** The server that `tools.list("files")` or `tools.list({server: "files"})` names. */
function serverOf(args: unknown): string | undefined {
  if (typeof args === "string") return args;
  const server = isRecord(args) ? args["server"] : undefined;
  return server === undefined ? undefined : String(server);
}

async function listServer(grant: Grant, signal: AbortSignal): Promise<unknown[]> {
  const { connection } = grant;
  const tools = await connection.tools(signal);
  const allowed = tools.filter(({ name }) => includes(grant, name));
  return allowed.map(({ name, description, inputSchema }) => ({
    name: `${connection.name}.${name}`,
    signature: `${connection.name}.${name}(args: ${typeText(inputSchema)})`,
    description: inertLine(description ?? "", 300),
  }));
}
