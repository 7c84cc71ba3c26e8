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

/** Code of the steps: all of it, or within `tokens` that of steps whose names still live. */
export function codeSection(manifest: Manifest, tokens: number, all: boolean): CodeSection {
  const { steps } = manifest;
  const kept = all
    ? steps.map((step) => ({ step, block: wholeStep(step) }))
    : worthySteps(manifest, tokens - 60);
  const total = steps.length;
  if (kept.length === 0) return { text: "", shown: 0, total };
  const shown = kept.length;
  const rest = total === shown ? "" : ` ${total - shown} of ${total} steps are left out.`;
  const code = fenced(kept.map(({ block }) => block).join("\n"), "js");
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

/** What fits of it, the newest first, and what the inventory says least about before the rest. */
function worthySteps(manifest: Manifest, tokens: number): { step: StepEntry; block: string }[] {
  const kept = new Map<StepEntry, string>();
  const built = namesByStep(manifest);
  const newest = manifest.steps.at(-1)?.query;
  const failed = manifest.steps.filter((step) => step.error !== undefined && step.query === newest);
  let left = tokens;
  const keep = (step: StepEntry, block: string | undefined): boolean => {
    const cost = block === undefined ? 0 : estimateTokens(block) + 1;
    if (block === undefined || cost > left) return block === undefined;
    kept.set(step, block);
    left -= cost;
    return true;
  };
  for (const step of failed.slice(-maxFailed)) {
    if (!built.has(key(step))) keep(step, failedLine(step));
  }
  for (const commented of [false, true]) {
    let misfits = 0;
    for (const step of manifest.steps.toReversed()) {
      const names = built.get(key(step));
      if (names === undefined || names.every((name) => isTold(name, manifest)) !== commented) {
        continue;
      }
      // What a failed step left by the way is scratch, and its code may be what was wrong.
      if (step.error !== undefined && !names.some((name) => isTold(name, manifest))) continue;
      if (!keep(step, reducedStep(step, names, manifest)) && ++misfits === maxMisfits) break;
    }
  }
  return manifest.steps.flatMap((step) => {
    const block = kept.get(step);
    return block === undefined ? [] : [{ step, block }];
  });
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
