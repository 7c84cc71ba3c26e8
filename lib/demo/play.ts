/**
 * Plays the session of the demo in this process: each query a run of the real engine, the state
 * restored from disk between them.
 *
 * @module
 */
import { fromFileUrl } from "@std/path";
import type { Config } from "../config.ts";
import type { EventSink } from "../events.ts";
import { run, type RunResult } from "../run.ts";
import { generateCorpus } from "./corpus.ts";
import { type Question, QUESTIONS } from "./questions.ts";

/** The corpus as the demo names it; a part of the prompt, so the same on every machine. */
export const CORPUS_FILE = "lib/demo/episodes.txt";
/** The recording, from the project's folder. */
export const RECORDING_FILE = "lib/demo/recording.jsonl";

/** The path of a file beside this one. */
export function besideDemo(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}

/** How a session is played. */
export interface PlayOptions {
  readonly sessionDir: string;
  /** The settings of one query: its model, and what else differs. */
  config(question: Question): Config;
  /** @default all of them */
  readonly questions?: readonly Question[];
  readonly onEvent?: EventSink;
}

/** A query that was played. */
export interface PlayedQuery {
  readonly question: Question;
  readonly result: RunResult;
}

/** Asks the questions one after another. */
export async function* playSession(options: PlayOptions): AsyncGenerator<PlayedQuery> {
  const bytes = new TextEncoder().encode(generateCorpus().text);
  for (const question of options.questions ?? QUESTIONS) {
    const { schemaFile, prompt } = question;
    const result = await run({
      ...options.config(question),
      ...(schemaFile === undefined ? {} : { outputSchema: await readSchema(schemaFile) }),
      ...(options.onEvent ? { onEvent: options.onEvent } : {}),
      prompt,
      input: { kind: "text", name: CORPUS_FILE, bytes },
      sessionDir: options.sessionDir,
    });
    yield { question, result };
  }
}

async function readSchema(name: string): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(besideDemo(name)));
}
