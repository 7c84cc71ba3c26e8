import type { Usage } from "../lib/model/usage.ts";
import { type Entry, readTime } from "./entry.ts";
import type { AgentModel, Detail, LogStatus, StepModel, StepNote } from "./model.ts";
import { noteKind, noteText } from "./note_text.ts";
import { TallyBuilder } from "./tally.ts";

const STATUSES: ReadonlySet<string> = new Set(["answered", "limit", "failed", "interrupted"]);

/** A status as a log writes it → one of ours. */
export function readStatus(status: string | undefined): LogStatus {
  return status !== undefined && STATUSES.has(status) ? status as LogStatus : "unknown";
}

type Draft = { -readonly [K in keyof StepModel]: StepModel[K] };

/** Collects the entries of one agent. */
export class AgentBuilder {
  readonly runId: string;
  parentRunId: string | undefined;
  /** Whether its last entry was read. */
  ended = false;
  readonly #path: string;
  readonly #depth: number;
  readonly #detail: Detail;
  readonly #tally = new TallyBuilder();
  readonly #steps: { draft: Draft; tally: TallyBuilder }[] = [];
  readonly #notes: StepNote[] = [];
  #children = 0;
  #waiting: string[] = [];
  #generated: number | undefined;
  #stepCount = 0;
  #errorCount = 0;
  #opening: Entry | undefined;
  #prompt: string | undefined;
  #status: LogStatus = "running";
  #error: string | undefined;
  #started: number | undefined;
  #endTime: number | undefined;
  #final: { readonly value: unknown } | undefined;

  constructor(first: Entry, path: string, detail: Detail) {
    this.runId = first.run_id;
    this.parentRunId = first.parent_run_id;
    this.#path = path;
    this.#depth = first.depth;
    this.#detail = detail;
  }

  /** A path for a sub-agent of a log that has none. */
  nextChildPath(): string {
    return `${this.#path}.${this.#children}`;
  }

  /** Notes that a sub-agent began: it belongs to the step under way. */
  childBegan(runId: string): void {
    this.#children++;
    if (this.#detail === "full") this.#waiting.push(runId);
  }

  /** Takes an entry; true where it opened a step (from 1). */
  add(entry: Entry, time: number | undefined, usage: Usage | undefined): boolean {
    this.#started ??= time;
    if (usage !== undefined) this.#tally.add(usage);
    switch (entry.event_type) {
      case "code_generated":
      case "execution_result":
        this.#endTime = time ?? this.#endTime;
        return this.#step(entry, time, usage);
      case "run_start":
        this.#prompt = entry.prompt;
        return false;
      case "agent_start":
        this.#opening = entry;
        this.#started = time ?? this.#started;
        return false;
      case "final_result":
        this.#final = {
          value: entry.result_type === "undefined" ? undefined : entry.result,
        };
        this.#status = "answered";
        this.#endTime = time ?? this.#endTime;
        // In a log that tells of agents' beginnings, their ends come too.
        this.ended = this.#opening === undefined;
        return false;
      case "agent_end":
        this.#status = readStatus(entry.status) === "unknown" && this.#final !== undefined
          ? "answered"
          : readStatus(entry.status);
        this.#error = entry.error;
        this.#endTime = time ?? this.#endTime;
        // A root's last entry is the run's.
        this.ended = this.parentRunId !== undefined;
        return false;
      case "run_end":
        this.ended = true;
        return false;
      default:
        this.#note(entry, time, usage);
        return false;
    }
  }

