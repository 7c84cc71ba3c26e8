/** Realistic events, transcripts and sessions, the same for the same options; for tests and benches. */
import { createHash } from "node:crypto";
import { join } from "@std/path";
import type { AgentInfo, EventBody, RunEvent } from "../../lib/events.ts";
import { addUsage, noUsage, type Usage } from "../../lib/model/usage.ts";
import { FORMAT, type Manifest, type QueryEntry } from "../../lib/session_format.ts";
import { TranscriptWriter } from "../../log/writer.ts";

/** What a sample holds. */
export interface SampleOptions {
  /** Query number. @default 1 */
  readonly query?: number;
  /** Root steps; the last one calls FINAL. @default 4 */
  readonly steps?: number;
  /** Sub-agents that the second step starts, two steps each. @default 2 */
  readonly subAgents?: number;
  /** Characters of output a step. @default 120 */
  readonly outputChars?: number;
  /** Milliseconds since the epoch. @default 2026-01-02T03:04:05Z */
  readonly start?: number;
  readonly prompt?: string;
  /** Make the provider report no cost in every second call. @default false */
  readonly gaps?: boolean;
  /** Let runs of other queries cost something else. @default false */
  readonly varied?: boolean;
  /** Leave the run without its end, as a killed process does. @default false */
  readonly killed?: boolean;
}

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const GUESTS = ["Ada", "Grace", "漢字さん", "Zoë", "🦕 Deno"];

/** The usage of the sample's `call`-th model call. */
export function sampleUsage(call: number, gaps: boolean = false): Usage {
  const prompt = 900 + (call * 137) % 1100;
  const completion = 80 + (call * 61) % 240;
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: (call * 53) % 600,
    reasoningTokens: (call * 17) % 60,
    totalTokens: prompt + completion,
    cost: gaps && call % 2 === 1 ? undefined : Math.round(prompt * 0.3 + completion * 1.2) / 1e6,
    calls: 1,
    unknownCalls: 0,
  };
}

/** The events of one run, in order. */
export function sampleEvents(options: SampleOptions = {}): RunEvent[] {
  const steps = options.steps ?? 4;
  const subAgents = options.subAgents ?? 2;
  const query = options.query ?? 1;
  const gaps = options.gaps ?? false;
  const prompt = options.prompt ??
    `Query ${query}: which guests of the podcast mention tool number ${query * 7}, and when?`;
  const root: AgentInfo = { runId: `run-${query}-root`, path: "0", depth: 0, model: "test/large" };
  const events: RunEvent[] = [];
  let time = options.start ?? START + query * 3_600_000;
  let total = noUsage;
  let call = options.varied === true ? (query - 1) * 3 : 0;
  const emit = (agent: AgentInfo, body: EventBody, after = 5): void => {
    time += after;
    events.push({ ...body, time, agent });
  };

  const step = (agent: AgentInfo, number: number, code: string, inside?: () => void): Usage => {
    const usage = sampleUsage(++call, gaps);
    total = addUsage(total, usage);
    const modelStart = time;
    emit(agent, { type: "model_start", step: number, promptChars: 4000 }, 0);
    emit(agent, { type: "model_text", step: number, delta: "Let me look." }, 300);
    const modelEnd = time + 600 + (call * 97) % 900;
    emit(agent, {
      type: "code_generated",
      step: number,
      code,
      text: `Let me look at the rows.\n\n\`\`\`js\n${code}\n\`\`\`\n`,
      reasoning: `Step ${number}: I should look at the rows before I count.`,
      finish: "stop",
      usage,
      timestamps: { modelStart, modelEnd },
    }, modelEnd - time);
    const codeStart = time + 1;
    inside?.();
    const hasError = call % 7 === 6;
    const codeEnd = time + 20;
    emit(agent, {
      type: "execution_result",
      step: number,
      code,
      output: hasError
        ? "TypeError: rows.map is not a function\n  1 | rows.map(r => r.id)\n        ^"
        : `${GUESTS[call % GUESTS.length]}: `.padEnd(options.outputChars ?? 120, "row data "),
      hasError,
      usage,
      timestamps: { modelStart, modelEnd, codeStart, codeEnd },
    }, codeEnd - time);
    return usage;
  };

  const leaf = (index: number): void => {
    const agent: AgentInfo = {
      runId: `run-${query}-sub-${index}`,
      parentRunId: root.runId,
      path: `0.${index}`,
      depth: 1,
      model: "test/small",
    };
    emit(agent, {
      type: "agent_start",
      task: `Name the tools in part ${index}`,
      context: "string(12,000)",
      probe: "context: string(12,000)",
    });
    const first = step(agent, 1, `const hits = context.match(/tool \\d+/g);\nprint(hits.length);`);
    const second = step(agent, 2, `FINAL(hits.slice(0, ${index + 1}));`);
    emit(agent, { type: "final_result", step: 2, result: [`tool ${index}`, `tool ${index + 1}`] });
    emit(agent, {
      type: "agent_end",
      status: "answered",
      steps: 2,
      usage: addUsage(first, second),
    });
  };

  emit(root, {
    type: "run_start",
    engine: "0.1.0",
    prompt,
    query,
    config: { primaryAgent: "test/large", subAgent: "test/small", maxDepth: 3 },
  }, 0);
  emit(root, {
    type: "agent_start",
    task: prompt,
    context: "string(402,113)",
    probe: `Task: ${prompt}\ncontext: string(402,113)`,
  });
  emit(root, { type: "session_open", query, restored: query - 1, failed: 0, dropped: 0 });
  let own = noUsage;
  for (let number = 1; number <= steps; number++) {
    const code = number === steps
      ? `FINAL(\`\${hits.length} guests\`);`
      : `// what step ${number} found\nconst rows${number} = context.split("\\n").filter((line) => /tool/.test(line));\nprint(rows${number}.length);`;
    const inside = number === 2
      ? () => {
        emit(root, { type: "waiting", step: number, children: subAgents });
        for (let index = 0; index < subAgents; index++) leaf(index);
      }
      : undefined;
    own = addUsage(own, step(root, number, code, inside));
    if (options.killed === true && number === steps) return events;
    emit(root, {
      type: "sweep",
      step: number,
      saved: number + 2,
      dropped: 1,
      bytesWritten: 2048,
      ms: 3,
    });
  }
  emit(root, { type: "final_result", step: steps, result: `${query * 3} guests` });
  emit(root, { type: "agent_end", status: "answered", steps, usage: own });
  emit(root, { type: "run_end", status: "answered", steps, usage: total });
  return events;
}

