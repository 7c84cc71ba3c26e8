const file = new URL("../fixtures/mcp/everything.ts", import.meta.url).pathname;

/** The MCP project's reference server over HTTP, as a process of its own. */
export interface HttpMcpServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port; resolves once it listens. */
export async function startHttpMcpServer(): Promise<HttpMcpServer> {
  const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = probe.addr as Deno.NetAddr;
  probe.close();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", file, "streamableHttp"],
    env: { PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log = child.stderr.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; !text.includes("listening");) {
    const { value, done } = await log.read();
    if (done) throw new Error(`The server did not start: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await log.cancel().catch(() => {});
    },
  };
}
