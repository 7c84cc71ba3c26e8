/**
 * Code of earlier steps for a resumed agent: only where it says more than the inventory.
 *
 * @module
 */
import { cut, fenced, inertBlock, inertLine } from "./inert_text.ts";
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

/** Code of the steps: all of it, or within `tokens` that of steps whose names still live. */
export function codeSection(manifest: Manifest, tokens: number, all: boolean): CodeSection {
  const { steps } = manifest;
  const kept = all
    ? steps.map((step) => ({ step, block: wholeStep(step) }))
    : worthySteps(manifest, tokens - 60);
  const total = steps.length;
  if (kept.length === 0) return { text: "", shown: 0, total };
  const shown = kept.length;
  const rest = total === shown
    ? ""
    : ` ${
      total - shown
    } of ${total} steps are left out: failed, superseded or told by the inventory.`;
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

function worthySteps(manifest: Manifest, tokens: number): { step: StepEntry; block: string }[] {
  const kept: { step: StepEntry; block: string }[] = [];
  const built = namesByStep(manifest);
  const newest = manifest.steps.at(-1)?.query;
  let left = tokens;
  let failed = 0;
  for (const step of manifest.steps.toReversed()) {
    const names = built.get(key(step));
    const worthy = names ? reducedStep(step, names, manifest) : undefined;
    const told = step.error !== undefined && step.query === newest && failed < maxFailed;
    const block = worthy ?? (told ? failedLine(step) : undefined);
    if (block === undefined) continue;
    const cost = estimateTokens(block) + 1;
    if (cost > left) continue;
    if (worthy === undefined) failed++;
    kept.push({ step, block });
    left -= cost;
  }
  return kept.reverse();
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
    if (source !== undefined && source.length > 40) {
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