  /** The model of the agent; `children` may still be filled. */
  build(children: readonly AgentModel[]): AgentModel {
    return {
      runId: this.runId,
      parentRunId: this.parentRunId,
      path: this.#path,
      depth: this.#depth,
      model: this.#opening?.model,
      task: this.#opening?.task ?? this.#prompt,
      context: this.#opening?.context,
      probe: this.#opening?.probe,
      status: this.#status,
      error: this.#error,
      started: this.#started,
      ended: this.#status === "running" ? undefined : this.#endTime,
      stepCount: this.#stepCount,
      errorCount: this.#errorCount,
      tally: this.#tally.get(),
      steps: this.#steps.map(({ draft, tally }, index) => ({
        ...draft,
        tally: tally.get(),
        // Sub-agents of a step that has no entry yet are shown with the last one.
        children: index === this.#steps.length - 1
          ? [...draft.children, ...this.#waiting]
          : draft.children,
      })),
      notes: [...this.#notes],
      children,
      ...(this.#final !== undefined && { final: this.#final.value }),
    };
  }

  #step(entry: Entry, time: number | undefined, usage: Usage | undefined): boolean {
    const step = entry.step ?? this.#stepCount + 1;
    const generated = entry.event_type === "code_generated";
    const opens = generated || this.#generated !== step;
    this.#generated = generated ? step : undefined;
    const counts = opens && step > 0;
    if (counts) this.#stepCount++;
    if (entry.hasError === true) this.#errorCount++;
    if (this.#detail === "counts") return counts;
    const last = this.#steps.at(-1);
    if (!opens && last !== undefined) {
      Object.assign(last.draft, written(entry, last.draft));
      last.draft.children = [...last.draft.children, ...this.#waiting];
      this.#waiting = [];
      return counts;
    }
    const tally = new TallyBuilder();
    if (usage !== undefined) tally.add(usage);
    const blank = blankStep(step, time);
    // In a log of ours sub-agents begin after the reply is logged, in a Python log before.
    const draft = { ...blank, ...written(entry, blank), children: this.#waiting };
    this.#waiting = [];
    this.#steps.push({ draft, tally });
    return counts;
  }

  #note(entry: Entry, time: number | undefined, usage: Usage | undefined): void {
    if (this.#detail === "counts") return;
    const note = noteOf(entry, time);
    if (note === undefined) return;
    // A sweep ends while the next step is under way: a note goes to the step that it names.
    const step = entry.step === undefined
      ? this.#steps.at(-1)
      : this.#steps.findLast(({ draft }) => draft.step === entry.step);
    if (step === undefined) {
      this.#notes.push(note);
      return;
    }
    step.draft.notes = [...step.draft.notes, note];
    if (usage !== undefined) step.tally.add(usage);
  }
}

function blankStep(step: number, time: number | undefined): Draft {
  return {
    step,
    code: "",
    output: undefined,
    hasError: false,
    reasoning: undefined,
    text: undefined,
    finish: undefined,
    tally: new TallyBuilder().get(),
    time,
    modelStart: undefined,
    modelEnd: undefined,
    codeStart: undefined,
    codeEnd: undefined,
    children: [],
    notes: [],
    cut: undefined,
  };
}

/** What an entry tells of a step, over what is known of it. */
function written(entry: Entry, known: Draft): Partial<Draft> {
  const { timestamps } = entry;
  return {
    code: entry.code ?? known.code,
    output: entry.output ?? known.output,
    hasError: entry.hasError ?? known.hasError,
    reasoning: entry.reasoning ?? known.reasoning,
    text: entry.text ?? known.text,
    finish: entry.finish ?? known.finish,
    modelStart: readTime(timestamps?.llm_call_start) ?? known.modelStart,
    modelEnd: readTime(timestamps?.llm_call_end) ?? known.modelEnd,
    codeStart: readTime(timestamps?.execution_start) ?? known.codeStart,
    codeEnd: readTime(timestamps?.execution_end) ?? known.codeEnd,
    cut: entry.cut === undefined ? known.cut : { ...known.cut, ...entry.cut },
  };
}

function noteOf(entry: Entry, time: number | undefined): StepNote | undefined {
  const kind = noteKind(entry);
  const text = noteText(entry);
  return kind === undefined || text === undefined ? undefined : { kind, text, time };
}
