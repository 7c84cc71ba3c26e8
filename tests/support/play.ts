import type { RunOptions, RunResult } from "../../mod.ts";
import { run } from "./run.ts";
import type { RunEvent } from "../../lib/events.ts";
import { type Script, type ScriptedModel, scriptedModel } from "./scripted_model.ts";

/** Code as a reply. */
export const js = (code: string): string => "```js\n" + code + "\n```";

/** A run that was played, with what was asked and told. */
export type Played = RunResult & { readonly model: ScriptedModel; readonly events: RunEvent[] };

/** Runs a script; `model` may be a scripted one of the test's own making. */
export async function play(
  script: Script | ScriptedModel,
  options: Partial<RunOptions> = {},
): Promise<Played> {
  const model = "generate" in script ? script as ScriptedModel : scriptedModel(script as Script);
  const events: RunEvent[] = [];
  const result = await run({
    prompt: "QUESTION OF THE ROOT",
    context: "the root's own context",
    primaryAgent: model,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { ...result, model, events };
}

/** All that an agent was shown in its call of this number, from 1, as one text. */
export function promptOf(model: ScriptedModel, agent: string, call = 1): string {
  return model.requests.find(({ caller }) => caller.agent === agent && caller.call === call)!
    .messages.map(({ content }) => content).join("\n");
}
