import type { Entry } from "./entry.ts";
import { formatCount, formatDuration, plural } from "./format.ts";
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

/** What became of a session when a query opened it: in the log's names or the event's. */
export interface SessionOpened {
  readonly query?: number;
  readonly restored?: number;
  readonly failed?: number;
  readonly dropped?: number;
  readonly failedNames?: readonly string[];
  readonly droppedNames?: readonly string[];
}

/** `new session`, or `resumed 25 names`, and what is missing of it. Not yet inert. */
export function sessionText(opened: SessionOpened): string {
  const { query = 1, restored = 0, failed = 0, dropped = 0 } = opened;
  if (query === 1 && restored + failed + dropped === 0) return "new session";
  const lost = (count: number, what: string, names: readonly string[] = []): string[] => {
    if (count === 0) return [];
    const more = count > names.length ? ", …" : "";
    return [
      `${formatCount(count)} ${what}${names.length === 0 ? "" : ` (${names.join(", ")}${more})`}`,
    ];
  };
  return [
    `resumed ${plural(restored, "name")}`,
    ...lost(failed, "failed", opened.failedNames),
    ...lost(dropped, "dropped", opened.droppedNames),
  ].join(", ");
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
      return sessionText({
        ...entry,
        failedNames: entry.failed_names ?? [],
        droppedNames: entry.dropped_names ?? [],
      });
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
