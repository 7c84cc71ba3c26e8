/** However a process ends, it leaves no child and, at the latest after the next start, no file. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join } from "@std/path";
import { makePrivateDir, removePrivateDir } from "../lib/ephemeral.ts";
import { withTempDir } from "./support/cli.ts";

const here = dirname(fromFileUrl(import.meta.url));
const linux = Deno.build.os === "linux";

/** Processes below one, by what Linux tells. */
function below(pid: number): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = Deno.readTextFileSync(`/proc/${name}/stat`).replace(/^.*\) /s, "").split(" ");
      if (Number(fields[1]) === pid) found.push(Number(name), ...below(Number(name)));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function isAlive(pid: number): boolean {
  try {
    const state = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /s, "")[0];
    return state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/** Resolves when none of them lives; fails after five seconds. */
async function gone(pids: readonly number[]): Promise<void> {
  const end = performance.now() + 5_000;
  while (pids.some(isAlive)) {
    ok(performance.now() < end, `still there: ${pids.filter(isAlive).join()}`);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const ends: readonly [how: string, end: (child: Deno.ChildProcess) => void, clean: boolean][] = [
  ["answers", () => {}, true],
  ["throws", () => {}, false],
  ["exits", () => {}, true],
  ["is told to end (SIGTERM)", (child) => child.kill("SIGTERM"), false],
  ["is interrupted (SIGINT)", (child) => child.kill("SIGINT"), false],
  ["is killed (SIGKILL)", (child) => child.kill("SIGKILL"), false],
];

for (const [how, end, clean] of ends) {
  Deno.test({
    name: `a process that ${how} during an endless loop leaves nothing`,
    ignore: !linux,
    async fn() {
      await withTempDir(async (dir) => {
        const child = new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--quiet", join(here, "support", "looping_run.ts"), how],
          env: { TMPDIR: dir },
          cwd: dir,
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        }).spawn();
        const reader = child.stdout.getReader();
        await reader.read();
        const children = below(child.pid);
        if (how !== "answers") ok(children.length > 0);
        end(child);
        await child.status;
        await reader.cancel();
        await gone(children);
        const left = () =>
          [...Deno.readDirSync(dir)].map(({ name }) => name).filter((n) =>
            n.startsWith("fast-rlm")
          );
        if (clean) return deepStrictEqual(left(), []);
        // The library leaves signals to its user: what is left goes with the next start.
        const next = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--quiet", join(here, "support", "looping_run.ts"), "answers"],
          env: { TMPDIR: dir },
          cwd: dir,
          stdin: "null",
        }).output();
        ok(next.success);
        deepStrictEqual(left(), []);
      });
    },
  });
}

Deno.test("a private directory whose process lives is left alone", () => {
  const first = makePrivateDir();
  const second = makePrivateDir();
  ok(Deno.statSync(first).isDirectory);
  removePrivateDir(first);
  removePrivateDir(second);
  for (const dir of [first, second]) {
    strictEqual(
      (() => {
        try {
          return Deno.statSync(dir).isDirectory;
        } catch {
          return false;
        }
      })(),
      false,
    );
  }
});

Deno.test({
  name: "twenty runs in one process leave memory and the number of processes flat",
  ignore: !linux,
  async fn() {
    await withTempDir(async (dir) => {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--quiet",
          "--v8-flags=--expose-gc",
          join(here, "support", "many_runs.ts"),
          "20",
          dir,
        ],
        stdin: "null",
        stderr: "null",
      }).output();
      const [early, late] = JSON.parse(new TextDecoder().decode(stdout)) as {
        open: number;
        children: number;
        heap: number;
      }[];
      strictEqual(late!.open, early!.open);
      strictEqual(late!.children, 0);
      // Fifteen contexts would be 15 MB and more.
      ok(late!.heap - early!.heap < 3_000_000, `heap ${early!.heap} → ${late!.heap}`);
    });
  },
});
