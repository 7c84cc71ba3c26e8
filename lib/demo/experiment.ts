/**
 * The experiment: `deno task experiment`. What the input tokens of a session are with the code of
 * earlier steps in the prompt and without it. By default the replies are those of the demo, which
 * were written by hand; with `--primary-agent MODEL` a model is asked.
 *
 * @module
 */
import { parseArgs } from "@std/cli";
import { ensureDir } from "@std/fs";
import { join } from "@std/path";
import type { Config, ModelChoice } from "../config.ts";
import { RlmError } from "../errors.ts";
import { generateCorpus } from "./corpus.ts";
import { plot } from "./experiment_plot.ts";
import { tables } from "./experiment_text.ts";
import { besideDemo, playSession } from "./play.ts";
import { type PlayedCall, playedModel } from "./played_model.ts";
import { isExpected, type Question, QUESTIONS } from "./questions.ts";
import { REPLIES } from "./replies.ts";

/** How much code a resumed agent sees: all of it, what is worth its tokens (the default), none. */
export type CodeMode = "all" | "budget" | "none";

/** The modes in the order in which they are shown. */
export const MODES: readonly CodeMode[] = ["all", "budget", "none"];

const SETTING: Readonly<Record<CodeMode, boolean | "all">> = {
  all: "all",
  budget: true,
  none: false,
};

/** What one query took. */
export interface MeasuredQuery {
  readonly question: Question;
  /** Input tokens of all agents; undefined where the provider does not tell. */
  readonly tokens: number | undefined;
  /** Those of the root agent; undefined where a model is asked, which tells sums only. */
  readonly rootTokens: number | undefined;
  readonly calls: number;
  readonly right: boolean;
}

/** A session in one mode. */
export interface MeasuredSession {
  readonly mode: CodeMode;
  readonly queries: readonly MeasuredQuery[];
}

/** How the experiment is run. */
export interface ExperimentOptions {
  readonly modes?: readonly CodeMode[];
  /** The models to ask; without them the replies written by hand are played. */
  readonly live?: { readonly primaryAgent: ModelChoice; readonly subAgent?: ModelChoice };
  readonly onQuery?: (mode: CodeMode, query: MeasuredQuery) => void;
}

/** Runs the session once in each mode. */
export async function runExperiment(options: ExperimentOptions = {}): Promise<MeasuredSession[]> {
  const sessions: MeasuredSession[] = [];
  for (const mode of options.modes ?? MODES) {
    sessions.push({ mode, queries: await measureSession(mode, options) });
  }
  return sessions;
}

async function measureSession(
  mode: CodeMode,
  options: ExperimentOptions,
): Promise<MeasuredQuery[]> {
  const { truth } = generateCorpus();
  const sessionDir = await Deno.makeTempDir();
  const queries: MeasuredQuery[] = [];
  try {
    for (const question of QUESTIONS) {
      const calls: PlayedCall[] = [];
      const code: Config = { addSessionCodeToContext: SETTING[mode] };
      const config = options.live
        ? { ...code, ...options.live }
        : { ...code, primaryAgent: playedModel(REPLIES[question.id] ?? {}, (c) => calls.push(c)) };
      const { result, usage } = await askOnce(question, sessionDir, config);
      const own = calls.filter(({ agent }) => agent === "0");
      const measured: MeasuredQuery = {
        question,
        tokens: usage.promptTokens,
        rootTokens: options.live ? undefined : own.reduce(addPrompt, 0),
        calls: usage.calls,
        right: isExpected(result, question.expected(truth)),
      };
      queries.push(measured);
      options.onQuery?.(mode, measured);
    }
  } finally {
    await Deno.remove(sessionDir, { recursive: true });
  }
  return queries;
}

const addPrompt = (sum: number, { usage }: PlayedCall): number => sum + (usage.promptTokens ?? 0);

/** A query that failed or met a limit is a wrong answer that still cost its tokens. */
async function askOnce(question: Question, sessionDir: string, config: Config) {
  try {
    for await (
      const { result } of playSession({
        sessionDir,
        config: () => config,
        questions: [question],
      })
    ) return result;
  } catch (error) {
    if (error instanceof RlmError && error.partial) return { ...error.partial, result: undefined };
    throw error;
  }
  throw new Error("The session was asked nothing");
}

const HELP = `deno task experiment: input tokens of a session, with code in the prompt and without

  --primary-agent MODEL  ask a model; without it the demo's replies are played
  --sub-agent MODEL      model of sub-agents
  --modes LIST           of ${MODES.join(",")}; all three unless given
  --out DIR              where experiment.md and experiment.svg go; lib/demo unless a model is asked
`;

async function main(write: (text: string) => void): Promise<number> {
  const args = parseArgs(Deno.args, {
    boolean: ["help"],
    string: ["primary-agent", "sub-agent", "modes", "out"],
  });
  if (args["help"]) {
    write(HELP);
    return 0;
  }
  const option = (name: string): string | undefined => {
    const value: unknown = args[name];
    return typeof value === "string" ? value : undefined;
  };
  const named = option("modes")?.split(",") ?? [];
  const unknown = named.find((mode) => !MODES.includes(mode as CodeMode));
  if (unknown !== undefined) {
    write(`Cannot run the mode ${JSON.stringify(unknown)}: choose of ${MODES.join(",")}\n`);
    return 2;
  }
  const primaryAgent = option("primary-agent");
  const subAgent = option("sub-agent");
  const sessions = await runExperiment({
    modes: MODES.filter((mode) => named.length === 0 || named.includes(mode)),
    ...(primaryAgent === undefined
      ? {}
      : { live: { primaryAgent, ...(subAgent === undefined ? {} : { subAgent }) } }),
    onQuery: (mode, { question, tokens, calls, right }) =>
      write(
        `${mode} ${question.id}: ${tokens ?? "?"} tokens, ${calls} calls, ${
          right ? "right" : "wrong"
        }\n`,
      ),
  });
  const text = tables(sessions, primaryAgent);
  write(`\n${text}`);
  const out = option("out");
  const path = (name: string): string =>
    out === undefined && primaryAgent === undefined ? besideDemo(name) : join(out ?? ".", name);
  if (out !== undefined) await ensureDir(out);
  await Deno.writeTextFile(path("experiment.md"), text);
  await Deno.writeTextFile(path("experiment.svg"), plot(sessions, primaryAgent));
  write(`\nWritten: ${path("experiment.md")}, ${path("experiment.svg")}\n`);
  return sessions.every(({ queries }) => queries.every(({ right }) => right)) ? 0 : 1;
}

if (import.meta.main) {
  const encoder = new TextEncoder();
  const write = (text: string): void => void Deno.stdout.writeSync(encoder.encode(text));
  try {
    Deno.exitCode = await main(write);
  } catch (error) {
    write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exitCode = 1;
  }
}
