/**
 * Runs all tests and ends with one line that any reader of logs understands: `N passed, N failed`.
 * Arguments go on to `deno test`.
 */
import { dirname, fromFileUrl, join } from "@std/path";

const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..");
const given = Deno.args.length > 0 ? Deno.args : ["tests/"];
const child = new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--no-check", "--parallel", ...given],
  cwd: root,
  // Tests wait for processes and models more than they compute.
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? "2" },
  stdin: "null",
  stdout: "piped",
  stderr: "inherit",
}).spawn();

const decoder = new TextDecoder();
let text = "";
for await (const chunk of child.stdout) {
  await Deno.stdout.write(chunk);
  // Only the end is needed: the summary is the last line that Deno prints.
  text = (text + decoder.decode(chunk, { stream: true })).slice(-20_000);
}
const { success } = await child.status;
// deno-lint-ignore no-control-regex -- colours are taken out of the summary
const plain = text.replace(/\u001b\[[0-9;]*m/g, "");
const summary = [...plain.matchAll(/(\d+) passed.*?\| (\d+) failed(?: \| (\d+) ignored)?/g)].at(-1);
const count = (at: number) => Number(summary?.[at] ?? 0);
// A crash of the runner itself is one failure more than it could count.
const failed = count(2) + (!success && count(2) === 0 ? 1 : 0);
const skipped = count(3) > 0 ? `, ${count(3)} skipped` : "";
// deno-lint-ignore no-console -- this line is what the program is for
console.log(`\n${count(1)} passed, ${failed} failed${skipped}`);
Deno.exit(success ? 0 : 1);
