import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCommand } from "../../../lib/cli/args.ts";
import type { RunCommand } from "../../../lib/cli/command.ts";
import { OPTIONS } from "../../../lib/cli/options.ts";
import { CONFIG_FIELDS } from "../../../lib/config_fields.ts";
import { RlmError } from "../../../lib/errors.ts";

function run(...argv: string[]): RunCommand {
  const command = parseCommand(argv);
  assert.equal(command.kind, "run");
  return command as RunCommand;
}

function refusal(...argv: string[]): string {
  try {
    parseCommand(argv);
  } catch (error) {
    assert(error instanceof RlmError, String(error));
    assert.equal(error.code, "usage");
    assert(!/\n/.test(error.message));
    return error.message;
  }
  assert.fail(`was accepted: ${argv.join(" ")}`);
}

Deno.test("a single word is the prompt of a run", () => {
  assert.deepEqual(run("what is this?"), {
    kind: "run",
    prompt: "what is this?",
    flags: {},
    configFile: undefined,
    inputFile: undefined,
    wait: 0,
    json: false,
    quiet: false,
    verbose: false,
    debug: false,
  });
});

Deno.test("every flag of the table sets its setting, in both forms and on either side of the prompt", () => {
  for (const field of CONFIG_FIELDS) {
    if (field.flag === undefined) continue;
    for (
      const argv of [
        [`--${field.flag}=v`, "q"],
        [`--${field.flag}`, "v", "q"],
        ["q", `--${field.flag}`, "v"],
      ]
    ) {
      const command = run(...argv);
      assert.deepEqual(command.flags, { [field.name]: "v" });
      assert.equal(command.prompt, "q");
    }
  }
});

Deno.test("options of a run are read", () => {
  const command = run(
    "--config",
    "rlm.yaml",
    "--input-file=-",
    "--json",
    "-q",
    "--debug",
    "--wait=30",
    "q",
  );
  assert.equal(command.configFile, "rlm.yaml");
  assert.equal(command.inputFile, "-");
  assert.equal(command.wait, 30);
  assert(command.json && command.quiet && command.debug && !command.verbose);
  assert.equal(run("--wait", "q").wait, Infinity, "the word after --wait is not its value");
  assert.equal(run("--wait=0", "q").wait, 0);
  assert.equal(run("--input-file", "-", "q").inputFile, "-");
});

Deno.test("a value may begin with a dash, hold an equals sign, blanks and line breaks", () => {
  assert.equal(run("--instruction", "-be brief", "q").flags["instruction"], "-be brief");
  assert.equal(run("--max-depth", "-1", "q").flags["maxDepth"], "-1");
  assert.equal(run("--instruction=--strange", "q").flags["instruction"], "--strange");
  assert.equal(run("--llm-kwargs", '{"a":"b=c"}', "q").flags["llmKwargs"], '{"a":"b=c"}');
  assert.equal(run("--instruction=a\nb=c d", "q").flags["instruction"], "a\nb=c d");
});

Deno.test("a prompt may begin with a dash where it is clearly a text, and after --", () => {
  assert.equal(run("- what is this?").prompt, "- what is this?");
  assert.equal(run("-1 + 1 = ?").prompt, "-1 + 1 = ?");
  assert.equal(run("--- front matter ---\ntext").prompt, "--- front matter ---\ntext");
  assert.equal(run("--json", "--", "--version").prompt, "--version");
  assert.equal(run("--", "log").prompt, "log");
  assert.equal(run("--", "--no-session-code").prompt, "--no-session-code");
  assert.equal(run("-").prompt, "-");
  assert.match(refusal("-5"), /write -- -5$/);
});

Deno.test("of an option that is given twice the last one counts", () => {
  assert.equal(run("--max-depth", "1", "--max-depth=2", "q").flags["maxDepth"], "2");
  assert.equal(run("--json", "--json", "q").json, true);
  assert.equal(
    run("--session-code=all", "--no-session-code", "q").flags["addSessionCodeToContext"],
    "no",
  );
  assert.equal(
    run("--no-session-code", "--session-code", "all", "q").flags["addSessionCodeToContext"],
    "all",
  );
});

