/**
 * Code of earlier steps for a resumed agent: only where it says more than the inventory.
 *
 * @module
 */
import { fenced } from "./fence.ts";
import { inertBlock } from "./inert_block.ts";
import { cut, inertLine } from "./inert_text.ts";
import type { Manifest, StepEntry } from "./session_format.ts";
import { estimateTokens } from "./token_estimate.ts";

/** The code section and how many of the steps it shows. */
export interface CodeSection {
  readonly text: string;
  readonly shown: number;
  readonly total: number;
}

/** Tokens of the longest step that is shown whole where there is a budget. */
const maxStepTokens = 450;

/** Failed steps of the newest query that are told, one line each. */
const maxFailed = 3;

/** Functions with longer sources are left to the inventory, which has their signature. */
const maxShownSource = 240;

/** Steps that did not fit before the search for a shorter one ends. */
const maxMisfits = 8;

/** Code of all steps. */
export function wholeCode({ steps }: Manifest): CodeSection {
  return section(steps.map(wholeStep), steps.length);
}

/**
 * Code of the steps whose names still live, as much as fits, the newest first, and what the inventory
 * says least about before the rest. Asked twice in a resume, for what it looks at once.
 */
export class WorthyCode {
  /** Steps that built a live name, the newest first. */
  readonly #candidates: readonly Candidate[];
  /** The last steps of the newest query that failed and left nothing. */
  readonly #failed: readonly StepEntry[];
  readonly #blocks = new Map<StepEntry, Block | undefined>();

  constructor(private readonly manifest: Manifest) {
    const { steps } = manifest;
    const built = namesByStep(manifest);
    this.#candidates = steps.toReversed().flatMap((step) => {
      const names = built.get(key(step)) ?? [];
      const told = names.filter((name) => isTold(name, manifest)).length;
      // What a failed step left by the way is scratch, and its code may be what was wrong.
      if (names.length === 0 || (step.error !== undefined && told === 0)) return [];
      return [{ step, names, isTold: told === names.length }];
    });
    const newest = steps.at(-1)?.query;
    this.#failed = steps.filter((step) => step.error !== undefined && step.query === newest)
      .slice(-maxFailed).filter((step) => !built.has(key(step)));
  }

  /** What fits into so many tokens. */
  section(tokens: number): CodeSection {
    const kept = new Map<StepEntry, string>();
    let left = tokens - 60;
    const keep = (step: StepEntry, block: Block): boolean => {
      if (block.tokens > left) return false;
      kept.set(step, block.text);
      left -= block.tokens;
      return true;
    };
    for (const step of this.#failed) keep(step, blockOf(failedLine(step)));
    for (const isTold of [false, true]) {
      let misfits = 0;
      for (const candidate of this.#candidates) {
        if (candidate.isTold !== isTold) continue;
        const block = this.#block(candidate);
        if (block && !keep(candidate.step, block) && ++misfits === maxMisfits) break;
      }
    }
    const { steps } = this.manifest;
    return section(steps.flatMap((step) => kept.get(step) ?? []), steps.length);
  }

  #block({ step, names }: Candidate): Block | undefined {
    if (!this.#blocks.has(step)) {
      const text = reducedStep(step, names, this.manifest);
      this.#blocks.set(step, text === undefined ? undefined : blockOf(text));
    }
    return this.#blocks.get(step);
  }
}

interface Candidate {
  readonly step: StepEntry;
  /** Names that still live and that it built last. */
  readonly names: readonly string[];
  /** Whether the inventory says of each in words what it holds. */
  readonly isTold: boolean;
}

interface Block {
  readonly text: string;
  readonly tokens: number;
}

function blockOf(text: string): Block {
  return { text, tokens: estimateTokens(text) + 1 };
}

function section(blocks: readonly string[], total: number): CodeSection {
  const shown = blocks.length;
  if (shown === 0) return { text: "", shown, total };
  const rest = total === shown ? "" : ` ${total - shown} of ${total} steps are left out.`;
  const code = fenced(blocks.join("\n"), "js");
  return {
    text: `Code of earlier steps, for reference; it is not executed again.${rest}\n${code}`,
    shown,
    total,
  };
}

function wholeStep(step: StepEntry): string {
  return step.error === undefined
    ? `${title(step)}\n${inertBlock(step.code, 1_000_000).trim()}`
    : failedLine(step);
}

/** Whether the inventory says in words what the name holds. */
function isTold(name: string, manifest: Manifest): boolean {
  const entry = manifest.variables[name] ?? manifest.functions[name];
  return entry?.comment !== undefined || entry?.note !== undefined;
}

/** Names that still live, by the step that built them last. */
function namesByStep(manifest: Manifest): Map<string, string[]> {
  const built = new Map<string, string[]>();
  for (const record of [manifest.variables, manifest.functions]) {
    for (const [name, entry] of Object.entries(record)) {
      const names = built.get(key(entry)) ?? [];
      names.push(name);
      built.set(key(entry), names);
    }
  }
  return built;
}

/** The code without what the inventory shows; `undefined` where nothing of it is left to say. */
function reducedStep(
  step: StepEntry,
  names: readonly string[],
  manifest: Manifest,
): string | undefined {
  let code = step.code;
  for (const name of names) {
    const source = manifest.functions[name]?.source;
    if (source !== undefined && source.length > maxShownSource) {
      code = code.replace(source, () => `/* ${name}: see the inventory */`);
    }
  }
  code = inertBlock(code, 20_000).replace(/\n\s*\n+/g, "\n").trim();
  const says = code.replace(/\/\*[^]*?\*\/|\/\/.*/g, "").replace(
    /\b(?:var|let|const)\s+[\w$]+\s*=/g,
    "",
  );
  if (/^[\s;,]*$/.test(says)) return undefined;
  const tokens = estimateTokens(code);
  if (tokens > maxStepTokens) {
    code = cut(code, Math.floor(code.length * maxStepTokens / tokens)) + " // cut";
  }
  return `${title(step)}${step.error === undefined ? "" : " (then failed)"}\n${code}`;
}

function failedLine(step: StepEntry): string {
  return `${title(step)} failed: ${inertLine(step.error ?? "", 160)}`;
}

function title(step: StepEntry): string {
  return `// query ${step.query}, step ${step.step}`;
}

function key(origin: { readonly query: number; readonly step: number }): string {
  return `${origin.query}.${origin.step}`;
}
