/**
 * `deno task compile [OUTPUT]`: the program as one executable. What Deno cannot see by itself, since
 * it is loaded by a computed name or is the entry of a process or a worker, is named here.
 *
 * @module
 */
import { dirname, fromFileUrl, join, relative } from "@std/path";
import { inertLine } from "../inert_text.ts";
import { EXIT } from "./exit.ts";
import { LAZY_MODULES } from "./parts.ts";

const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..");

/** What has to be embedded beside the graph of `main.ts`, relative to the project's folder. */
export const EMBEDDED: readonly string[] = [
  "repl/sandbox.ts",
  "repl/worker.ts",
  "lib/run_start.ts",
  "lib/demo/episodes.txt",
  "lib/demo/recording.jsonl",
  "lib/demo/summary.schema.json",
  ...LAZY_MODULES.map((path) => relative(root, join(root, "lib/cli", path)).replaceAll("\\", "/")),
];

/** The arguments of `deno` that make the executable; to be used in the project's folder. */
export function compileArgs(output: string): string[] {
  return [
    "compile",
    "--quiet",
    "--no-check",
    "--exclude-unused-npm",
    "--allow-all",
    "--no-prompt",
    `--output=${output}`,
    ...[...new Set(EMBEDDED)].map((path) => `--include=${path}`),
    "main.ts",
  ];
}

/** How making the executable came out. */
export interface Compiled {
  /** What is to be told: one line. */
  readonly line: string;
  /** The exit code: 0, or 1 where there is no executable that works. */
  readonly code: number;
}

/** What runs a program of this machine to its end; for tests. */
export type RunProgram = (
  path: string,
  args: readonly string[],
) => Promise<{ readonly code: number; readonly text: string }>;

/** Makes the executable and asks it whether it can evaluate a step. */
export async function compile(output: string, run: RunProgram = runProgram): Promise<Compiled> {
  const made = await run(Deno.execPath(), compileArgs(output));
  if (made.code !== 0) {
    const runtime = /denort|dl\.deno\.land/i.test(made.text);
    const why = inertLine(reasonIn(made.text), 300);
    return {
      code: EXIT.failed,
      line: runtime
        ? `error: Cannot compile: Deno's runtime for executables cannot be had: ${why}; ` +
          "with DENORT_BIN a file of it can be named"
        : `error: Cannot compile: ${why}`,
    };
  }
  const tested = await run(output, ["__self-test"]);
  const told = inertLine(tested.text.trim(), 1_000);
  return tested.code === 0
    ? { code: EXIT.answer, line: `${output}: ${told}` }
    : { code: EXIT.failed, line: `error: ${output} was made and does not work: ${told}` };
}

/** The innermost cause that Deno tells, or its first line. */
function reasonIn(text: string): string {
  const causes = [...text.matchAll(/^\s*\d+: (?!<unknown>)(.+)$/gm)].map(([, cause]) => cause);
  return causes.at(-1) ?? text.trim().split("\n")[0] ?? "no reason was given";
}

const runProgram: RunProgram = async (path, args) => {
  try {
    const { code, stdout, stderr } = await new Deno.Command(path, {
      args: [...args],
      cwd: root,
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    return { code: EXIT.failed, text: (error as Error).message };
  }
};

if (import.meta.main) {
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  const { line, code } = await compile(Deno.args[0] ?? join(root, "dist", `fast-rlm${suffix}`));
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
  Deno.exitCode = code;
}
