/**
 * Everything that comes out of a sandbox is checked here before the host uses it: kinds, sizes,
 * counts, and text that must not carry control sequences any further.
 */
import { ProtocolError } from "./protocol.ts";
import type {
  CapturedOutput,
  ContextDescription,
  Form,
  Header,
  StepError,
  StepReport,
} from "./protocol.ts";

/** Most names of a restore. */
const MAX_FAILED = 1_000_000;

/** Control characters but tab and line feed; bidi controls and line separators; lone surrogates. */
const UNSAFE = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Makes text inert: control, escape and bidi characters are shown as escapes; the rest stays. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A string of at most `limit` characters, made inert. */
export function checkText(value: unknown, what: string, limit: number): string {
  if (typeof value !== "string") throw new ProtocolError(`${what} is no string`);
  return plainText(value.length > limit ? `${value.slice(0, limit)}…` : value);
}

/** A finite number that is not negative. */
export function checkCount(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new ProtocolError(`${what} is no count`);
  }
  return value;
}

/** An object. */
export function checkObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ProtocolError(`${what} is no object`);
  }
  return value as Record<string, unknown>;
}

/** A list of at most `limit` entries; more are a breach, not something to cut. */
export function checkList(value: unknown, what: string, limit: number): unknown[] {
  if (!Array.isArray(value) || value.length > limit) throw new ProtocolError(`${what} is no list`);
  return value;
}

/** How a body is encoded. */
export function checkForm(value: unknown): Form {
  if (value !== "text" && value !== "value" && value !== "none") {
    throw new ProtocolError("unknown form of a body");
  }
  return value;
}

/** The description of a context. */
export function checkDescription(value: unknown): ContextDescription {
  const { type, size, lines } = checkObject(value, "description");
  return {
    type: checkText(type, "type", 200),
    size: checkCount(size, "size"),
    lines: checkList(lines, "lines", 40).map((line) => checkText(line, "line", 1_000)),
  };
}

function checkOutput(value: unknown, limit: number): CapturedOutput {
  const { head, tail, chars, lines } = checkObject(value, "output");
  return {
    head: checkText(head, "head", limit),
    tail: checkText(tail, "tail", limit),
    chars: checkCount(chars, "chars"),
    lines: checkCount(lines, "lines"),
  };
}

function checkError(value: unknown): StepError {
  const { name, message, frames } = checkObject(value, "error");
  return {
    name: checkText(name, "name", 120).replaceAll("\n", " "),
    message: checkText(message, "message", 2_500),
    frames: checkList(frames, "frames", 20).map((frame) => {
      const { fn, script, line, column } = checkObject(frame, "frame");
      return {
        fn: checkText(fn, "fn", 120),
        script: checkText(script, "script", 120),
        line: checkCount(line, "line"),
        column: checkCount(column, "column"),
      };
    }),
  };
}

/** Names that could not be restored, with the reasons. */
export function checkFailed(value: unknown): ReadonlyMap<string, string> {
  return new Map(
    checkList(value, "failed", MAX_FAILED).map((entry) => {
      const { name, reason } = checkObject(entry, "entry");
      return [checkText(name, "name", 500), checkText(reason, "reason", 500)];
    }),
  );
}

/** The report of a step. */
export function checkReport(header: Header, maxOutput: number): StepReport {
  const report = checkObject(header["report"], "report");
  const { output, echo, error, interrupted, final, notices } = report;
  const checkedFinal = final === undefined ? undefined : checkObject(final, "final");
  return {
    output: checkOutput(output, maxOutput),
    notices: checkList(notices, "notices", 40).map((line) => checkText(line, "notice", 2_500)),
    ...(echo === undefined ? {} : { echo: checkText(echo, "echo", 2_500) }),
    ...(error === undefined ? {} : { error: checkError(error) }),
    ...(interrupted === true ? { interrupted: true } : {}),
    ...(checkedFinal
      ? {
        final: {
          form: checkForm(checkedFinal["form"]),
          loss: checkList(checkedFinal["loss"], "loss", 40).map((l) => checkText(l, "loss", 300)),
        },
      }
      : {}),
  };
}
