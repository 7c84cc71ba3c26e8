import type { RunEvent } from "../lib/events.ts";
import { type Entry, isoTime, LOG_FORMAT, writeTimestamps, writeUsage } from "./entry.ts";
import { isExactJson } from "./exact_json.ts";
import { inertJson } from "./inert_json.ts";
import { cutText, TEXT_LIMIT, withoutPrompt, withoutSecrets } from "./redact.ts";

/** Options of an `EntryEncoder`. */
export interface EncoderOptions {
  /** Texts that must never be written, such as API keys; those under 8 characters are ignored. */
  readonly secrets?: readonly string[];
  /** Characters of one text that are kept. @default 65536 */
  readonly textLimit?: number;
}

/** The model's words around its code: the fenced blocks are logged as code. */
function prose(text: string, code: string): string {
  if (code === "") return text;
  return text.replace(/^[ \t]*```[^\n]*\n[\s\S]*?^[ \t]*```[ \t]*$/gm, "").trim();
}

/** Turns the events of one run into entries. It keeps the prompt, to leave copies of it out. */
export class EntryEncoder {
  readonly #secrets: readonly string[];
  readonly #limit: number;
  #prompt = "";
  #first = true;

  constructor(options: EncoderOptions = {}) {
    this.#secrets = options.secrets ?? [];
    this.#limit = options.textLimit ?? TEXT_LIMIT;
  }

  /** The entry of an event; undefined for events that are for progress only. */
  encode(event: RunEvent): Entry | undefined {
    if (event.type === "model_text" || event.type === "model_start" || event.type === "waiting") {
      return undefined;
    }
    const { agent } = event;
    if (event.type === "run_start") this.#prompt = event.prompt;
    const format = this.#first ? { format: LOG_FORMAT } : {};
    this.#first = false;
    return this.#clean({
      time: isoTime(event.time),
      run_id: agent.runId,
      ...(agent.parentRunId !== undefined && { parent_run_id: agent.parentRunId }),
      depth: agent.depth,
      agent: agent.path,
      ...("step" in event && { step: event.step }),
      event_type: event.type,
      ...format,
      ...this.#fields(event),
    });
  }

  /** The line of an event, newline included; undefined for events that are not logged. */
  line(event: RunEvent): string | undefined {
    const entry = this.encode(event);
    if (entry === undefined) return undefined;
    return `${inertJson(JSON.stringify(entry))}\n`;
  }

  #fields(event: RunEvent): Partial<Entry> {
    switch (event.type) {
      case "run_start":
        return {
          engine: event.engine,
          prompt: event.prompt,
          ...(event.query !== undefined && { query: event.query }),
          ...(event.sessionDir !== undefined && { session_dir: event.sessionDir }),
          config: event.config,
        };
      case "agent_start":
        return {
          model: event.agent.model,
          // The root's task is the prompt: its reader takes it from run_start.
          ...(event.task !== this.#prompt && { task: event.task }),
          context: event.context,
          probe: event.probe,
        };
      case "code_generated": {
        const text = prose(event.text, event.code);
        return {
          code: event.code,
          ...(text !== "" && { text }),
          ...(event.reasoning !== undefined && { reasoning: event.reasoning }),
          finish: event.finish,
          usage: writeUsage(event.usage),
          timestamps: writeTimestamps(event.timestamps),
        };
      }
      case "execution_result":
        return {
          code: event.code,
          output: event.output,
          hasError: event.hasError,
          timestamps: writeTimestamps(event.timestamps),
        };
      case "completion":
        return { usage: writeUsage(event.usage) };
      case "model_retry":
        return { attempt: event.attempt, wait_ms: event.waitMs, reason: event.reason };
      case "tool_call":
        return {
          tool: event.tool,
          ms: event.ms,
          ...(event.error !== undefined && { error: event.error }),
        };
      case "session_open":
        return {
          query: event.query,
          restored: event.restored,
          failed: event.failed,
          dropped: event.dropped,
          ...(event.failedNames?.length && { failed_names: event.failedNames }),
          ...(event.droppedNames?.length && { dropped_names: event.droppedNames }),
        };
      case "sweep":
        return {
          saved: event.saved,
          dropped: event.dropped,
          bytes_written: event.bytesWritten,
          ms: event.ms,
        };
      case "restart":
        return { reason: event.reason };
      case "final_result":
        return resultFields(event.result, this.#limit);
      case "warning":
        return { message: event.message };
      case "agent_end":
      case "run_end":
        return {
          status: event.status,
          steps: event.steps,
          total_usage: writeUsage(event.usage),
          ...(event.error !== undefined && { error: event.error }),
        };
      case "model_start":
      case "model_text":
      case "waiting":
        return {};
    }
  }

  /** Every text of an entry without secrets, without copies of the prompt, within the limit. */
  #clean(entry: Entry): Entry {
    const cut: Record<string, number> = {};
    const clean: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(entry)) {
      clean[key] = value;
      if (typeof value === "string" && !FIXED.has(key)) {
        const own = key === "prompt" || key === "result";
        const safe = withoutSecrets(
          own ? value : withoutPrompt(value, this.#prompt),
          this.#secrets,
        );
        if (safe.length > this.#limit) cut[key] = safe.length;
        clean[key] = cutText(safe, this.#limit);
      } else if (HOLDERS.has(key) && this.#secrets.length > 0) {
        clean[key] = maskedDeep(value, this.#secrets);
      }
    }
    if (Object.keys(cut).length > 0) clean["cut"] = cut;
    return clean as unknown as Entry;
  }
}

/** Fields that the engine makes and that no text can enter. */
const FIXED: ReadonlySet<string> = new Set([
  "time",
  "run_id",
  "parent_run_id",
  "agent",
  "event_type",
  "engine",
  "status",
  "finish",
]);

/** Fields that hold other values. */
const HOLDERS: ReadonlySet<string> = new Set(["config", "result", "failed_names", "dropped_names"]);

function maskedDeep(value: unknown, secrets: readonly string[]): unknown {
  const json = JSON.stringify(value);
  if (json === undefined) return value;
  return JSON.parse(
    json,
    (_key, part) => typeof part === "string" ? withoutSecrets(part, secrets) : part,
  );
}

function resultFields(result: unknown, limit: number): Partial<Entry> {
  if (result === undefined) return { result: null, result_type: "undefined" };
  if (typeof result === "string") return { result };
  if (!isExactJson(result)) {
    const text = Deno.inspect(result, { depth: 6, strAbbreviateSize: limit, iterableLimit: 1000 });
    return { result: text, result_type: "text" };
  }
  const json = JSON.stringify(result);
  return json.length <= limit ? { result } : { result: json, result_type: "json" };
}
