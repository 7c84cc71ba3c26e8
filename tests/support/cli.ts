/** The real program as a process of its own. */
import { dirname, fromFileUrl, join } from "@std/path";
import { keptEnv } from "./kept_env.ts";

const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..");

/** How the program is started. */
export interface CliOptions {
  /** Added to a bare environment: no key or address of the machine reaches the program. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** What it did. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command, for tests that need the process itself. */
export function cliCommand(
  args: readonly string[],
  options: CliOptions = {},
  streams: Partial<Deno.CommandOptions> = {},
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", join(root, "main.ts"), ...args],
    env: { ...keptEnv(), ...options.env },
    clearEnv: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    ...streams,
  });
}

/** Runs the program to its end. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = cliCommand(args, options).spawn();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** A directory for one test. */
export async function withTempDir(test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "fast-rlm-test-" });
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
