/**
 * The demo: `deno task demo [--keep]`. A session over the bundled corpus, each query a process of
 * the command line, the model played back. It needs no key and no network.
 *
 * @module
 */
import { parseArgs } from "@std/cli";
import { ensureDir } from "@std/fs";
import { dirname, fromFileUrl, join } from "@std/path";
// A first run has an empty cache, and a sandbox may fetch nothing: this brings what it loads there.
import "../../repl/prefetch.ts";
import { generateCorpus } from "./corpus.ts";
import {
  introText,
  outroText,
  type Paint,
  painter,
  queryText,
  type ShownQuery,
} from "./demo_text.ts";
import { inertLine } from "../inert_text.ts";
import { CORPUS_FILE, RECORDING_FILE } from "./play.ts";
import { isExpected, type Question, QUESTIONS } from "./questions.ts";
import { queryFacts, readState } from "./session_facts.ts";

/** How the demo is run. */
export interface DemoOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Leave the session directory behind. @default false */
  readonly keep?: boolean;
  /** @default all of them; follow-ups need those before them */
  readonly questions?: readonly Question[];
  /** Copy the demo's files out of the executable first. @default where it is one */
  readonly unpack?: boolean;
}

/**
 * Runs the demo.
 *
 * @returns whether all answers are the expected ones
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { write, paint, keep = false, questions = QUESTIONS } = options;
  const { unpack = Deno.build.standalone } = options;
  const { text, truth } = generateCorpus();
  const dir = await Deno.makeTempDir({ prefix: "fast-rlm-demo-" });
  const unpacked = unpack ? await Deno.makeTempDir({ prefix: "fast-rlm-demo-files-" }) : undefined;
  const shown: ShownQuery[] = [];
  try {
    if (unpacked !== undefined) await unpackTo(unpacked, questions);
    write(`${introText(paint, questions.length, new TextEncoder().encode(text).length)}\n`);
    for (const [at, question] of questions.entries()) {
      const query = await ask(
        question,
        at + 1,
        { dir, folder: unpacked ?? root },
        question.expected(truth),
      );
      shown.push(query);
      write(`${queryText(paint, query)}\n`);
    }
    write(outroText(paint, shown, keep ? { dir, command: shownCommand() } : undefined));
  } finally {
    if (!keep) await Deno.remove(dir, { recursive: true });
    if (unpacked !== undefined) await Deno.remove(unpacked, { recursive: true });
  }
  return shown.every(({ right }) => right);
}

/** The part of `--json` that the demo reads. */
interface JsonResult {
  readonly result: unknown;
  readonly steps: number;
  readonly usage: {
    readonly promptTokens: number | null;
    readonly completionTokens: number | null;
    readonly calls: number;
  };
  readonly logFile: string | null;
}

async function ask(
  question: Question,
  number: number,
  { dir, folder }: { readonly dir: string; readonly folder: string },
  expected: unknown,
): Promise<ShownQuery> {
  const before = await readState(dir);
  const started = performance.now();
  const { stdout, stderr, code } = await program([
    ...["--primary-agent", `replay:${RECORDING_FILE}`],
    ...["--session-dir", dir, "--input-file", CORPUS_FILE, "--json", "--quiet"],
    ...(question.schemaFile ? ["--output-schema", `lib/demo/${question.schemaFile}`] : []),
    question.prompt,
  ], folder);
  const ms = performance.now() - started;
  if (code !== 0) {
    const said = stderr.trim().split("\n").at(-1) ?? "";
    throw new Error(`Query ${number} ended with status ${code}: ${inertLine(said, 500)}`);
  }
  const { result, steps, usage, logFile } = JSON.parse(stdout) as JsonResult;
  const after = await readState(dir);
  if (after === undefined) throw new Error(`Query ${number} left no state.json in ${dir}`);
  const divergence = logFile === null ? undefined : await divergenceIn(logFile);
  return {
    number,
    question,
    answer: result,
    right: isExpected(result, expected),
    steps,
    usage: {
      promptTokens: usage.promptTokens ?? undefined,
      completionTokens: usage.completionTokens ?? undefined,
      calls: usage.calls,
    },
    ms,
    facts: queryFacts(before, after),
    ...(divergence === undefined ? {} : { divergence }),
  };
}

const root = join(fromFileUrl(new URL(".", import.meta.url)), "..", "..");

/** Writes the demo's files below `folder` under the names that they have in the project's folder. */
async function unpackTo(folder: string, questions: readonly Question[]): Promise<void> {
  const schemas = questions.flatMap(({ schemaFile }) =>
    schemaFile ? [`lib/demo/${schemaFile}`] : []
  );
  for (const name of new Set([CORPUS_FILE, RECORDING_FILE, ...schemas])) {
    await ensureDir(dirname(join(folder, name)));
    await Deno.writeFile(join(folder, name), await Deno.readFile(join(root, name)));
  }
}

/** Starts the command line in a folder with the demo's files: their names are a part of the prompt. */
async function program(
  args: readonly string[],
  folder: string,
): Promise<{ stdout: string; stderr: string; code: number }> {
  const prefix = Deno.build.standalone ? [] : ["run", "-A", join(root, "main.ts")];
  const output = await new Deno.Command(Deno.execPath(), {
    args: [...prefix, ...args],
    cwd: folder,
    // Settings and keys of the user are not for a recording.
    clearEnv: true,
    env: Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => !/^RLM_|_API_KEY$/.test(name)),
    ),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return {
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
    code: output.code,
  };
}

function shownCommand(): string {
  return Deno.build.standalone ? "fast-rlm" : "deno run -A main.ts";
}

/** The engine's own words where a prompt is no longer the recorded one. */
async function divergenceIn(logFile: string): Promise<string | undefined> {
  const log = await Deno.readTextFile(logFile);
  return /The run diverged from the recording [^"\n]*/.exec(log)?.[0];
}

const HELP = `deno task demo [--keep]: a session of ${QUESTIONS.length} queries, played back

  --keep  leave the session directory behind and say where it is
`;

/**
 * The demo as a program: `[--keep] [--help]`.
 *
 * @returns the exit code
 */
export async function demo(args: readonly string[]): Promise<number> {
  const { keep, help } = parseArgs(args, { boolean: ["keep", "help"] });
  const encoder = new TextEncoder();
  const write = (text: string): void => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  };
  if (help) {
    write(HELP);
    return 0;
  }
  const paint = painter(Deno.stdout.isTerminal() && !Deno.noColor);
  const unknown = args.find((arg) => arg !== "--keep");
  if (unknown !== undefined) {
    write(
      `${paint("red", "error")}: Cannot use ${inertLine(unknown, 60)}: the demo takes --keep\n`,
    );
    return 2;
  }
  try {
    return await runDemo({ write, paint, keep: keep === true }) ? 0 : 1;
  } catch (error) {
    write(`${paint("red", "error")}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

if (import.meta.main) Deno.exitCode = await demo(Deno.args);
