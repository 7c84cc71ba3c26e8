/**
 * Output of agent code, cut while it is captured: the first and the last characters of a step are
 * kept, the rest is counted, so that no amount of printing costs memory.
 */
import type { CapturedOutput } from "./protocol.ts";

/** Collects a step's output. */
export interface OutputCapture {
  write(line: string): void;
  /** What was captured since the last call, and a fresh start. */
  take(): CapturedOutput;
}

/** Keeps at most `limit` characters: three fifths from the head, the rest from the tail. */
export function createCapture(limit: number): OutputCapture {
  const headLimit = Math.ceil(limit * 0.6);
  const tailLimit = limit - headLimit;
  let head = "";
  let tail = "";
  let chars = 0;
  let lines = 0;
  const fresh = () => {
    head = "";
    tail = "";
    chars = 0;
    lines = 0;
  };
  return {
    write(line) {
      const text = line + "\n";
      chars += text.length;
      lines++;
      let from = 0;
      if (head.length < headLimit) {
        from = headLimit - head.length;
        head += slice(text, 0, from);
        if (from >= text.length) return;
      }
      if (tailLimit === 0) return;
      // A long text replaces the tail; short ones are joined and cut only now and then.
      if (text.length - from >= tailLimit) tail = slice(text, text.length - tailLimit);
      else {
        tail += slice(text, from);
        if (tail.length > tailLimit * 4 + 1024) tail = slice(tail, tail.length - tailLimit);
      }
    },
    take() {
      const kept = tail.length > tailLimit ? slice(tail, tail.length - tailLimit) : tail;
      const output = { head, tail: kept, chars, lines };
      fresh();
      return output;
    },
  };
}

const { call } = Function.prototype;
const slice = call.bind(String.prototype.slice) as (s: string, from: number, to?: number) => string;
const indexOf = call.bind(String.prototype.indexOf) as (s: string, part: string) => number;
const replace = call.bind(String.prototype.replace) as (
  s: string,
  pattern: RegExp,
  by: (match: string) => string,
) => string;
const isArray = Array.isArray;
const NativeString = String;

/** Turns any value into text without calling agent code where that can be helped. */
export type Inspect = (value: unknown, deep?: boolean) => string;

/** `Deno.inspect`, taken before the lockdown removes it. */
export function createInspect(): Inspect {
  const native = Deno.inspect;
  return (value, deep = false) => {
    try {
      return native(value, {
        depth: deep ? 12 : 4,
        colors: false,
        compact: true,
        breakLength: 100,
        iterableLimit: 100,
        strAbbreviateSize: 4_000,
        trailingComma: false,
      });
    } catch {
      return "[a value that cannot be shown]";
    }
  };
}

/** The `console` that agent code sees. */
export function createConsole(
  write: (line: string) => void,
  inspect: Inspect,
): Record<string, (...args: unknown[]) => void> {
  let indent = "";
  const counts = new Map<string, number>();
  const mapGet = call.bind(Map.prototype.get) as (m: unknown, k: string) => number | undefined;
  const mapSet = call.bind(Map.prototype.set) as (m: unknown, k: string, v: number) => void;
  const show = (value: unknown): string => typeof value === "string" ? value : inspect(value);
  const text = (args: unknown[]): string => {
    let out = "";
    let from = 0;
    const first = args[0];
    if (args.length > 1 && typeof first === "string" && indexOf(first, "%") >= 0) {
      from = 1;
      out = replace(first, /%[sdifjoOc%]/g, (match) => {
        if (match === "%%") return "%";
        if (from >= args.length) return match;
        const value = args[from++];
        if (match === "%c") return "";
        if (match === "%d" || match === "%i" || match === "%f") return show(Number(value));
        return show(value);
      });
    }
    for (let i = from; i < args.length; i++) out += (i > 0 ? " " : "") + show(args[i]);
    return out;
  };
  const line = (...args: unknown[]) => write(indent + text(args));
  return {
    log: line,
    info: line,
    debug: line,
    warn: line,
    error: line,
    dir: (value) => write(indent + inspect(value, true)),
    table: (value) => write(tabulate(value, inspect)),
    trace: (...args) => line("Trace:", ...args),
    assert: (condition, ...args) => {
      if (!condition) line("Assertion failed:", ...args);
    },
    count: (label = "default") => {
      const key = NativeString(label);
      const n = (mapGet(counts, key) ?? 0) + 1;
      mapSet(counts, key, n);
      line(`${key}: ${n}`);
    },
    countReset: (label = "default") => mapSet(counts, NativeString(label), 0),
    group: (...args) => {
      if (args.length > 0) line(...args);
      if (indent.length < 40) indent += "  ";
    },
    groupCollapsed: (...args) => {
      if (args.length > 0) line(...args);
      if (indent.length < 40) indent += "  ";
    },
    groupEnd: () => {
      indent = slice(indent, 2);
    },
    time: () => {},
    timeLog: () => {},
    timeEnd: () => {},
    clear: () => {},
  };
}

/** Rows as tab-separated lines: cheap for a model to read. */
function tabulate(value: unknown, inspect: Inspect): string {
  if (!isArray(value) || value.length === 0) return inspect(value);
  const columns: string[] = [];
  for (let i = 0; i < value.length && i < 100; i++) {
    const row: unknown = value[i];
    if (typeof row !== "object" || row === null) return inspect(value);
    for (const key in row) if (!columns.includes(key) && columns.length < 30) columns.push(key);
  }
  const cell = (v: unknown) => typeof v === "string" ? v : inspect(v);
  let out = columns.join("\t");
  for (let i = 0; i < value.length && i < 100; i++) {
    const row = value[i] as Record<string, unknown>;
    out += "\n" + columns.map((key) => cell(row[key])).join("\t");
  }
  return value.length > 100 ? `${out}\n… ${value.length - 100} more rows` : out;
}
