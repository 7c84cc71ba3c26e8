/** Runs again and again in one process; tells what it holds after five and after all, as JSON. */
import { run } from "../../mod.ts";
import { scriptedModel } from "./scripted_model.ts";

const [count, logDir] = Deno.args;

function held(): { open: number; children: number; heap: number } {
  const children = [...Deno.readDirSync("/proc")].filter(({ name }) => {
    try {
      const fields = Deno.readTextFileSync(`/proc/${Number(name)}/stat`).replace(/^.*\) /s, "");
      return Number(fields.split(" ")[1]) === Deno.pid;
    } catch {
      return false;
    }
  }).length;
  (globalThis as unknown as { gc(): void }).gc();
  const open = [...Deno.readDirSync("/proc/self/fd")].length;
  return { open, children, heap: Deno.memoryUsage().heapUsed };
}

const figures = [];
for (let i = 1; i <= Number(count); i++) {
  const model = scriptedModel(["```js\nFINAL(context.length)\n```"]);
  const context = "x".repeat(1_000_000);
  await run({ prompt: "go", context, primaryAgent: model, logDir: logDir! });
  if (i === 5 || i === Number(count)) figures.push(held());
}
// deno-lint-ignore no-console -- the one line that this program is for
console.log(JSON.stringify(figures));