Deno.test("an unknown option is refused with the one that was probably meant", () => {
  assert.match(refusal("--max-dept", "3", "q"), /did you mean --max-depth\?$/);
  assert.match(refusal("--max_depth=3", "q"), /did you mean --max-depth\?$/);
  assert.match(refusal("--maxDepth=3", "q"), /did you mean --max-depth\?$/);
  assert.match(refusal("--jsno", "q"), /did you mean --json\?$/);
  assert.match(refusal("--primary", "m", "q"), /did you mean --primary-agent\?$/);
  assert.match(refusal("--zzzzzzzzzz", "q"), /see fast-rlm help$/);
  assert.match(refusal("-x", "q"), /no such option/);
  assert.match(refusal("--stats", "q"), /belongs to fast-rlm log/);
  assert.match(refusal("log", "x", "--max-depth=1"), /belongs to fast-rlm run/);
  assert.match(refusal("log", "x", "--statss"), /did you mean --stats\?$/);
});

Deno.test("an unknown option's value is not shown, its name is made inert", () => {
  const message = refusal("--api-kee=sk-secret", "q");
  assert.doesNotMatch(message, /secret/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(refusal("-\u001b[2J"), /\u001b/);
});

Deno.test("a missing or superfluous value is refused", () => {
  assert.match(refusal("--max-depth"), /value is missing, write --max-depth=N$/);
  assert.match(refusal("--max-depth="), /value is missing/);
  assert.match(refusal("--max-depth", "--json", "q"), /value is missing/);
  assert.match(refusal("--max-depth", "--jsn", "q"), /value is missing/);
  assert.match(refusal("--max-depth", "-q", "q"), /value is missing/);
  assert.match(refusal("--max-depth", "--", "q"), /value is missing/);
  assert.match(refusal("--wait=", "q"), /value is missing/);
  assert.match(refusal("--json=yes", "q"), /takes none/);
  assert.match(refusal("--no-session-code=1", "q"), /takes none/);
  assert.match(refusal("--wait=soon", "q"), /expected a whole number from 0$/);
  assert.match(refusal("--wait=-1", "q"), /expected a whole number from 0$/);
});

Deno.test("a missing or empty prompt is refused", () => {
  assert.match(refusal(), /without a prompt/);
  assert.match(refusal("--json"), /without a prompt/);
  assert.match(refusal("run"), /without a prompt/);
  assert.match(refusal("--max-depth", "q"), /prompt: "q" was taken as the value of --max-depth; /);
  assert.match(refusal("--primary-agent", "q"), /"q" was taken as the value of --primary-agent; /);
  assert.doesNotMatch(refusal("--max-depth=2"), /taken/);
  assert.match(refusal(""), /prompt is empty/);
  assert.match(refusal("  \n"), /prompt is empty/);
});

Deno.test("several words are refused with a hint to quotes, or to the command that was meant", () => {
  assert.match(refusal("what", "is", "this"), /Cannot use 3 prompts: put the prompt in quotes/);
  assert.match(refusal("sesion", "list"), /did you mean fast-rlm session\?$/);
  assert.match(refusal("--json", "session", "list"), /write fast-rlm session first$/);
  assert.match(refusal("--quiet", "--verbose", "q"), /choose one/);
});

Deno.test("help and version win over what else is wrong in the words", () => {
  assert.deepEqual(parseCommand(["--help"]), { kind: "help", topic: "main" });
  assert.deepEqual(parseCommand(["-h", "a", "b"]), { kind: "help", topic: "main" });
  assert.deepEqual(parseCommand(["log", "--help"]), { kind: "help", topic: "log" });
  assert.deepEqual(parseCommand(["session", "-h"]), { kind: "help", topic: "session" });
  assert.deepEqual(parseCommand(["help"]), { kind: "help", topic: "main" });
  assert.deepEqual(parseCommand(["help", "run"]), { kind: "help", topic: "run" });
  assert.deepEqual(parseCommand(["run", "--help"]), { kind: "help", topic: "run" });
  assert.deepEqual(parseCommand(["help", "log"]), { kind: "help", topic: "log" });
  assert.deepEqual(parseCommand(["help", "completions"]), { kind: "help", topic: "main" });
  assert.deepEqual(parseCommand(["--version"]), { kind: "version" });
  assert.match(refusal("help", "sesion"), /did you mean session\?$/);
  assert.match(refusal("help", "constructor"), /run, log, session$/);
});

Deno.test("log takes one path and one view", () => {
  assert.deepEqual(parseCommand(["log", "a.jsonl"]), {
    kind: "log",
    path: "a.jsonl",
    view: "auto",
    htmlFile: undefined,
    follow: false,
    debug: false,
  });
  const html = parseCommand(["log", "a.jsonl", "--html", "a.html"]);
  assert(html.kind === "log" && html.view === "html" && html.htmlFile === "a.html");
  for (const view of ["stats", "text", "tui", "json"] as const) {
    const command = parseCommand(["log", `--${view}`, "a.jsonl"]);
    assert(command.kind === "log" && command.view === view);
  }
  const follow = parseCommand(["log", "--tui", "--follow", "a"]);
  assert(follow.kind === "log" && follow.follow);
  const lines = parseCommand(["log", "a", "--text", "--follow"]);
  assert(lines.kind === "log" && lines.follow && lines.view === "text");
  assert.match(refusal("log"), /path is missing/);
  assert.match(refusal("log", "a", "b"), /2 logs at once/);
  assert.match(refusal("log", "a", "--tui", "--stats"), /--stats and --tui together/);
  assert.match(refusal("log", "a", "--json", "--follow"), /--follow with --json/);
});

Deno.test("session takes its verb first, second, or not at all", () => {
  const session = (...argv: string[]) => {
    const command = parseCommand(["session", ...argv]);
    assert(command.kind === "session");
    return [command.verb, ...command.paths];
  };
  assert.deepEqual(session("list", "d"), ["list", "d"]);
  assert.deepEqual(session("d", "list"), ["list", "d"]);
  assert.deepEqual(session("list"), ["list", "."]);
  assert.deepEqual(session("d"), ["show", "d"]);
  assert.deepEqual(session("show", "--", "list"), ["show", "list"]);
  assert.deepEqual(session("fork", "a", "b", "--at", "2"), ["fork", "a", "b"]);
  assert.deepEqual(session("export", "d", "f"), ["export", "d", "f"]);
  assert.deepEqual(session("import", "f", "d"), ["import", "f", "d"]);
  assert.deepEqual(session("repair", "d"), ["repair", "d"]);
  assert.deepEqual(session("clear", "d", "--yes"), ["clear", "d"]);
});

Deno.test("a session command with too little, too much or a typing error is refused", () => {
  assert.match(refusal("session"), /fast-rlm session show DIR/);
  assert.match(refusal("session", "show"), /DIR is missing/);
  assert.match(refusal("session", "fork", "a"), /DEST is missing/);
  assert.match(refusal("session", "show", "a", "b"), /2 paths were given/);
  assert.match(refusal("session", "shwo", "a"), /did you mean show\?$/);
  assert.match(refusal("session", "a", "forkk"), /did you mean fork\?$/);
  assert.match(refusal("session", "show", ""), /path is empty/);
  assert.match(refusal("session", "fork", "a", "b", "--at=0"), /whole number from 1$/);
  assert.match(refusal("session", "show", "a", "--at=1"), /belongs to fork/);
  assert.match(refusal("session", "show", "a", "--yes"), /belongs to clear/);
});

Deno.test("completions take a known shell", () => {
  assert.deepEqual(parseCommand(["completions", "zsh"]), { kind: "completions", shell: "zsh" });
  assert.match(refusal("completions"), /missing/);
  assert.match(refusal("completions", "tcsh"), /bash\|zsh\|fish/);
});

Deno.test("any argument list is a command or a usage error of one line", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("--", "-", "--json", "--wait", "--max-depth", "log", "session", "-q", "--x=1"),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        parseCommand(argv);
      } catch (error) {
        assert(error instanceof RlmError && error.code === "usage", String(error));
        assert(!/[\n\r]/.test(error.message), error.message);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("flags are unique in every command", () => {
  for (const options of Object.values(OPTIONS)) {
    const names = options.flatMap((o) => o.short === undefined ? [o.flag] : [o.flag, o.short]);
    assert.equal(new Set(names).size, names.length);
  }
});
