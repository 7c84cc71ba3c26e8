import { type ErrorCode, RlmError } from "../errors.ts";
import type { Model, ModelReply } from "./model.ts";
import {
  digestOf,
  type RecordedCall,
  type RecordingHeader,
  recordingVersion,
  type RunRef,
  sha256,
} from "./recording.ts";
import { fields } from "./read_usage.ts";
import { oneLine } from "./safe_text.ts";

/** How a recording is played. */
export interface ReplayOptions extends RunRef {
  /** Told once, naming the first call whose messages differ from the recorded ones. */
  readonly onDivergence?: (message: string) => void;
}

interface Section {
  readonly header: RecordingHeader;
  readonly calls: ReadonlyMap<string, RecordedCall>;
}

const keyOf = (agent: string, call: number): string => `${agent}#${call}`;

/**
 * Plays a recording: each call gets the reply that the same agent's call of the same number got.
 *
 * The section is chosen by the run: the one of the same query and run key, else the first of the
 * same query, else the one of the same run key, else the only one there is; where no query is given,
 * the first whose first root call had the same messages, else the first. Differing messages do not
 * stop the play, they are reported once through `onDivergence`.
 *
 * Throws `input` for a text that is no recording (`name` names it), `replay_exhausted` when the
 * recording holds no such call, `replay_diverged` when it holds no section for the run.
 */
export function replayModel(text: string, name: string, options: ReplayOptions = {}): Model {
  const sections = readSections(text, name);
  let chosen: Promise<Section> | undefined;
  let diverged = false;
  const diverge = (agent: string, call: number): void => {
    if (diverged) return;
    diverged = true;
    options.onDivergence?.(
      `The run diverged from the recording ${oneLine(name, 120)} at agent ${agent} call ${call}`,
    );
  };
  return {
    id: `replay:${name}`,
    async generate(request) {
      request.signal?.throwIfAborted();
      const { agent, call } = request.caller;
      const digest = await digestOf(request.messages);
      const section = await (chosen ??= choose(sections, name, digest, options));
      request.signal?.throwIfAborted();
      const recorded = section.calls.get(keyOf(agent, call));
      if (!recorded) {
        throw new RlmError(
          "replay_exhausted",
          `Cannot replay ${oneLine(name, 120)}: it holds no reply for agent ${
            oneLine(agent, 60)
          } call ${call}; record the run anew`,
        );
      }
      if (recorded.digest !== digest) diverge(agent, call);
      if (recorded.error) {
        throw new RlmError(recorded.error.code as ErrorCode, oneLine(recorded.error.message, 500));
      }
      const reply = recorded.reply as ModelReply;
      request.onText?.(reply.text);
      return reply;
    },
  };
}

async function choose(
  sections: readonly Section[],
  name: string,
  firstDigest: string,
  run: RunRef,
): Promise<Section> {
  const { query, runKey } = run;
  const first = sections[0] as Section;
  if (query === undefined) {
    return sections.find(({ header, calls }) =>
      runKey === undefined
        ? calls.get(keyOf("0", 1))?.digest === firstDigest
        : header.runKey === runKey
    ) ?? first;
  }
  const digest = await sha256(query);
  const same = sections.filter(({ header }) => header.query === digest);
  const found = same.find(({ header }) => header.runKey === runKey) ?? same[0] ??
    sections.find(({ header }) => runKey !== undefined && header.runKey === runKey) ??
    (sections.length === 1 ? first : undefined);
  if (found) return found;
  throw new RlmError(
    "replay_diverged",
    `Cannot replay ${oneLine(name, 120)}: none of its ${sections.length} runs is of this query`,
  );
}

/** Whether a value from a file can be played as a reply. */
function isReply(value: unknown): boolean {
  const reply = fields(value);
  return typeof reply["text"] === "string" && typeof reply["finish"] === "string" &&
    typeof fields(reply["usage"])["calls"] === "number";
}

function readSections(text: string, name: string): Section[] {
  const wrong = (line: number, why: string): RlmError =>
    new RlmError(
      "input",
      `Cannot replay ${oneLine(name, 120)}: line ${line} ${why}; give a file that --record wrote`,
    );
  const sections: { header: RecordingHeader; calls: Map<string, RecordedCall> }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw wrong(at + 1, "is not JSON");
    }
    const entry = fields(value);
    if (entry["recording"] === "fast-rlm") {
      if (entry["version"] !== recordingVersion) {
        throw wrong(
          at + 1,
          `has format version ${
            oneLine(JSON.stringify(entry["version"]) ?? "none", 20)
          }, this engine reads ${recordingVersion}`,
        );
      }
      sections.push({ header: entry as unknown as RecordingHeader, calls: new Map() });
      continue;
    }
    const section = sections.at(-1);
    if (!section) throw wrong(at + 1, "is no header of a recording");
    const { agent, call, error } = entry;
    const failed = typeof fields(error)["code"] === "string" &&
      typeof fields(error)["message"] === "string";
    if (
      typeof agent !== "string" || typeof call !== "number" || !(isReply(entry["reply"]) || failed)
    ) throw wrong(at + 1, "is no recorded call");
    // JSON has no undefined: what is missing from a usage is unknown again by itself.
    section.calls.set(keyOf(agent, call), entry as unknown as RecordedCall);
  }
  if (sections.length === 0) throw wrong(1, "is no header of a recording");
  return sections;
}
