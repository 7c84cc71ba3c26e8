import assert from "node:assert/strict";
import { ModelPool } from "../../../lib/model/model_pool.ts";
import type { AiSdkLanguageModel, LanguageModelV4 } from "../../../lib/model/sdk_types.ts";

type Fetch = typeof fetch;
const fetchThat = (says: string): Fetch => () => Promise.resolve(new Response(says));

/** A provider whose models do nothing but send. */
function provider() {
  const made: object[] = [];
  const connect = (send: Fetch): AiSdkLanguageModel => {
    const model = { ask: async () => await (await send("http://x")).text() };
    made.push(model);
    return model as unknown as AiSdkLanguageModel;
  };
  const ask = (model: LanguageModelV4): Promise<string> =>
    (model as unknown as { ask(): Promise<string> }).ask();
  return { connect, made, ask };
}

Deno.test("one call after the other uses one model, each through its own fetch", async () => {
  const { connect, made, ask } = provider();
  const pool = new ModelPool();
  assert.equal(await pool.use(connect, fetchThat("a"), ask), "a");
  await assert.rejects(pool.use(connect, fetchThat("b"), () => Promise.reject(new Error("no"))));
  assert.equal(await pool.use(connect, fetchThat("c"), ask), "c");
  assert.equal(made.length, 1);
});

Deno.test("calls at once have models of their own", async () => {
  const { connect, made, ask } = provider();
  const pool = new ModelPool();
  const gate = Promise.withResolvers<void>();
  const calls = ["a", "b", "c"].map((says) =>
    pool.use(connect, fetchThat(says), async (model) => {
      await gate.promise;
      return await ask(model);
    })
  );
  gate.resolve();
  assert.deepEqual(await Promise.all(calls), ["a", "b", "c"]);
  assert.equal(made.length, 3);
});
