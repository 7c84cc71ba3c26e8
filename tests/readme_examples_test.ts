/**
 * The examples of the README as real programs: type-checked as they stand, then run in a process of
 * their own against a model server on loopback.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, fromFileUrl, join, toFileUrl } from "@std/path";
import { withTempDir } from "./support/cli.ts";
import {
  type FakeAnswer,
  type ReceivedRequest,
  startFakeModelServer,
} from "./support/fake_model_server.ts";
import { js } from "./support/play.ts";

const root = join(dirname(fromFileUrl(import.meta.url)), "..");

/** What the model replies, and what the program then prints. */
interface Scene {
  readonly replies: readonly FakeAnswer[];
  readonly prints: string;
}

const chapter = (request: ReceivedRequest): string =>
  request.text.includes("The Storm")
    ? js("FINAL({ place: /the (The \\w+)/.exec(context)[1] })")
    : js("FINAL({ place: /the (The \\w+)/.exec(context)[1].toUpperCase() })");

const scenes: Readonly<Record<string, Scene>> = {
  "Fan-out over chapters": {
    replies: [
      js(`const chapters = context.split(/^(?=# Chapter)/m);
      const places = await batch_llm_query(chapters.map((context) =>
        ({ context, instruction: "Which place is this chapter about?" })));
      places.filter((p) => p instanceof Error).length`),
      chapter,
      chapter,
      chapter,
      js("FINAL(chapters.map((c, i) => `${/: (.*)/.exec(c)[1]}: ${places[i].place}`).join('\\n'))"),
    ],
    prints: "The Harbour: THE HARBOUR\nThe Storm: The Storm\nThe Lighthouse: THE LIGHTHOUSE\n",
  },
  "Typed extraction": {
    replies: [
      js("FINAL({ number: 'A-17', due: '1 May 2026', lines: [] })"),
      js(`const [, number] = /Invoice (\\S+),/.exec(context);
      const lines = [...context.matchAll(/(\\d+) (\\w+) at ([\\d.]+)/g)].map(([, n, item, price]) =>
        ({ item, cents: Math.round(n * price * 100) }));
      FINAL({ number, due: "2026-05-01", lines })`),
    ],
    prints: "A-17: 106.90 due 2026-05-01\n",
  },
  "A search tool": {
    replies: [
      js(`const found = await tools.search({ word: "winter" });
      FINAL(found.map(({ name, text }) => name + ": " + text.split(". ").pop()).join("\\n"))`),
    ],
    prints: "alder: Its cones stay on the tree in winter.\n" +
      "larch: Larch is a conifer that sheds its needles in winter.\n",
  },
  "MCP": {
    replies: [
      js(`const offered = await tools.list("files");
      const [, folder] = /(\\/\\S+)/.exec((await tools.files.list_allowed_directories()).content);
      const { content } = await tools.files.read_text_file({ path: folder + "/notes.txt" });
      const lines = content.trim().split("\\n"); // one entry a line
      FINAL(lines.length)`),
      js("FINAL(lines.at(-1))"),
    ],
    prints: "3\neggs\n",
  },
};

/** The `ts` blocks below `## Examples`, by the heading above each. */
function examplesIn(markdown: string): Map<string, string> {
  const [, section = ""] = /^## Examples\n([^]*?)(?=^## |(?![^]))/m.exec(markdown) ?? [];
  const blocks = section.matchAll(/^### (.+)\n(?:(?!^### )[^])*?^```ts\n([^]*?)^```$/gm);
  return new Map([...blocks].map(([, heading, code]) => [heading!, code!]));
}

const examples = examplesIn(await Deno.readTextFile(join(root, "README.md")));

/** Runs `use` in a folder that looks like the one beside `mod.ts`, outside the source tree. */
async function besideMod(use: (dir: string) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const mod = toFileUrl(join(root, "mod.ts")).href;
    await Deno.writeTextFile(join(dir, "mod.ts"), `export * from ${JSON.stringify(mod)};\n`);
    for (const [at, code] of [...examples.values()].entries()) {
      await Deno.writeTextFile(join(dir, `example${at}.ts`), code);
    }
    await use(dir);
  });
}

/** Deno with the settings of this project. */
async function deno(
  dir: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const [command = "", ...rest] = args;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [command, "--quiet", "--config", join(root, "deno.json"), ...rest],
    cwd: dir,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

Deno.test("the README has the examples that are played here, and no others", () => {
  deepStrictEqual([...examples.keys()], Object.keys(scenes));
});

Deno.test("the README's examples pass the type check", async () => {
  await besideMod(async (dir) => {
    const files = [...examples.keys()].map((_, at) => `example${at}.ts`);
    const { code, err } = await deno(dir, ["check", ...files]);
    strictEqual(code, 0, err);
  });
});

for (const [at, heading] of [...examples.keys()].entries()) {
  Deno.test(`README example: ${heading}`, async () => {
    const scene = scenes[heading];
    ok(scene, `no scene for ${heading}`);
    await using server = startFakeModelServer(scene.replies);
    await besideMod(async (dir) => {
      const { code, out, err } = await deno(dir, ["run", "-A", "--no-check", `example${at}.ts`], {
        RLM_MODEL_BASE_URL: server.baseUrl,
        RLM_MODEL_API_KEY: "",
      });
      strictEqual(code, 0, err);
      strictEqual(out, scene.prints);
    });
    strictEqual(server.requests.length, scene.replies.length);
    ok(!server.requests.some(({ text }) => text.includes("only-tools-see-this")));
  });
}
