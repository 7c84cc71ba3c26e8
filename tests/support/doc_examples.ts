/**
 * Type-checks and runs the examples in documentation comments and in the guides. Deno imports a
 * module's exports into each of its examples, used or not: so the settings are those of `deno.json`
 * but for unused names. Examples reach the package as its users do, by its name.
 */
import { dirname, fromFileUrl, join, toFileUrl } from "@std/path";
import { walk } from "@std/fs";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const base = toFileUrl(`${root}/`);

const { name, imports, compilerOptions, unstable } = JSON.parse(
  await Deno.readTextFile(join(root, "deno.json")),
);
const absolute = Object.entries<string>(imports).map(([key, target]) => [
  key,
  target.startsWith("./") ? new URL(target, base).href : target,
]);
const config = {
  unstable,
  nodeModulesDir: "none",
  imports: { ...Object.fromEntries(absolute), [name]: new URL("mod.ts", base).href },
  compilerOptions: { ...compilerOptions, noUnusedLocals: false, noUnusedParameters: false },
};

// The examples of the README are programs: tests/readme_examples_test.ts runs them.
const files = [join(root, "mod.ts")];
for (const room of ["lib", "repl", "log", ".github"]) {
  for await (const { path, isFile } of walk(join(root, room))) {
    const holdsExamples = isFile && /\.(tsx?|md)$/.test(path);
    if (holdsExamples && (await Deno.readTextFile(path)).includes("```ts")) files.push(path);
  }
}

const dir = await Deno.makeTempDir({ prefix: "fast-rlm-docs-" });
try {
  const file = join(dir, "deno.json");
  await Deno.writeTextFile(file, JSON.stringify(config));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--quiet", "--doc", "-A", "--no-lock", "--config", file, ...files],
    cwd: dir,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  Deno.exitCode = (await child.status).code;
} finally {
  await Deno.remove(dir, { recursive: true });
}
