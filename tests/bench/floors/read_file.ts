/** Reads a file and makes one request with the provider alone. */
const bytes = Deno.readFile(Deno.args[0] ?? "");
const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
const provider = createOpenAICompatible({
  name: "bench",
  baseURL: Deno.env.get("RLM_MODEL_BASE_URL") ?? "",
});
const text = new TextDecoder().decode(await bytes);
await provider.chatModel("root").doGenerate({
  prompt: [{ role: "user", content: [{ type: "text", text: text.slice(0, 1_000) }] }],
});
