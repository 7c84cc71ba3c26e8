import assert from "node:assert/strict";
import {
  exitCodeOf,
  exitCodeOfRun,
  presentError,
  scrub,
  secretsOf,
} from "../../../lib/cli/present_error.ts";
import { LimitError, RlmError, SessionBusyError } from "../../../lib/errors.ts";

const plain = { debug: false, secrets: [] };

Deno.test("exit codes are those of the documentation", () => {
  const codes = [
    ["usage", 2],
    ["config", 2],
    ["input", 2],
    ["limit", 3],
    ["session_busy", 4],
    ["session_unreadable", 5],
    ["interrupted", 130],
    ["model_auth", 1],
    ["model_network", 1],
    ["replay_exhausted", 1],
    ["sandbox", 1],
    ["disk", 1],
    ["internal", 1],
  ] as const;
  for (const [code, exit] of codes) assert.equal(exitCodeOf(new RlmError(code, "x")), exit, code);
  assert.equal(exitCodeOf(new LimitError("maxSeconds", "x")), 3);
  assert.equal(exitCodeOf(new SessionBusyError("x", {})), 4);
  assert.equal(exitCodeOf(new TypeError("x")), 1);
  assert.equal(exitCodeOf("x"), 1);
});

Deno.test("how a run ended decides the exit code, its error where there is one", () => {
  assert.equal(exitCodeOfRun("answered", undefined), 0);
  assert.equal(exitCodeOfRun("answered", new RlmError("disk", "full")), 1);
  assert.equal(exitCodeOfRun("limit", undefined), 3);
  assert.equal(exitCodeOfRun("limit", new RlmError("model_network", "x")), 3);
  assert.equal(exitCodeOfRun("failed", undefined), 1);
  assert.equal(exitCodeOfRun("failed", new RlmError("session_unreadable", "x")), 5);
  assert.equal(exitCodeOfRun("interrupted", undefined), 130);
});

Deno.test("an expected error is one line without a stack", () => {
  const error = new RlmError("config", "Cannot use x: current value is y", {
    cause: new Error("inner"),
  });
  assert.equal(presentError(error, plain), "error: Cannot use x: current value is y\n");
});

Deno.test("an unexpected error is called internal and says how to learn more", () => {
  for (const error of [new TypeError("a is not b"), new RlmError("internal", "a is not b")]) {
    assert.equal(
      presentError(error, plain),
      "internal error: a is not b; run again with --debug for details\n",
    );
  }
  assert.match(presentError("thrown text", plain), /^internal error: thrown text;/);
  assert.match(presentError(undefined, plain), /^internal error: undefined;/);
  assert.match(presentError(new Error(""), plain), /^internal error: Error;/);
});

Deno.test("several lines and escape sequences become one inert line", () => {
  const shown = presentError(new RlmError("input", "a\nb\u001b[2J\u009b\u202ec"), plain);
  assert.equal(shown.split("\n").length, 2);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(shown.slice(0, -1), /[\u0000-\u001f\u0080-\u009f\u202e]/);
});

Deno.test("with debug the stack and the causes follow, also when the causes are a loop", () => {
  const cause = new TypeError("deep");
  const error = new RlmError("disk", "top", { cause });
  cause.cause = error;
  const shown = presentError(error, { debug: true, secrets: [] });
  assert.match(shown, /^error: top\n/);
  assert.match(shown, /present_error_test\.ts/);
  assert.match(shown, /caused by TypeError: deep/);
});

Deno.test("keys are masked in messages, stacks and causes, also URL-encoded", () => {
  const env: Record<string, string> = {
    RLM_MODEL_API_KEY: "sk/secret+1",
    OPENAI_API_KEY: "",
    GEMINI_API_KEY: "abc",
    HOME: "/home/x",
  };
  const secrets = secretsOf((name) => env[name], { MY_TOKEN: "tok-secret-2", PLACE: "secretary" });
  assert.deepEqual(secrets, ["sk/secret+1", "tok-secret-2"]);
  const error = new RlmError(
    "model_network",
    "GET http://h/?k=sk%2Fsecret%2B1 failed with sk/secret+1",
    { cause: new Error("tok-secret-2") },
  );
  for (const debug of [false, true]) {
    const shown = presentError(error, { debug, secrets });
    assert.doesNotMatch(shown, /secret/);
    assert.match(shown, /\[key\]/);
  }
  assert.equal(scrub("plain", secrets), "plain");
});
