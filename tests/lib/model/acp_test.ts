import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { RlmError } from "../../../lib/errors.ts";
import { acpCommand } from "../../../lib/model/acp_process.ts";
import type { Model, ModelRequest } from "../../../lib/model/model.ts";
import { ModelError } from "../../../lib/model/model_error.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import { fakeClock } from "../../support/fake_clock.ts";

const agentFile = fileURLToPath(new URL("../../support/fake_acp_agent.ts", import.meta.url));

const agent = (mode: string): Promise<Model> =>
  resolveModel("acp:scripted", {
    env: (name) =>
      name === "RLM_ACP_COMMAND"
        ? JSON.stringify([Deno.execPath(), "run", "--no-config", "-A", agentFile, mode])
        : undefined,
    clock: fakeClock({ autoAdvanceUpTo: 60_000 }),
    maxRetries: 0,
  });

const request: ModelRequest = {
  messages: [{ role: "system", content: "rules" }, { role: "user", content: "task" }],
  caller: { agent: "0", depth: 0, call: 1 },
};

const failed = (code: string, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof ModelError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

Deno.test("acp: an agent is asked by the protocol, offered nothing, and refused every permission", async () => {
  const model = await agent("plain");
  const deltas: string[] = [];
  const reply = await model.generate({ ...request, onText: (delta) => deltas.push(delta) });
  assert.equal(model.id, "acp:scripted");
  assert.equal(deltas.join(""), reply.text);
  const seen = JSON.parse(reply.text.replace(/^I saw /, ""));
  assert.equal(seen.initialize.protocolVersion, 1);
  assert.deepEqual(seen.initialize.clientCapabilities, {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  });
  assert.deepEqual(seen.new.mcpServers, []);
  assert.equal(seen.files, 0, "its directory is empty");
  assert.equal(seen.mode.modeId, "read-only");
  assert.match(seen.prompt.prompt[0].text, /^rules\n\n[^\n]+\n\ntask$/);
  assert.deepEqual(seen.permission, { outcome: { outcome: "selected", optionId: "no" } });
  assert.equal(seen.write.code, -32601);
  assert.equal(reply.reasoning, "hm");
  assert.equal(reply.finish, "stop");
  assert.deepEqual(reply.usage, {
    promptTokens: 15,
    completionTokens: 5,
    cachedTokens: 5,
    reasoningTokens: 2,
    totalTokens: 20,
    cost: 0.25,
    calls: 1,
    unknownCalls: 0,
  });
  await assert.rejects(Deno.stat(seen.new.cwd), Deno.errors.NotFound, "its directory is removed");
});

Deno.test("acp: a longer conversation goes whole into one prompt", async () => {
  const model = await agent("noise");
  const messages = [
    ...request.messages,
    { role: "assistant" as const, content: "code" },
    { role: "user" as const, content: "output" },
  ];
  const reply = await model.generate({ ...request, messages });
  const { prompt } = JSON.parse(reply.text.replace(/^I saw /, ""));
  assert.match(
    prompt.prompt[0].text,
    /^<system>\nrules\n<\/system>\n\n<user>\ntask\n<\/user>\n\n<assistant>\ncode\n<\/assistant>\n\n<user>\noutput\n<\/user>\n\nGive/,
  );
});

for (
  const [mode, code, message] of [
    ["auth", "model_auth", /Authentication required; log in/],
    ["error", "model_server", /Internal error$/],
    ["die", "model_server", /out of luck$/],
    ["empty", "model_empty", /it is empty/],
  ] as const
) {
  Deno.test(`acp: an agent in mode ${mode} is ${code}`, async () => {
    const model = await agent(mode);
    await assert.rejects(model.generate(request), failed(code, message));
  });
}

Deno.test("acp: a refusal is reported as one, its usage unknown", async () => {
  const reply = await (await agent("refusal")).generate(request);
  assert.equal(reply.text, "no");
  assert.equal(reply.finish, "refused");
  assert.equal(reply.usage.unknownCalls, 1);
});

Deno.test("acp: an abort ends the agent at once, with the signal's reason", async () => {
  const aborter = new AbortController();
  const why = new Error("ctrl-c");
  const model = await agent("hang");
  await assert.rejects(
    model.generate({ ...request, signal: aborter.signal, onText: () => aborter.abort(why) }),
    (error) => error === why,
  );
});

Deno.test("acp: commands by name, by words and by list", () => {
  assert.deepEqual(acpCommand("opencode", undefined), ["opencode", "acp"]);
  assert.deepEqual(acpCommand("x", " my agent --acp "), ["my", "agent", "--acp"]);
  assert.deepEqual(acpCommand("x", '["a b","c"]'), ["a b", "c"]);
});

Deno.test("acp: unknown names, bad overrides and missing commands say what to do", async () => {
  const config = (message: RegExp) => (error: unknown): boolean =>
    error instanceof RlmError && error.code === "config" && message.test(error.message);
  assert.throws(() => acpCommand("constructor", ""), config(/known agents are claude, codex/));
  assert.throws(() => acpCommand("x", "[1]"), config(/RLM_ACP_COMMAND: current value is "\[1\]"/));
  const model = await resolveModel("acp:claude", {
    env: (name) => name === "RLM_ACP_COMMAND" ? "/nowhere/agent" : undefined,
    clock: fakeClock(),
  });
  await assert.rejects(
    model.generate(request),
    config(/no command \/nowhere\/agent; install it with `npm i -g @agentclientprotocol/),
  );
});
