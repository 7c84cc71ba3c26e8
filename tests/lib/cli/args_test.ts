import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCommand, PLAIN_VIEWS } from "../../../lib/cli/args.ts";
import { parseLog } from "../../../lib/cli/args_log.ts";
import type { LogCommand, RunCommand } from "../../../lib/cli/command.ts";
import { OPTIONS } from "../../../lib/cli/all_options.ts";
import { CONFIG_FIELDS } from "../../../lib/config_fields.ts";
import { RlmError } from "../../../lib/errors.ts";

async function run(...argv: string[]): Promise<RunCommand> {
  const command = await parseCommand(argv);
  assert.equal(command.kind, "run");
  return command as RunCommand;
}

async function refusal(...argv: string[]): Promise<string> {
  try {
    await parseCommand(argv);
  } catch (error) {
    assert(error instanceof RlmError, String(error));
    assert.equal(error.code, "usage");
    assert(!/\n/.test(error.message));
    return error.message;
  }
  assert.fail(`was accepted: ${argv.join(" ")}`);
}

Deno.test("a single word is the prompt of a run", async () => {
  assert.deepEqual(await run("what is this?"), {
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

Deno.test("every flag of the table sets its setting, in both forms and on either side of the prompt", async () => {
  for (const field of CONFIG_FIELDS) {
    if (field.flag === undefined) continue;
    for (
      const argv of [
        [`--${field.flag}=v`, "q"],
        [`--${field.flag}`, "v", "q"],
        ["q", `--${field.flag}`, "v"],
      ]
    ) {
      const command = await run(...argv);
      assert.deepEqual(command.flags, { [field.name]: "v" });
      assert.equal(command.prompt, "q");
    }
  }
});

Deno.test("options of a run are read", async () => {
  const command = await run(
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
  assert.equal((await run("--wait", "q")).wait, Infinity, "the word after --wait is not its value");
  assert.equal((await run("--wait=0", "q")).wait, 0);
  assert.equal((await run("--input-file", "-", "q")).inputFile, "-");
});

Deno.test("a value may begin with a dash, hold an equals sign, blanks and line breaks", async () => {
  assert.equal((await run("--instruction", "-be brief", "q")).flags["instruction"], "-be brief");
  assert.equal((await run("--max-depth", "-1", "q")).flags["maxDepth"], "-1");
  assert.equal((await run("--instruction=--strange", "q")).flags["instruction"], "--strange");
  assert.equal((await run("--llm-kwargs", '{"a":"b=c"}', "q")).flags["llmKwargs"], '{"a":"b=c"}');
  assert.equal((await run("--instruction=a\nb=c d", "q")).flags["instruction"], "a\nb=c d");
});

Deno.test("a prompt may begin with a dash where it is clearly a text, and after --", async () => {
  assert.equal((await run("- what is this?")).prompt, "- what is this?");
  assert.equal((await run("-1 + 1 = ?")).prompt, "-1 + 1 = ?");
  assert.equal((await run("--- front matter ---\ntext")).prompt, "--- front matter ---\ntext");
  assert.equal((await run("--json", "--", "--version")).prompt, "--version");
  assert.equal((await run("--", "log")).prompt, "log");
  assert.equal((await run("--", "--no-session-code")).prompt, "--no-session-code");
  assert.equal((await run("-")).prompt, "-");
  assert.match(await refusal("-5"), /write -- -5$/);
});

Deno.test("of an option that is given twice the last one counts", async () => {
  assert.equal((await run("--max-depth", "1", "--max-depth=2", "q")).flags["maxDepth"], "2");
  assert.equal((await run("--json", "--json", "q")).json, true);
  assert.equal(
    (await run("--session-code=all", "--no-session-code", "q")).flags["addSessionCodeToContext"],
    "no",
  );
  assert.equal(
    (await run("--no-session-code", "--session-code", "all", "q")).flags["addSessionCodeToContext"],
    "all",
  );
});

Deno.test("an unknown option is refused with the one that was probably meant", async () => {
  assert.match(await refusal("--max-dept", "3", "q"), /did you mean --max-depth\?$/);
  assert.match(await refusal("--max_depth=3", "q"), /did you mean --max-depth\?$/);
  assert.match(await refusal("--maxDepth=3", "q"), /did you mean --max-depth\?$/);
  assert.match(await refusal("--jsno", "q"), /did you mean --json\?$/);
  assert.match(await refusal("--primary", "m", "q"), /did you mean --primary-agent\?$/);
  assert.match(await refusal("--zzzzzzzzzz", "q"), /see fast-rlm help$/);
  assert.match(await refusal("-x", "q"), /no such option/);
  assert.match(await refusal("--stats", "q"), /belongs to fast-rlm log/);
  assert.match(await refusal("log", "x", "--max-depth=1"), /belongs to fast-rlm run/);
  assert.match(await refusal("log", "x", "--statss"), /did you mean --stats\?$/);
});

Deno.test("an unknown option's value is not shown, its name is made inert", async () => {
  const message = await refusal("--api-kee=sk-secret", "q");
  assert.doesNotMatch(message, /secret/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(await refusal("-\u001b[2J"), /\u001b/);
});

Deno.test("a missing or superfluous value is refused", async () => {
  assert.match(await refusal("--max-depth"), /value is missing, write --max-depth=N$/);
  assert.match(await refusal("--max-depth="), /value is missing/);
  assert.match(await refusal("--max-depth", "--json", "q"), /value is missing/);
  assert.match(await refusal("--max-depth", "--jsn", "q"), /value is missing/);
  assert.match(await refusal("--max-depth", "-q", "q"), /value is missing/);
  assert.match(await refusal("--max-depth", "--", "q"), /value is missing/);
  assert.match(await refusal("--wait=", "q"), /value is missing/);
  assert.match(await refusal("--json=yes", "q"), /takes none/);
  assert.match(await refusal("--no-session-code=1", "q"), /takes none/);
  assert.match(await refusal("--wait=soon", "q"), /expected a whole number from 0$/);
  assert.match(await refusal("--wait=-1", "q"), /expected a whole number from 0$/);
});

Deno.test("a missing or empty prompt is refused", async () => {
  assert.match(await refusal(), /without a prompt/);
  assert.match(await refusal("--json"), /without a prompt/);
  assert.match(await refusal("run"), /without a prompt/);
  assert.match(
    await refusal("--max-depth", "q"),
    /prompt: "q" was taken as the value of --max-depth; /,
  );
  assert.match(
    await refusal("--primary-agent", "q"),
    /"q" was taken as the value of --primary-agent; /,
  );
  assert.doesNotMatch(await refusal("--max-depth=2"), /taken/);
  assert.match(await refusal(""), /prompt is empty/);
  assert.match(await refusal("  \n"), /prompt is empty/);
});

Deno.test("several words are refused with a hint to quotes, or to the command that was meant", async () => {
  assert.match(
    await refusal("what", "is", "this"),
    /Cannot use 3 prompts: put the prompt in quotes/,
  );
  assert.match(await refusal("sesion", "list"), /did you mean fast-rlm session\?$/);
  assert.match(await refusal("--json", "session", "list"), /write fast-rlm session first$/);
  assert.match(await refusal("--quiet", "--verbose", "q"), /choose one/);
  const files = ["--input-file", "a.txt", "--input-file=b.txt"];
  assert.match(await refusal(...files, "q"), /2 input files: join them, as in cat A B/);
  assert.equal((await run("--input-file", "a", "--input-file=a", "q")).inputFile, "a");
});

Deno.test("help and version win over what else is wrong in the words", async () => {
  assert.deepEqual(await parseCommand(["--help"]), { kind: "help", topic: "main" });
  assert.deepEqual(await parseCommand(["-h", "a", "b"]), { kind: "help", topic: "main" });
  assert.deepEqual(await parseCommand(["log", "--help"]), { kind: "help", topic: "log" });
  assert.deepEqual(await parseCommand(["session", "-h"]), { kind: "help", topic: "session" });
  assert.deepEqual(await parseCommand(["help"]), { kind: "help", topic: "main" });
  assert.deepEqual(await parseCommand(["help", "run"]), { kind: "help", topic: "run" });
  assert.deepEqual(await parseCommand(["run", "--help"]), { kind: "help", topic: "run" });
  assert.deepEqual(await parseCommand(["help", "log"]), { kind: "help", topic: "log" });
  assert.deepEqual(await parseCommand(["help", "completions"]), { kind: "help", topic: "main" });
  assert.deepEqual(await parseCommand(["--version"]), { kind: "version" });
  assert.match(await refusal("help", "sesion"), /did you mean session\?$/);
  assert.match(await refusal("help", "constructor"), /run, log, session$/);
});

Deno.test("log takes one path and one view", async () => {
  assert.deepEqual(await parseCommand(["log", "a.jsonl"]), {
    kind: "log",
    path: "a.jsonl",
    view: "auto",
    htmlFile: undefined,
    follow: false,
    debug: false,
  });
  const html = await parseCommand(["log", "a.jsonl", "--html", "a.html"]);
  assert(html.kind === "log" && html.view === "html" && html.htmlFile === "a.html");
  for (const view of ["stats", "text", "tui", "json"] as const) {
    const command = await parseCommand(["log", `--${view}`, "a.jsonl"]);
    assert(command.kind === "log" && command.view === view);
  }
  const follow = await parseCommand(["log", "--tui", "--follow", "a"]);
  assert(follow.kind === "log" && follow.follow);
  const lines = await parseCommand(["log", "a", "--text", "--follow"]);
  assert(lines.kind === "log" && lines.follow && lines.view === "text");
  assert.match(await refusal("log"), /path is missing/);
  assert.match(await refusal("log", "a", "b"), /2 logs at once/);
  assert.match(await refusal("log", "a", "--tui", "--stats"), /--stats and --tui together/);
  assert.match(await refusal("log", "a", "--json", "--follow"), /--follow with --json/);
});

Deno.test("a plain call is understood as its parser understands it", async () => {
  for (const path of ["a.jsonl", "a b", "log", "help", "constructor"]) {
    assert.deepEqual(await parseCommand(["log", path]), await parseLog([path]));
    for (const view of PLAIN_VIEWS) {
      const argv = [path, `--${view}`];
      assert.deepEqual(await parseCommand(["log", ...argv]), await parseLog(argv));
      assert.deepEqual(await parseCommand(["log", ...argv.toReversed()]), await parseLog(argv));
    }
  }
  assert.match(await refusal("log", ""), /path is missing/);
  assert.match(await refusal("log", "--stats"), /path is missing/);
  assert.match(await refusal("log", "a", "constructor"), /2 logs at once/);
  assert.match(await refusal("log", "a", "--html"), /value is missing/);
  assert.equal((await parseCommand(["log", "--", "--stats"]) as LogCommand).path, "--stats");
  assert.deepEqual(await parseCommand(["log", "a", "-h"]), { kind: "help", topic: "log" });
});

Deno.test("session takes its verb first, second, or not at all", async () => {
  const session = async (...argv: string[]) => {
    const command = await parseCommand(["session", ...argv]);
    assert(command.kind === "session");
    return [command.verb, ...command.paths];
  };
  assert.deepEqual(await session("list", "d"), ["list", "d"]);
  assert.deepEqual(await session("d", "list"), ["list", "d"]);
  assert.deepEqual(await session("list"), ["list", "."]);
  assert.deepEqual(await session("d"), ["show", "d"]);
  assert.deepEqual(await session("show", "--", "list"), ["show", "list"]);
  assert.deepEqual(await session("fork", "a", "b", "--at", "2"), ["fork", "a", "b"]);
  assert.deepEqual(await session("export", "d", "f"), ["export", "d", "f"]);
  assert.deepEqual(await session("import", "f", "d"), ["import", "f", "d"]);
  assert.deepEqual(await session("repair", "d"), ["repair", "d"]);
  assert.deepEqual(await session("clear", "d", "--yes"), ["clear", "d"]);
});

Deno.test("a session command with too little, too much or a typing error is refused", async () => {
  assert.match(await refusal("session"), /fast-rlm session show DIR/);
  assert.match(await refusal("session", "show"), /DIR is missing/);
  assert.match(await refusal("session", "fork", "a"), /DEST is missing/);
  assert.match(await refusal("session", "show", "a", "b"), /2 paths were given/);
  assert.match(await refusal("session", "shwo", "a"), /did you mean show\?$/);
  assert.match(await refusal("session", "a", "forkk"), /did you mean fork\?$/);
  assert.match(await refusal("session", "show", ""), /path is empty/);
  assert.match(await refusal("session", "fork", "a", "b", "--at=0"), /whole number from 1$/);
  assert.match(await refusal("session", "show", "a", "--at=1"), /belongs to fork/);
  assert.match(await refusal("session", "show", "a", "--yes"), /belongs to clear/);
});

Deno.test("completions take a known shell", async () => {
  assert.deepEqual(await parseCommand(["completions", "zsh"]), {
    kind: "completions",
    shell: "zsh",
  });
  assert.match(await refusal("completions"), /missing/);
  assert.match(await refusal("completions", "tcsh"), /bash\|zsh\|fish/);
});

Deno.test("any argument list is a command or a usage error of one line", async () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("--", "-", "--json", "--wait", "--max-depth", "log", "session", "-q", "--x=1"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      try {
        await parseCommand(argv);
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
