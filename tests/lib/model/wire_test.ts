import assert from "node:assert/strict";
import { RlmError } from "../../../lib/errors.ts";
import type { ModelReply } from "../../../lib/model/model.ts";
import { ModelError } from "../../../lib/model/model_error.ts";
import { resolveModel } from "../../../lib/model/resolve.ts";
import type { Usage } from "../../../lib/model/usage.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { startFakeModelServer } from "../../support/fake_model_server.ts";
import { wireRows } from "./wire_table.ts";

const key = "key-0123456789abcdef";
const prompt = "SECRET-PROMPT-TEXT";

Deno.test("the table holds at least 60 replies with names of their own", () => {
  assert.ok(wireRows.length >= 60, String(wireRows.length));
  assert.equal(new Set(wireRows.map((row) => row.name)).size, wireRows.length);
});

for (const row of wireRows) {
  Deno.test(`wire${row.stream ? ", streaming" : ""}: ${row.name}`, async () => {
    await using server = startFakeModelServer(row.answers);
    const clock = fakeClock({ autoAdvanceUpTo: 60_000 });
    const env: Record<string, string> = {
      RLM_MODEL_API_KEY: key,
      RLM_MODEL_BASE_URL: server.baseUrl,
    };
    const model = await resolveModel(row.router ? "openrouter/a/b" : "m", {
      env: (name) => env[name],
      clock,
      random: () => 0,
      timeoutSeconds: 600,
    });
    let streamed = "";
    let reply: ModelReply | undefined;
    let failure: unknown;
    try {
      reply = await model.generate({
        messages: [{ role: "user", content: prompt }],
        caller: { agent: "0", depth: 0, call: 1 },
        ...(row.stream ? { onText: (delta: string) => void (streamed += delta) } : {}),
      });
    } catch (error) {
      failure = error;
    }

    let usage: Usage;
    if (row.error) {
      assert.ok(failure instanceof ModelError, `no ModelError but ${reply?.text ?? failure}`);
      assert.ok(failure instanceof RlmError);
      assert.equal(failure.code, row.error, failure.message);
      assert.match(failure.message, row.message ?? /./);
      assert.match(failure.message, /^Cannot [^\n]*[^.\n]$/);
      const shown = Deno.inspect(failure, { depth: 9 });
      assert.ok(!shown.includes(key), shown);
      assert.ok(!shown.includes(prompt), shown);
      usage = failure.usage;
    } else {
      if (failure) throw failure;
      assert.ok(reply);
      assert.equal(reply.text, row.text);
      assert.equal(reply.reasoning, row.reasoning);
      assert.equal(reply.finish, row.finish ?? "stop");
      if (row.stream) assert.ok(streamed.endsWith(reply.text) || server.requests.length > 1);
      usage = reply.usage;
    }
    assert.equal(server.requests.length, row.requests ?? 1);
    assert.deepEqual(clock.sleeps.filter((ms) => ms !== 600_000), row.waits ?? []);
    assert.equal(usage.calls, row.calls ?? (row.error ? 0 : 1), "calls");
    if (row.unknownCalls !== undefined) assert.equal(usage.unknownCalls, row.unknownCalls);
    const tokens = [
      usage.promptTokens,
      usage.completionTokens,
      usage.cachedTokens,
      usage.reasoningTokens,
      usage.cost,
    ];
    if (row.tokens) assert.deepEqual(tokens.slice(0, row.tokens.length), row.tokens);
    for (const count of [...tokens, usage.totalTokens]) assert.ok(!Number.isNaN(count));
  });
}
