import { type ErrorCode, RlmError } from "../errors.ts";
import type { RunStatus } from "../events.ts";
import { inertBlock } from "../inert_block.ts";
import { inertLine } from "../inert_text.ts";
import { EXIT } from "./exit.ts";

const EXIT_OF: Partial<Record<ErrorCode, number>> = {
  usage: EXIT.usage,
  config: EXIT.usage,
  input: EXIT.usage,
  schema: EXIT.usage,
  limit: EXIT.limit,
  session_busy: EXIT.busy,
  session_unreadable: EXIT.unreadable,
  interrupted: EXIT.interrupted,
};

/** The error as one of the engine's: what a log cannot show is an input at fault. */
function known(error: unknown): unknown {
  return error instanceof Error && error.name === "LogError"
    ? new RlmError("input", error.message, { cause: error })
    : error;
}

/** The exit code for an error; 1 for every one that has none of its own. */
export function exitCodeOf(thrown: unknown): number {
  const error = known(thrown);
  return error instanceof RlmError ? EXIT_OF[error.code] ?? EXIT.failed : EXIT.failed;
}

/** The exit code for how a run ended; the error says more where there is one. */
export function exitCodeOfRun(status: RunStatus, error: RlmError | undefined): number {
  if (status === "interrupted") return EXIT.interrupted;
  if (status === "limit") return EXIT.limit;
  if (error !== undefined) return exitCodeOf(error);
  return status === "answered" ? EXIT.answer : EXIT.failed;
}

/** What belongs to the words of a key rather than to a plain variable. */
const SECRET_VARIABLE = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/;

/** Variables that hold a key which this program reads. */
const KEY_VARIABLES = [
  "RLM_MODEL_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "ANTHROPIC_API_KEY",
  "GOOGLE_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GOOGLE_VERTEX_API_KEY",
] as const;

/**
 * The values that must never be printed: those of the key variables, and of whatever else in `env`
 * (names and values, such as a server's) is named like a key. Short ones are left out: masking them
 * would mask plain words.
 */
export function secretsOf(
  env: (name: string) => string | undefined,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const values = [
    ...KEY_VARIABLES.map(env),
    ...Object.entries(more).map(([name, value]) =>
      SECRET_VARIABLE.test(name.toUpperCase()) ? value : undefined
    ),
  ];
  return values.filter((value): value is string => value !== undefined && value.length >= 6);
}

/** `text` with every secret masked, also where it was URL-encoded. */
export function scrub(text: string, secrets: readonly string[]): string {
  let out = text;
  for (const secret of secrets) {
    out = out.replaceAll(secret, "[key]").replaceAll(encodeURIComponent(secret), "[key]");
  }
  return out;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);

/**
 * An error as the terminal shows it: one line, inert, without any key. An error that the engine did
 * not throw on purpose is called internal. With `debug` the stacks follow, causes included.
 *
 * @returns text that ends with a line break
 */
export function presentError(
  thrown: unknown,
  options: { readonly debug: boolean; readonly secrets: readonly string[] },
): string {
  const error = known(thrown);
  const expected = error instanceof RlmError && error.code !== "internal";
  const message = scrub(messageOf(error), options.secrets);
  const line = inertLine(message, 2_000);
  const shown = expected
    ? `error: ${line}\n`
    : `internal error: ${line}${options.debug ? "" : "; run again with --debug for details"}\n`;
  return options.debug ? shown + stacksOf(error, options.secrets) : shown;
}

function stacksOf(error: unknown, secrets: readonly string[]): string {
  const parts: string[] = [];
  let current = error;
  // A chain of causes may be a loop.
  while (current instanceof Error && parts.length < 5) {
    const label = parts.length === 0 ? "" : "caused by ";
    parts.push(label + (current.stack ?? `${current.name}: ${current.message}`));
    current = current.cause;
  }
  const text = parts.join("\n");
  return text === "" ? "" : inertBlock(scrub(text, secrets), 20_000) + "\n";
}
