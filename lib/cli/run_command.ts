import {
  checkConfig,
  type ConfigLayer,
  environmentLayer,
  resolveConfig,
  type ResolvedConfig,
} from "../config.ts";
import { CONFIG_FIELDS } from "../config_fields.ts";
import { RlmError } from "../errors.ts";
import type { EventSink } from "../events.ts";
import { inertBlock } from "../inert_block.ts";
import { inertLine } from "../inert_text.ts";
import type { ContextSource } from "../input_file.ts";
import { noUsage } from "../model/usage.ts";
import type { RunCommand } from "./command.ts";
import type { run as Run, RunOptions, RunResult } from "../run.ts";
import { watchInterrupts } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { EXIT } from "./exit.ts";
import { exitCodeOf, exitCodeOfRun, presentError, scrub, secretsOf } from "./present_error.ts";
import { toJsonText } from "./result_json.ts";
import { load } from "./parts.ts";

/** The parts that a run needs, loaded only once they are needed. */
export interface RunParts {
  /** Loads the engine. */
  engine(): Promise<typeof Run>;
  /** Starts the display of progress. */
  progress(
    io: Io,
    command: RunCommand,
    config: ResolvedConfig,
  ): Promise<{ readonly sink: EventSink; stop(): void }>;
}

/**
 * `fast-rlm "prompt"`: only the answer (or, with `--json`, the whole result) goes to standard output.
 *
 * @returns the exit code
 */
export async function runCommand(command: RunCommand, io: Io, parts: RunParts): Promise<number> {
  const secrets = new Set(secretsOf(io.env));
  let stop = (): void => {};
  using interrupts = watchInterrupts(io, () => stop());
  const fail = async (error: unknown): Promise<number> => {
    stop();
    io.stderr(presentError(error, { debug: command.debug, secrets: [...secrets] }));
    // Told already: where the answer could not be written, this cannot be either.
    if (command.json) await io.stdout(failureText(error, [...secrets])).catch(() => {});
    return exitCodeOf(error);
  };
  try {
    const layers = await layersOf(command, io);
    const config = resolveConfig(...layers);
    for (const secret of secretsIn(config)) secrets.add(secret);
    // The engine loads while the input is read.
    const [run, input, progress] = await Promise.all([
      parts.engine(),
      inputOf(command, config, io, interrupts.signal),
      parts.progress(io, command, config),
    ]);
    stop = () => progress.stop();
    const options: RunOptions = {
      ...checkConfig(...layers),
      prompt: command.prompt,
      wait: command.wait,
      signal: interrupts.signal,
      onEvent: progress.sink,
      ...(input === undefined ? {} : { input }),
    };
    const result = await run(options);
    stop();
    return await report(result, command, io, [...secrets]);
  } catch (error) {
    return await fail(error);
  }
}

/** Settings whose flags name files; only they need the parsers. */
const LOADED = CONFIG_FIELDS.filter((field) => "load" in field).map((field) => field.name);

async function layersOf(command: RunCommand, io: Io): Promise<ConfigLayer[]> {
  const flags: ConfigLayer = { source: "flags", kind: "flags", values: command.flags };
  const layers = [flags, environmentLayer(io.env)];
  if (command.configFile !== undefined) {
    const { readConfigFile } = await load("../config_file.ts");
    layers.splice(1, 0, await readConfigFile(command.configFile));
  } else if (!LOADED.some((name) => name in command.flags)) return layers;
  return await (await load("./load_values.ts")).loadValues(layers);
}

/** Values of settings that hold keys: those of `env`, and headers and environments of servers. */
function secretsIn(config: ResolvedConfig): string[] {
  return [
    config.env,
    ...Object.values(config.mcpServers).flatMap((server) => [
      server.env ?? {},
      Object.fromEntries(
        Object.entries(server.headers ?? {}).map(([name, value]) => [`${name}_KEY`, value]),
      ),
    ]),
  ].flatMap((values) => secretsOf(() => undefined, values));
}

async function inputOf(
  command: RunCommand,
  config: ResolvedConfig,
  io: Io,
  signal: AbortSignal,
): Promise<ContextSource | undefined> {
  if (command.inputFile === undefined) return undefined;
  const { readInput } = await load("../input_file.ts");
  return await readInput(command.inputFile, {
    maxBytes: config.maxContextMb * 1e6,
    stdin: () => io.stdin(),
    signal,
  });
}

async function report(
  result: RunResult,
  command: RunCommand,
  io: Io,
  secrets: readonly string[],
): Promise<number> {
  const { error } = result;
  // Told before the answer is written: that may fail.
  if (error !== undefined) io.stderr(presentError(error, { debug: command.debug, secrets }));
  else if (result.status !== "answered") io.stderr(`${statusLine(result)}\n`);
  if (command.json) {
    await io.stdout(toJsonText(wholeResult(result, secrets)) + "\n");
  } else if (result.status === "answered" || result.result !== undefined) {
    await io.stdout(answerText(result.result, io) + "\n");
  }
  return exitCodeOfRun(result.status, error);
}

function statusLine(result: RunResult): string {
  const partial = result.result === undefined ? "no answer" : "a partial answer";
  switch (result.status) {
    case "limit":
      return `error: stopped by a limit after ${result.steps} steps with ${partial}`;
    case "interrupted":
      return `error: interrupted after ${result.steps} steps with ${partial}`;
    default:
      return `error: the run failed after ${result.steps} steps with ${partial}`;
  }
}

/** A string as it is, anything else as JSON; on a terminal nothing that would act on it. */
function answerText(answer: unknown, io: Io): string {
  if (typeof answer !== "string") return toJsonText(answer);
  return io.terminal.stdout ? inertBlock(answer, Infinity) : answer;
}

function wholeResult(result: RunResult, secrets: readonly string[]): Record<string, unknown> {
  return {
    result: result.result,
    status: result.status,
    usage: result.usage,
    steps: result.steps,
    logFile: result.logFile,
    sessionDir: result.sessionDir,
    ...(result.error === undefined ? {} : { error: errorEntry(result.error, secrets) }),
  };
}

function errorEntry(error: unknown, secrets: readonly string[] = []): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: error instanceof RlmError ? error.code : "internal",
    message: inertLine(scrub(message, secrets), 2_000),
    ...(error instanceof RlmError && "holder" in error ? { holder: error.holder } : {}),
    ...(error instanceof RlmError && "limit" in error ? { limit: error.limit } : {}),
  };
}

/** What `--json` prints for a run that threw, or that did not begin for wrong usage. */
export function failureText(error: unknown, secrets: readonly string[]): string {
  return scrub(toJsonText(failure(error)), secrets) + "\n";
}

/** The whole result of a run that threw: the same keys, and why. */
function failure(error: unknown): Record<string, unknown> {
  const partial = error instanceof RlmError ? error.partial : undefined;
  const code = exitCodeOf(error);
  return {
    result: partial?.answer,
    status: code === EXIT.interrupted ? "interrupted" : code === EXIT.limit ? "limit" : "failed",
    usage: partial?.usage ?? noUsage,
    steps: partial?.steps ?? 0,
    logFile: undefined,
    sessionDir: undefined,
    error: errorEntry(error),
  };
}