/** What `writeSampleSession` makes. */
export interface SampleSessionOptions extends Omit<SampleOptions, "query" | "prompt" | "start"> {
  /** @default 3 */
  readonly queries?: number;
  /** Numbers of queries whose transcript is not linked. @default [] */
  readonly unlinked?: readonly number[];
}

/** Writes a session with `state.json` and linked transcripts into an empty directory. */
export function writeSampleSession(
  directory: string,
  options: SampleSessionOptions = {},
): Manifest {
  const queries: QueryEntry[] = [];
  const count = options.queries ?? 3;
  for (let number = 1; number <= count; number++) {
    const events = sampleEvents({ ...options, query: number });
    const log = `logs/run_${String(number).padStart(4, "0")}.jsonl`;
    using writer = new TranscriptWriter(join(directory, log));
    for (const event of events) writer.write(event);
    queries.push(ledgerEntry(number, events, options.unlinked?.includes(number) ? undefined : log));
  }
  const manifest: Manifest = { ...sampleManifest(), queries };
  Deno.writeTextFileSync(join(directory, "state.json"), JSON.stringify(manifest, null, 1));
  return manifest;
}

function ledgerEntry(
  number: number,
  events: readonly RunEvent[],
  log: string | undefined,
): QueryEntry {
  const start = events.find((event) => event.type === "run_start");
  const end = events.find((event) => event.type === "run_end");
  const final = events.findLast((event) => event.type === "final_result");
  return {
    number,
    query: start?.prompt ?? "",
    status: end?.status ?? "running",
    ...(final !== undefined && end !== undefined && { final: final.result }),
    started: new Date(events[0]?.time ?? 0).toISOString(),
    ...(end !== undefined && { ended: new Date(end.time).toISOString() }),
    steps: end?.steps ?? 0,
    usage: end?.usage ?? noUsage,
    ...(log !== undefined && { log }),
  };
}

/** A manifest with variables, functions, dropped and failed names, and an empty ledger. */
export function sampleManifest(): Manifest {
  const at = { query: 1, step: 2 };
  const text = "[42]";
  const payload = createHash("sha256").update(text).digest("hex");
  const value = { payload, slot: 0 };
  return {
    format: FORMAT,
    devalue: "6.0.3",
    engine: "0.1.0",
    variables: {
      scratch: { ...at, type: "number", preview: "42", bytes: 2, value },
      guests: {
        ...at,
        type: "Map(12)",
        preview: 'Map(12) { "Ada" => { episodes: [3, 9] }, "漢字" => … }',
        bytes: 18_230,
        comment: "guest name to episodes",
        note: "checked by hand against the index",
        committed: true,
        loss: [{ path: 'guests.get("Ada").h', reason: "a host function is not saved" }],
        value,
      },
      index: {
        ...at,
        type: "Array(40)",
        preview: '[{ id: 1, title: "Pilot" }, … 39 more]',
        bytes: 1_204_100,
        comment: "one row an episode",
        value,
      },
      old: {
        ...at,
        type: "Doc",
        preview: "Doc {…}",
        bytes: 90,
        value,
        failed: "class Doc is gone",
      },
    },
    functions: {
      parseEpisode: {
        ...at,
        kind: "function",
        source:
          "function parseEpisode(text) {\n  return text.split(/\\n/).map((l) => l.trim());\n}",
        preview: "function parseEpisode(text)",
        bytes: 80,
        order: 1,
        comment: "text of an episode to lines",
        committed: true,
        value,
      },
    },
    dropped: {
      pending: { ...at, type: "Promise", reason: "a promise cannot be saved" },
      everything: {
        ...at,
        type: "string(6,000,000)",
        reason: "6.0 MB encoded, over the limit of 5 MB",
        bytes: 6_000_002,
      },
    },
    payloads: { [payload]: { bytes: text.length, text } },
    queries: [],
    steps: [],
  };
}
