/** A run whose agent loops where nothing can interrupt it; `how` says how the program ends. */
import { run } from "../../lib/run.ts";
import { Session } from "../../mod.ts";
import { scriptedModel } from "./scripted_model.ts";

const js = (code: string) => "```js\n" + code + "\n```";
const [how] = Deno.args;
const loop = "await llm_complete('started'); await 0; for (;;) {}";
const model = scriptedModel([
  js(how === "answers" ? "FINAL(1)" : loop),
  () => {
    // deno-lint-ignore no-console -- tells the test that the step is under way
    console.log("looping");
    if (how === "throws") setTimeout(() => Promise.reject(new Error("thrown")), 50);
    if (how === "exits") setTimeout(() => Deno.exit(3), 50);
    return "ok";
  },
]);
const session = new Session();
// deno-lint-ignore no-console -- the same
if (how === "answers") console.log("looping");
await Promise.all([
  run({ prompt: "go", primaryAgent: model, stepTimeoutSeconds: 600 }),
  how === "answers" ? session.close() : undefined,
]);
