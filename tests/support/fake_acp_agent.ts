/*
 * A scripted ACP agent: `deno run fake_acp_agent.ts MODE`. It answers a prompt with what it was
 * asked and told, so that a test can see both ends of the conversation.
 */
const mode = Deno.args[0] ?? "plain";
const encoder = new TextEncoder();
const seen: Record<string, unknown> = {};
let lines = "";

function send(message: Record<string, unknown>): void {
  Deno.stdout.writeSync(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
}

function update(sessionUpdate: string, more: Record<string, unknown>): void {
  send({
    method: "session/update",
    params: { sessionId: "s1", update: { sessionUpdate, ...more } },
  });
}

const say = (text: string): void =>
  update("agent_message_chunk", { content: { type: "text", text } });

function finish(id: unknown): void {
  update("agent_thought_chunk", { content: { type: "text", text: "hm" } });
  update("tool_call", { toolCallId: "t", title: "look", status: "pending" });
  say("I saw ");
  say(JSON.stringify(seen));
  update("usage_update", { size: 100, used: 5, cost: { amount: 0.25, currency: "USD" } });
  const usage = { inputTokens: 10, cachedReadTokens: 5, outputTokens: 3, thoughtTokens: 2 };
  send({ id, result: { stopReason: "end_turn", usage: { ...usage, totalTokens: 20 } } });
}

let promptId: unknown;
function receive(message: Record<string, unknown>): void {
  const { id, method, params } = message as { id: unknown; method?: string; params?: unknown };
  switch (method) {
    case "initialize":
      seen["initialize"] = params;
      send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      return;
    case "session/new":
      seen["new"] = params;
      seen["files"] = [...Deno.readDirSync(".")].length;
      if (mode === "auth") {
        send({ id, error: { code: -32000, message: "Authentication required" } });
      } else {
        const modes = {
          currentModeId: "auto",
          availableModes: [{ id: "auto" }, { id: "read-only" }],
        };
        send({ id, result: { sessionId: "s1", modes } });
      }
      return;
    case "session/set_mode":
      seen["mode"] = params;
      send({ id, result: {} });
      return;
    case "session/prompt":
      seen["prompt"] = params;
      promptId = id;
      if (mode === "die") {
        Deno.stderr.writeSync(encoder.encode("out of luck\n"));
        Deno.exit(3);
      }
      if (mode === "error") send({ id, error: { code: -32603, message: "Internal error" } });
      else if (mode === "hang") say("half");
      else if (mode === "empty") send({ id, result: { stopReason: "end_turn" } });
      else if (mode === "refusal") {
        say("no");
        send({ id, result: { stopReason: "refusal" } });
      } else if (mode === "noise") {
        Deno.stdout.writeSync(encoder.encode("loading…\n"));
        finish(id);
      } else {
        const options = [
          { optionId: "yes", kind: "allow_once", name: "Yes" },
          { optionId: "no", kind: "reject_once", name: "No" },
        ];
        send({
          id: 900,
          method: "session/request_permission",
          params: { sessionId: "s1", options },
        });
      }
      return;
    default:
      if (id === 900) {
        seen["permission"] = message["result"];
        send({ id: 901, method: "fs/write_text_file", params: { path: "/x", content: "x" } });
      } else if (id === 901) {
        seen["write"] = message["error"] ?? message["result"];
        finish(promptId);
      }
  }
}

for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  lines += text;
  let end: number;
  while ((end = lines.indexOf("\n")) >= 0) {
    receive(JSON.parse(lines.slice(0, end)));
    lines = lines.slice(end + 1);
  }
}
