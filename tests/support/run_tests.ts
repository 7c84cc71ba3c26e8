/**
 * Runs all tests and ends with one line that any reader of logs understands: `N passed, N failed`.
 * Arguments go on to `deno test`.
 */
import { exists } from "@std/fs";
import { dirname, fromFileUrl, join } from "@std/path";
import { countsLine, testCounts } from "./run_summary.ts";

const root = join(dirname(fromFileUrl(import.meta.url)), "..", "..");
const given = Deno.args.length > 0 ? Deno.args : ["tests/"];
// Where a run puts its transcript that was given no other place.
const logs = join(root, "logs");
const hadLogs = await exists(logs);
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
const counts = testCounts(text) ?? { passed: 0, failed: 0, skipped: 0 };
const tell = (line: string): void => {
  // deno-lint-ignore no-console -- this line is what the program is for
  console.log(line);
};
const leftLogs = !hadLogs && await exists(logs);
if (leftLogs) tell(`\nfailed: tests left transcripts in ${logs}: give their runs a logDir`);
// A crash of the runner itself is one failure more than it could count.
const crashed = !success && counts.failed === 0;
const failed = counts.failed + (crashed ? 1 : 0) + (leftLogs ? 1 : 0);
tell(`\n${countsLine({ ...counts, failed })}`);
Deno.exit(success && !leftLogs ? 0 : 1);
