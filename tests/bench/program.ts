/** Runs the program and the floors as processes of their own, from start to end. */
import { fromFileUrl } from "@std/path";
import { keptEnv } from "../support/kept_env.ts";
import { watchMemory } from "./memory.ts";
import type { BenchServer } from "./server.ts";
import type { Served } from "./model_server.ts";

const main = fromFileUrl(import.meta.resolve("../../main.ts"));
const config = fromFileUrl(import.meta.resolve("../../deno.json"));
const now = (): number => performance.timeOrigin + performance.now();

/** What a program did. */
export interface Ran {
  /** When it was started, milliseconds since the epoch with fractions. */
  readonly started: number;
  /** Milliseconds from start to end. */
  readonly took: number;
  readonly stdout: string;
  /** Most bytes over all its processes at one time; 0 unless they were watched. */
  readonly peak: number;
}

/** How a program is run. */
export interface RunHow {
  readonly server?: BenchServer;
  readonly cwd?: string;
  readonly watch?: boolean;
  /** Called with the process id once it runs. */
  readonly onStart?: (pid: number) => void;
}

/** Runs a script of Deno to its end. */
export async function runScript(
  script: string,
  args: readonly string[],
  how: RunHow = {},
): Promise<Ran> {
  const env: Record<string, string> = { ...keptEnv(), RLM_MODEL_API_KEY: "bench" };
  if (how.server) env["RLM_MODEL_BASE_URL"] = how.server.baseUrl;
  const started = now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `--config=${config}`, script, ...args],
    env,
    clearEnv: true,
    ...(how.cwd === undefined ? {} : { cwd: how.cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const watch = how.watch ? watchMemory(child.pid) : undefined;
  how.onStart?.(child.pid);
  const { success, stdout, stderr } = await child.output();
  const took = now() - started;
  const peak = watch?.stop().peak ?? 0;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${script} ${args.join(" ")} failed:\n${text(stderr)}`);
  return { started, took, stdout: text(stdout), peak };
}

/** Path of a floor's script. */
export function floor(name: string): string {
  return fromFileUrl(import.meta.resolve(`./floors/${name}.ts`));
}

/** Runs `fast-rlm` with the arguments given. */
export async function fastRlm(args: readonly string[], how: RunHow = {}): Promise<Ran> {
  return await runScript(main, args, how);
}

/** Arguments of a run on the bench's models. */
export const MODELS = ["--primary-agent", "root", "--sub-agent", "child", "-q"] as const;

/** Milliseconds from the program's start until its first request had arrived at the server. */
export async function untilFirstRequest(
  script: string,
  args: readonly string[],
  how: RunHow & { server: BenchServer },
): Promise<number> {
  const { started } = await runScript(script, args, how);
  return Math.min(...(await how.server.served()).map(({ received }) => received)) - started;
}

/** The same of `fast-rlm`; its run must end with an answer. */
export async function untilFirstModelRequest(
  args: readonly string[],
  how: RunHow & { server: BenchServer },
): Promise<number> {
  return await untilFirstRequest(main, [...args, ...MODELS], how);
}

/** Milliseconds between each reply to a model and the next request of it. */
export function gaps(served: readonly Served[], model = "root"): number[] {
  const own = served.filter((one) => one.model === model).sort((a, b) => a.received - b.received);
  return own.slice(1).map((one, at) => one.received - own[at]!.replied);
}

/** A fenced block, as the models of the bench reply. */
export const code = (source: string): { text: string } => ({
  text: "```js\n" + source + "\n```",
});

/** A temporary directory for one measurement. */
export async function inTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await Deno.makeTempDir({ prefix: "fast-rlm-bench-" });
  try {
    return await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
