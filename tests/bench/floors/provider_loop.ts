/** A bare conversation: the provider's own calls, one after the other, the reply read to its end. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const provider = createOpenAICompatible({
  name: "bench",
  baseURL: Deno.env.get("RLM_MODEL_BASE_URL") ?? "",
  includeUsage: true,
});
const model = provider.chatModel("root");
type Prompt = Parameters<typeof model.doStream>[0]["prompt"];
const prompt: Prompt = [{ role: "user", content: [{ type: "text", text: "x".repeat(4_000) }] }];
for (let step = 0; step < Number(Deno.args[0]); step++) {
  const { stream } = await model.doStream({ prompt });
  let text = "";
  for await (const part of stream) if (part.type === "text-delta") text += part.delta;
  prompt.push({ role: "assistant", content: [{ type: "text", text }] });
  prompt.push({ role: "user", content: [{ type: "text", text: "(no output)" }] });
}
