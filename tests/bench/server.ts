import { fromFileUrl } from "@std/path";
import type { Script, Served } from "./model_server.ts";

/** The bench's end of the model server's process. */
export class BenchServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly origin: string;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** Starts the process and waits for its port. */
  static async start(): Promise<BenchServer> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", fromFileUrl(import.meta.resolve("./model_server.ts"))],
      stdout: "piped",
      stderr: "inherit",
      stdin: "null",
    }).spawn();
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    return new BenchServer(child, Number(new TextDecoder().decode(value).trim()));
  }

  /** What `RLM_MODEL_BASE_URL` holds. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  /** Sets the replies and forgets what was served. */
  async script(script: Script, keepMessages = false): Promise<void> {
    const response = await fetch(`${this.origin}/script`, {
      method: "POST",
      body: JSON.stringify({ script, keepMessages }),
    });
    await response.body?.cancel();
  }

  /** What was served since the script was set, in the order of the replies. */
  async served(): Promise<Served[]> {
    return await (await fetch(`${this.origin}/served`)).json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}
