import type { MCPClientConfig } from "@ai-sdk/mcp";
import type { Clock } from "../clock.ts";
import { spawnProgram } from "../spawn.ts";
import type { StdioServer } from "./server_config.ts";

/** A transport as the AI SDK's client takes it. */
type Transport = Extract<MCPClientConfig["transport"], { start(): Promise<void> }>;
type Message = Parameters<Transport["send"]>[0];

/** How long a server may take to end by itself, and then after a request to end, milliseconds. */
const GRACE_MS = 1_000;
/** Longest line a server may send, characters. */
const MAX_LINE = 256 * 1024 * 1024;
/** What is kept of a server's own log for error messages, characters. */
const STDERR_KEPT = 2_000;
/**
 * How a package is fetched: many servers are started by `npx` or `deno run npm:…`, and behind a proxy
 * or with certificates of a company's own nothing would come without these.
 */
const FETCHING = [
  "ALL_PROXY",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "all_proxy",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "DENO_CERT",
  "DENO_DIR",
  "DENO_TLS_CA_STORE",
  "NODE_EXTRA_CA_CERTS",
  "NPM_CONFIG_CAFILE",
  "NPM_CONFIG_REGISTRY",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_cafile",
  "npm_config_registry",
  "npm_config_userconfig",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "XDG_CACHE_HOME",
];
/** Variables that a server inherits; no other one of the engine's, which may hold keys. */
const INHERITED = [
  ...FETCHING,
  "HOME",
  "LANG",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "USER",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
];

/**
 * Speaks MCP with a process of its own, one JSON message a line.
 *
 * The SDK's transport leaves the process to itself when it is closed; this one waits for its end: it
 * closes the server's input, then asks, then kills, and with the server everything it started (it
 * runs in a process group of its own, which also keeps Ctrl-C from it until the run has ended).
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  readonly #server: StdioServer;
  readonly #clock: Clock;
  readonly #inherit: (name: string) => string | undefined;
  #process: Deno.ChildProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined;
  #readers: Promise<void>[] = [];
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;
  #log = "";

  /** @param inherit gives the value of an environment variable */
  constructor(
    server: StdioServer,
    options: { clock: Clock; inherit: (name: string) => string | undefined },
  ) {
    this.#server = server;
    this.#clock = options.clock;
    this.#inherit = options.inherit;
  }

  /** The end of what the server wrote to its standard error. */
  get log(): string {
    return this.#log;
  }

  start(): Promise<void> {
    if (this.#closing) return Promise.reject(new Error("the run has ended"));
    const { command, args, env, cwd } = this.#server;
    const inherited: Record<string, string> = {};
    for (const name of INHERITED) {
      const value = this.#inherit(name);
      if (value !== undefined) inherited[name] = value;
    }
    try {
      this.#process = spawnProgram(command, {
        args: [...args],
        clearEnv: true,
        env: { ...inherited, ...env },
        detached: Deno.build.os !== "windows",
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        ...(cwd === undefined ? {} : { cwd }),
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return Promise.reject(error);
      const what = cwd === undefined ? command : `${command} in ${cwd}`;
      return Promise.reject(new Error(`there is no command ${what}`));
    }
    this.#writer = this.#process.stdin.getWriter();
    this.#readers = [this.#readMessages(this.#process), this.#readLog(this.#process)];
    void this.#process.status.then(() => this.onclose?.());
    return Promise.resolve();
  }

  async send(message: Message): Promise<void> {
    if (!this.#writer || this.#closing) throw new Error("the server is not running");
    await this.#writer.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  }

  /** Ends the server; resolves when its process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const done = new AbortController();
    const gone = child.status.then(() => done.abort());
    const grace = () =>
      Promise.race([gone, this.#clock.sleep(GRACE_MS, done.signal).catch(() => {})]);
    await this.#writer?.close().catch(() => {});
    await grace();
    // Also when the server itself is gone: what it started may not be.
    this.#kill(child, "SIGTERM");
    await grace();
    this.#kill(child, "SIGKILL");
    await gone;
    // A process that left the group may hold the streams open.
    this.#stop.abort();
    await Promise.all(this.#readers);
  }

  #kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
    try {
      if (Deno.build.os === "windows") child.kill(signal);
      else Deno.kill(-child.pid, signal);
    } catch {
      // nobody of the group is left
    }
  }

  async #readMessages(child: Deno.ChildProcess): Promise<void> {
    let parts: string[] = [];
    let length = 0;
    try {
      const text = child.stdout.pipeThrough(new TextDecoderStream(), { signal: this.#stop.signal });
      for await (const chunk of text) {
        let from = 0;
        for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
          parts.push(chunk.slice(from, end));
          this.#receive(parts.join(""));
          parts = [];
          length = 0;
          from = end + 1;
        }
        parts.push(chunk.slice(from));
        length += chunk.length - from;
        if (length > MAX_LINE) throw new Error("the server sent a line of more than 256 MB");
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
    }
  }

  /** Servers that log to standard output are common: what is no message is left out. */
  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (typeof message === "object" && message !== null && "jsonrpc" in message) {
      this.onmessage?.(message as Message);
    }
  }

  async #readLog(child: Deno.ChildProcess): Promise<void> {
    try {
      const text = child.stderr.pipeThrough(new TextDecoderStream(), { signal: this.#stop.signal });
      for await (const chunk of text) this.#log = (this.#log + chunk).slice(-STDERR_KEPT);
    } catch {
      // closed
    }
  }
}
