/** A terminal that programs run in for tests: tmux, on a server and with a socket of its own. */

/** How long a test waits for text to appear. */
const PATIENCE_MS = 20_000;

/** Whether tmux can be started here. */
export function hasTmux(): boolean {
  try {
    return new Deno.Command("tmux", { args: ["-V"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** One window of a tmux server that ends with it. */
export class Tmux implements AsyncDisposable {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** Runs a shell command in a window; what follows it in the window is `cat`. */
  static async start(
    directory: string,
    command: string,
    columns: number,
    rows: number,
  ): Promise<Tmux> {
    const tmux = new Tmux(`${directory}/tmux.sock`);
    await tmux.#run(
      ...["new-session", "-d", "-x", String(columns), "-y", String(rows)],
      `sh -c '${command}; exec cat'`,
    );
    return tmux;
  }

  async #run(...args: string[]): Promise<string> {
    const { stdout, stderr, success } = await new Deno.Command("tmux", {
      args: ["-u", "-S", this.#socket, "-f", "/dev/null", ...args],
      env: { LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TERM: "xterm-256color", NO_COLOR: "" },
    }).output();
    if (!success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }

  /** What the window shows. */
  screen(): Promise<string> {
    return this.#run("capture-pane", "-p");
  }

  /** Presses keys, by tmux's names. */
  async press(...keys: string[]): Promise<void> {
    await this.#run("send-keys", ...keys);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#run("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** A format variable of the window, such as `alternate_on`. */
  async flag(name: string): Promise<string> {
    return (await this.#run("display-message", "-p", `#{${name}}`)).trim();
  }

  /** The screen as soon as it matches; an error with the last screen where it does not in time. */
  async until(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const screen = await this.screen();
      if (pattern.test(screen)) return screen;
      if (Date.now() > deadline) throw new Error(`Nothing matches ${pattern} on:\n${screen}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run("kill-server").catch(() => {});
  }
}
