import type { Entry } from "./entry.ts";
import { formatDuration, plural } from "./format.ts";
import type { StepNote } from "./model.ts";

const KINDS: Readonly<Record<string, StepNote["kind"]>> = {
  model_retry: "retry",
  tool_call: "tool",
  completion: "completion",
  session_open: "session",
  sweep: "sweep",
  restart: "restart",
  warning: "warning",
};

/** The kind of note that an entry is; undefined for entries that are more than a note. */
export function noteKind(entry: Entry): StepNote["kind"] | undefined {
  return Object.hasOwn(KINDS, entry.event_type) ? KINDS[entry.event_type] : undefined;
}

/** What an entry says beside code and output, on one line; not yet inert. */
export function noteText(entry: Entry): string | undefined {
  const ms = (value: number | undefined): string => formatDuration(value ?? 0);
  switch (noteKind(entry)) {
    case "retry":
      return `model call: try ${entry.attempt ?? "?"} failed, next after ${ms(entry.wait_ms)}: ${
        entry.reason ?? "no reason given"
      }`;
    case "tool":
      return `tool ${entry.tool ?? "?"} (${ms(entry.ms)})${
        entry.error === undefined ? "" : `: ${entry.error}`
      }`;
    case "completion":
      return "llm_complete";
    case "session":
      return `session: ${plural(entry.restored ?? 0, "name")} restored, ${
        entry.failed ?? 0
      } failed, ${entry.dropped ?? 0} dropped`;
    case "sweep":
      return `sweep: ${plural(entry.saved ?? 0, "name")} saved, ${entry.dropped ?? 0} dropped (${
        ms(entry.ms)
      })`;
    case "restart":
      return `REPL restarted: ${entry.reason ?? "no reason given"}`;
    case "warning":
      return `warning: ${entry.message ?? ""}`;
    default:
      return undefined;
  }
}
