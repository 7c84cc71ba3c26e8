/** What the sandbox's process asks of the operating system, from ready to its end. */
import { ok, strictEqual } from "node:assert/strict";
import { encodeBody } from "../../repl/body.ts";
import { Sandbox } from "../../repl/host.ts";
import { rewriteStep } from "../../repl/rewrite.ts";
import { sandboxCommand } from "../../repl/spawn.ts";
import { ESCAPES } from "../support/escapes.ts";
import { withTempDir } from "../support/cli.ts";

const CALLS = "connect,bind,socket,sendto,sendmsg,open,openat,creat,execve,execveat,fork,vfork," +
  "write,writev,pwrite64,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,symlink,kill";

async function straceWorks(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("strace", {
      args: ["-f", "-o", "/dev/null", "true"],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
}

const available = await straceWorks();
const skipped = available ? "" : " (skipped: strace cannot be used here)";

Deno.test({
  name: `during the battery the process opens, connects, starts and writes nothing${skipped}`,
  ignore: !available,
  async fn() {
    await withTempDir(async (dir) => {
      const log = `${dir}/strace`;
      const { path, args, env } = sandboxCommand(512);
      const strace = ["-f", "-qq", "-y", "-s", "80", "-e", `trace=${CALLS}`, "-o", log];
      await using sandbox = new Sandbox({
        memoryLimitMb: 512,
        command: { path: await which("strace"), args: [...strace, path, ...args], env },
      });
      const setup = { recursive: true, env: {}, maxOutput: 1_000 };
      await sandbox.init(setup, encodeBody("x"), (call) => Promise.resolve(call.value));
      let step = 0;
      for (const { code } of ESCAPES) {
        const text = code.replaceAll("$URL", "http://127.0.0.1:9").replaceAll("$FILE", `${dir}/f`);
        let program;
        try {
          program = rewriteStep(`await (async () => {${text}\n})()`);
        } catch {
          continue;
        }
        await sandbox.evaluate({
          step: ++step,
          code: program.code,
          declared: program.declared,
          timeoutMs: 20_000,
        });
      }
      ok(step > 150);
      const lines = (await Deno.readTextFile(log)).split("\n");
      const ready = lines.findIndex((line) => line.includes('\\"ready\\"'));
      ok(ready > 0, "the process told that it is ready");
      const after = lines.slice(ready + 1).filter((line) => line !== "" && !harmless(line));
      strictEqual(after.join("\n"), "");
    });
  },
});

/**
 * Frames into the pipe, wake-ups between threads, and what Linux tells of the process itself: the C
 * library counts the cores when a thread makes its first arena, whenever that is; and once in some runs
 * the process asks for the rate of the processor's clock, which no code of the battery names.
 */
function harmless(line: string): boolean {
  return /write(?:v)?\(1<pipe:/.test(line) ||
    /write\(\d+<anon_inode:\[eventfd\]>/.test(line) ||
    /openat\([^)]*"\/(?:proc\/self\/(?:stat|statm|status|maps)|sys\/fs\/cgroup\/[^"]*|sys\/devices\/system\/cpu\/(?:online|possible|cpu0\/tsc_freq_khz))", O_RDONLY/
      .test(line) ||
    /(?:resumed>|\+\+\+ |--- )/.test(line);
}

async function which(name: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).output();
  return new TextDecoder().decode(stdout).trim();
}
