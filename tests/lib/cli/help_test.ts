import assert from "node:assert/strict";
import { helpText } from "../../../lib/cli/help.ts";
import { OPTIONS } from "../../../lib/cli/all_options.ts";
import { SESSION_VERBS } from "../../../lib/cli/options.ts";

Deno.test("the main help fits a screen of 40 lines", () => {
  assert(helpText("main").split("\n").length <= 40);
});

Deno.test("no line of help is wider than 80 columns, and none ends in a blank", () => {
  for (const topic of ["main", "run", "log", "session"] as const) {
    for (const line of helpText(topic).split("\n")) {
      assert(line.length <= 80, `${topic}: ${line}`);
      assert.equal(line, line.trimEnd());
    }
  }
});

Deno.test("every option is in the help of its command, with its default", () => {
  for (const [command, options] of Object.entries(OPTIONS)) {
    const help = helpText(command as keyof typeof OPTIONS);
    for (const option of options) assert.match(help, new RegExp(`--${option.flag}[ =\\[\\n]`));
  }
  assert.match(helpText("run"), /--max-depth N .*\(3\)$/m);
  assert.match(helpText("run"), /--wait\[=SECONDS\]/);
  for (const verb of Object.keys(SESSION_VERBS)) assert.match(helpText("session"), RegExp(verb));
});

Deno.test("the main help names the commands, the exit codes and where keys are read", () => {
  for (const word of ["log", "session", "completions", "RLM_MODEL_API_KEY", "130"]) {
    assert(helpText("main").includes(word), word);
  }
});
