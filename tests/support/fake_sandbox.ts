/**
 * A program that stands in for a sandbox process and speaks its protocol wrongly. Its first argument
 * is the body of an async function with `io`; it is JavaScript, so that the host starts it alone.
 */
import { dirname, fromFileUrl, join } from "@std/path";
import { Sandbox } from "../../repl/host.ts";

const program = join(dirname(fromFileUrl(import.meta.url)), "fake_sandbox_child.ts");

/** Starts a sandbox whose process runs `script`; `sleep` is the host's clock. */
export function fakeSandbox(
  script: string,
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>,
): Sandbox {
  return new Sandbox({
    memoryLimitMb: 64,
    command: {
      path: Deno.execPath(),
      args: ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", program, script],
      env: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: Deno.env.get("DENO_DIR") ?? cacheOf() },
    },
    ...(sleep ? { sleep } : {}),
  });
}

function cacheOf(): string {
  return join(Deno.env.get("HOME") ?? "", ".cache", "deno");
}
