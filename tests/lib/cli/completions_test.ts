import assert from "node:assert/strict";
import { completionScript } from "../../../lib/cli/completions.ts";
import { OPTIONS } from "../../../lib/cli/all_options.ts";
import { COMMAND_WORDS, SESSION_VERBS, SHELLS } from "../../../lib/cli/options.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const has = async (program: string): Promise<boolean> => {
  try {
    const { success } = await new Deno.Command(program, {
      args: ["--version"],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
};

Deno.test("every option, command and verb is in the script of every shell", () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell);
    for (const option of Object.values(OPTIONS).flat()) {
      assert(
        script.includes(shell === "fish" ? `-l ${option.flag}` : `--${option.flag}`),
        `${shell} ${option.flag}`,
      );
    }
    for (const word of [...COMMAND_WORDS, ...Object.keys(SESSION_VERBS)]) {
      assert(script.includes(word), `${shell} ${word}`);
    }
  }
});

/** What bash would offer for a line whose last word is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${completionScript("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"\${FN:-_fast_rlm}"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, code } = await new Deno.Command("bash", {
    args: ["--norc", "-c", script, "bash", ...words],
    env: { FN: words[0] === "fast-rlm-log" ? "_fast_rlm_log" : "_fast_rlm" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

Deno.test({
  name: "bash offers commands, verbs, options of the command and listed values",
  ignore: !await has("bash"),
  fn: async () => {
    assert.deepEqual(await offered("fast-rlm", "se"), ["session"]);
    assert.deepEqual(await offered("fast-rlm", "--max-d"), ["--max-depth"]);
    assert.deepEqual(await offered("fast-rlm", "log", "--st"), ["--stats"]);
    assert.deepEqual(await offered("fast-rlm", "completions", ""), [...SHELLS]);
    assert.deepEqual(await offered("fast-rlm", "session", ""), Object.keys(SESSION_VERBS));
    assert.deepEqual(await offered("fast-rlm", "session", "l"), ["list"], "lib and log are paths");
    assert.deepEqual(await offered("fast-rlm", "session", "./li"), ["./lib"]);
    assert.deepEqual(await offered("fast-rlm", "session", "show", "deno.j"), ["deno.json"]);
    assert.deepEqual(await offered("fast-rlm", "--session-code", "a"), ["all"]);
    assert.deepEqual(await offered("fast-rlm", "--session-code", "=", "a"), ["all"]);
    assert.deepEqual(await offered("fast-rlm", "--max-depth", ""), []);
    assert((await offered("fast-rlm", "--config", "deno.j")).includes("deno.json"));
    assert((await offered("fast-rlm", "log", "deno.j")).includes("deno.json"));
    assert.deepEqual(await offered("fast-rlm-log", "--tu"), ["--tui"]);
  },
});

Deno.test({
  name: "bash offers a path with blanks as one word",
  ignore: !await has("bash"),
  fn: () =>
    withTempDir(async (dir) => {
      await Deno.mkdir(`${dir}/my talks`);
      await Deno.writeTextFile(`${dir}/my talks/all of them.txt`, "");
      const path = `${dir}/my talks/all of them.txt`;
      for (const words of [["--input-file"], ["log"], ["session", "show"]]) {
        assert.deepEqual(await offered("fast-rlm", ...words, `${dir}/my talks/a`), [path]);
      }
      assert.deepEqual(await offered("fast-rlm-log", `${dir}/my talks/a`), [path]);
      assert.deepEqual(await offered("fast-rlm", "--log-dir", `${dir}/m`), [`${dir}/my talks`]);
    }),
});

for (const shell of ["zsh", "fish"] as const) {
  Deno.test({
    name: `${shell} accepts its script`,
    ignore: !await has(shell),
    fn: async () => {
      const file = await Deno.makeTempFile();
      try {
        await Deno.writeTextFile(file, completionScript(shell));
        const { code, stderr } = await new Deno.Command(shell, { args: ["-n", file] }).output();
        assert.equal(code, 0, new TextDecoder().decode(stderr));
      } finally {
        await Deno.remove(file);
      }
    },
  });
}
