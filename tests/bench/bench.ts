/**
 * Measures what the user waits and pays for beside the model, against floors measured in the same
 * run: `deno task bench [--quick] [--json] [ROW…]`. Exits with 1 when a figure is over its limit.
 */
import { parseArgs } from "@std/cli";
import { type Figure, isOk, renderTable } from "./figure.ts";
import { childRows } from "./rows_children.ts";
import { sessionRows } from "./rows_session.ts";
import { startRows } from "./rows_start.ts";
import { stateRows } from "./rows_state.ts";
import { stepRows } from "./rows_step.ts";
import { tokenRows } from "./rows_tokens.ts";
import { BenchServer } from "./server.ts";

const rows = [...tokenRows, ...startRows, ...stepRows, ...stateRows, ...childRows, ...sessionRows];
const args = parseArgs(Deno.args, { boolean: ["quick", "json"] });
const asked = args._.map(String);
const unknown = asked.filter((name) => !rows.some((row) => row.name === name));
const say = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
if (unknown.length > 0) {
  say(`No such row: ${unknown.join(", ")}; there are ${rows.map(({ name }) => name).join(", ")}\n`);
  Deno.exit(2);
}
const quick = args["quick"] === true;
const chosen = rows.filter(({ name, heavy }) =>
  asked.length > 0 ? asked.includes(name) : !(quick && heavy)
);
const figures: Figure[] = [];
{
  await using server = await BenchServer.start();
  for (const row of chosen) {
    say(`${row.name} …\n`);
    figures.push(...await row.measure({ server, quick, times: quick ? 3 : 7 }));
  }
}
const out = args["json"] === true
  ? JSON.stringify(figures.map((figure) => ({ ...figure, ok: isOk(figure) })), null, 2)
  : renderTable(figures);
Deno.stdout.writeSync(new TextEncoder().encode(`${out}\n`));
Deno.exitCode = figures.some((figure) => isOk(figure) === false) ? 1 : 0;
