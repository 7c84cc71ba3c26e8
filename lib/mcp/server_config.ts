import { isRecord } from "../config_checks.ts";
import { RlmError } from "../errors.ts";
import { showName, showValue } from "../show_value.ts";

/** A server that is started as a process and spoken to over its standard streams. */
export interface StdioServer {
  readonly name: string;
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that is reached by URL: Streamable HTTP, or the older SSE. */
export interface HttpServer {
  readonly name: string;
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A checked server with every variable filled in. Holds secrets: never show it. */
export type McpServer = StdioServer | HttpServer;

const KINDS = new Map<string, McpServer["kind"]>([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamable_http", "http"],
  ["streamablehttp", "http"],
  ["sse", "sse"],
]);
const NAME = /^[^\s.\p{C}][^.\p{C}]{0,63}$/u;
const IMPOSSIBLE = new Set(["then", "toJSON", "constructor", "prototype", "__proto__"]);

/**
 * Checks servers as Claude Desktop and fast-rlm write them: `{command, args, env, cwd}` or
 * `{url, type: "http" | "sse", headers}`; `${NAME}` and `${NAME:-default}` in texts are filled in
 * from the environment. Servers with `disabled: true` are left out.
 *
 * @param env gives the value of an environment variable
 * @throws {RlmError} `config`, naming server and field, never a value of env or headers
 */
export function readServers(
  servers: Readonly<Record<string, unknown>>,
  env: (name: string) => string | undefined,
): McpServer[] {
  const inner = servers["mcpServers"] ?? servers["mcp_servers"];
  const byName = isRecord(inner) ? inner : servers;
  return Object.entries(byName)
    .filter(([, server]) => !(isRecord(server) && server["disabled"] === true))
    .map(([name, server]) => new Reader(name, env).read(server));
}

class Reader {
  readonly #name: string;
  readonly #env: (name: string) => string | undefined;

  constructor(name: string, env: (name: string) => string | undefined) {
    this.#name = name;
    this.#env = env;
  }

  read(server: unknown): McpServer {
    if (!NAME.test(this.#name) || IMPOSSIBLE.has(this.#name)) {
      throw this.#error("its name must have 1 to 64 characters and no dot");
    }
    if (!isRecord(server)) throw this.#error(`it must be an object, is ${showValue(server)}`);
    const kind = this.#kind(server);
    if (kind === "stdio") {
      const cwd = server["cwd"];
      return {
        name: this.#name,
        kind,
        command: this.#text("command", server["command"]),
        args: this.#list("args", server["args"]),
        env: this.#record("env", server["env"]),
        ...(cwd === undefined ? {} : { cwd: this.#text("cwd", cwd) }),
      };
    }
    const url = this.#text("url", server["url"]);
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw this.#error("url must begin with http:// or https://");
    }
    return { name: this.#name, kind, url, headers: this.#record("headers", server["headers"]) };
  }

  #kind(server: Record<string, unknown>): McpServer["kind"] {
    const given = server["type"] ?? server["transport"];
    const kind = given === undefined
      ? typeof server["url"] === "string" ? "http" : "stdio"
      : KINDS.get(String(given).toLowerCase());
    if (kind === undefined) {
      throw this.#error(`type must be "stdio", "http" or "sse", is ${showValue(given)}`);
    }
    return kind;
  }

  #text(field: string, value: unknown): string {
    if (typeof value !== "string" || value === "") {
      throw this.#error(`${field} must be a text that is not empty, is ${showValue(value)}`);
    }
    return this.#filled(field, value);
  }

  #list(field: string, value: unknown): string[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.#error(`${field} must be a list of texts`);
    return value.map((item, i) => {
      if (typeof item !== "string") throw this.#error(`${field}[${i}] must be a text`);
      return this.#filled(`${field}[${i}]`, item);
    });
  }

  #record(field: string, value: unknown): Record<string, string> {
    const texts: Record<string, string> = Object.create(null);
    if (value === undefined) return texts;
    if (!isRecord(value)) throw this.#error(`${field} must be an object of texts`);
    for (const [key, item] of Object.entries(value)) {
      if (typeof item !== "string") throw this.#error(`${field}.${showName(key)} must be a text`);
      texts[key] = this.#filled(`${field}.${showName(key)}`, item);
    }
    return texts;
  }

  #filled(field: string, text: string): string {
    return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const value = this.#env(name) || fallback;
      if (value === undefined) {
        throw this.#error(`${field} needs the environment variable ${name}, which is not set`);
      }
      return value;
    });
  }

  #error(why: string): RlmError {
    return new RlmError("config", `Cannot use the MCP server ${showName(this.#name)}: ${why}`);
  }
}
