/**
 * The walls of DESIGN §3 as tests: which folder may import which, and who may touch the process.
 */
import { ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join, relative } from "@std/path";

const root = join(dirname(fromFileUrl(import.meta.url)), "..");

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|import\("([^"]+)"\)/g;

async function* sourceFiles(dir: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(dir)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}

async function sources(): Promise<Source[]> {
  const paths: string[] = [join(root, "main.ts"), join(root, "mod.ts")];
  for (const folder of ["lib", "repl", "log"]) {
    for await (const path of sourceFiles(join(root, folder))) paths.push(path);
  }
  return await Promise.all(paths.map(async (path) => {
    const text = await Deno.readTextFile(path);
    const imports = [...text.matchAll(IMPORT)].map(([, type, from, dynamic]) => {
      const specifier = (from ?? dynamic)!;
      const target = specifier.startsWith(".")
        ? relative(root, join(dirname(path), specifier)).replaceAll("\\", "/")
        : specifier;
      return { target, typeOnly: type !== undefined };
    });
    return { path: relative(root, path).replaceAll("\\", "/"), text, imports };
  }));
}

const all = await sources();
const below = (folder: string) => all.filter(({ path }) => path.startsWith(folder));

/** Fails with every import of `files` that `forbidden` names. */
function refuse(
  files: readonly Source[],
  forbidden: (target: string, typeOnly: boolean, path: string) => boolean,
): void {
  const found = files.flatMap(({ path, imports }) =>
    imports.filter(({ target, typeOnly }) => forbidden(target, typeOnly, path))
      .map(({ target }) => `${path} imports ${target}`)
  );
  strictEqual(found.join("\n"), "");
}

Deno.test("the test sees the imports that it speaks of", () => {
  const run = all.find(({ path }) => path === "lib/run_query.ts");
  ok(run?.imports.some(({ target }) => target === "lib/agent_run.ts"));
  ok(run?.imports.some(({ target }) => target === "log/writer.ts"));
});

Deno.test("repl/ imports nothing of lib/ or log/", () => {
  refuse(below("repl/"), (target) => /^(?:lib|log)\//.test(target));
});

Deno.test("log/ imports of lib/ only types, the adapters of lib/std, and what makes text inert", () => {
  refuse(
    below("log/").filter(({ path }) => !path.startsWith("log/viewer/")),
    (target, typeOnly) =>
      /^repl\//.test(target) && !typeOnly ||
      /^lib\//.test(target) && !/^lib\/(?:std\/|inert_text\.ts$)/.test(target) && !typeOnly,
  );
});

Deno.test("the agent loop knows neither files nor the terminal", () => {
  const loop = all.filter(({ path }) =>
    /^lib\/(?:agent|agent_repl|agent_run|calls)\.ts$/.test(path)
  );
  strictEqual(loop.length, 4);
  refuse(
    loop,
    (target) =>
      /^lib\/(?:cli|session_store|session_open|file_system)/.test(target) || /^log\//.test(target),
  );
  for (const { path, text } of loop) {
    ok(!/\bDeno\.|\bconsole\./.test(text), `${path} touches the world`);
  }
});

Deno.test("only main.ts and lib/cli touch arguments, the exit code and the terminal", () => {
  const outside = all.filter(({ path }) => path !== "main.ts" && !path.startsWith("lib/cli/"));
  const found = outside.filter(({ path, text }) => {
    // The sandbox process and the viewer are programs of their own.
    if (path === "repl/sandbox.ts" || path.startsWith("log/viewer/")) return false;
    if (path.startsWith("lib/demo/")) return false;
    return /\bDeno\.(?:args|exit|stdin|stdout|stderr|consoleSize)\b/.test(
      text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
    );
  });
  strictEqual(found.map(({ path }) => path).join("\n"), "");
});

Deno.test("no source file is longer than 400 lines", () => {
  const long = all.filter(({ text }) => text.split("\n").length > 401);
  strictEqual(long.map(({ path }) => path).join("\n"), "");
});

Deno.test("nothing is imported from jsr: or over the network", () => {
  refuse(all, (target) => /^(?:jsr|https?):/.test(target));
});
