/** The least that any program of the AI SDK does: load it and a provider, and make one request. */
const [{ generateText }, { createOpenAICompatible }] = await Promise.all([
  import("ai"),
  import("@ai-sdk/openai-compatible"),
]);
const provider = createOpenAICompatible({
  name: "bench",
  baseURL: Deno.env.get("RLM_MODEL_BASE_URL") ?? "",
});
await generateText({ model: provider.chatModel("root"), prompt: "x".repeat(1_000) });
