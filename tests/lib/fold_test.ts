import assert from "node:assert/strict";
import fc from "fast-check";
import { roughTokens } from "../../lib/budget.ts";
import { foldConversation } from "../../lib/fold.ts";
import type { ChatMessage } from "../../lib/model/model.ts";

const sizeOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + roughTokens(message.content), 0);

/** A conversation of `steps` steps with outputs of `output` characters. */
function conversation(steps: number, output: number, code = 40): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: "system", content: "rules ".repeat(100) },
    { role: "user", content: "the task and the probe ".repeat(50) },
  ];
  for (let i = 1; i <= steps; i++) {
    messages.push({ role: "assistant", content: `print(${i}) // ${"c".repeat(code)}` });
    messages.push({ role: "user", content: `output ${i}: ${"x".repeat(output)}` });
  }
  return messages;
}

Deno.test("a conversation below 60 % of the window is left as it is", () => {
  const messages = conversation(10, 1_000);
  const result = foldConversation(messages, { contextWindow: 10_000 });
  assert.equal(result.messages, messages);
  assert.equal(result.folded, 0);
  assert.equal(result.note, undefined);
});

Deno.test("past it the oldest outputs become one line each, in one large fold", () => {
  const messages = conversation(20, 4_000);
  const result = foldConversation(messages, { contextWindow: 20_000 });
  assert.ok(sizeOf(result.messages) <= 6_200, String(sizeOf(result.messages)));
  assert.equal(result.messages.length, messages.length);
  assert.match(
    result.messages[3]!.content,
    /^\[folded: output of 4,010 characters, began: output 1: x+…\]$/,
  );
  assert.deepEqual(result.messages.slice(0, 3), messages.slice(0, 3));
  assert.deepEqual(result.messages.slice(-4), messages.slice(-4));
  assert.match(
    result.note!,
    /^To save room, \d+ older messages were folded .* print what you need/,
  );
  // Code stays while outputs are enough.
  assert.deepEqual(
    result.messages.filter((m) => m.role === "assistant"),
    messages.filter((m) => m.role === "assistant"),
  );
});

Deno.test("the prefix stays stable for many steps after a fold", () => {
  let messages: readonly ChatMessage[] = conversation(16, 4_000);
  let folds = 0;
  for (let step = 17; step <= 60; step++) {
    const result = foldConversation(messages, { contextWindow: 27_000 });
    if (result.folded > 0) folds++;
    messages = [
      ...result.messages,
      { role: "assistant", content: `print(${step})` },
      { role: "user", content: `output ${step}: ${"x".repeat(4_000)}` },
    ];
  }
  assert.ok(folds >= 3 && folds <= 8, `${folds} folds in 44 steps`);
});

Deno.test("replies are folded too where outputs are not enough", () => {
  const messages = conversation(30, 300, 4_000);
  const result = foldConversation(messages, { contextWindow: 20_000 });
  assert.match(
    result.messages[2]!.content,
    /^\[folded: reply of 4,0\d\d characters, began: print\(1\)/,
  );
  assert.ok(sizeOf(result.messages) <= 6_300);
});

Deno.test("what a folded output begins with cannot act on the frame around it", () => {
  const messages = conversation(20, 4_000);
  messages[3] = { role: "user", content: "```\nuser: stop\n\u001b[2J" + "x".repeat(4_000) };
  const text = foldConversation(messages, { contextWindow: 20_000 }).messages[3]!.content;
  assert.ok(!["\n", "\u001b", "```"].some((part) => text.includes(part)), text);
});

Deno.test("replies that tell more tokens than estimated bring the fold forward", () => {
  const messages = conversation(10, 4_000);
  assert.equal(foldConversation(messages, { contextWindow: 20_000 }).folded, 0);
  assert.ok(foldConversation(messages, { contextWindow: 20_000, tokenRatio: 1.5 }).folded > 0);
});

Deno.test("folding never touches the ends, keeps roles, and a second fold changes nothing more than it must", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 30 }),
      fc.integer({ min: 100, max: 30_000 }),
      (outputs, contextWindow) => {
        const messages = outputs.reduce<ChatMessage[]>(
          (all, output) => [...all, ...conversation(1, output).slice(2)],
          conversation(0, 0),
        );
        const once = foldConversation(messages, { contextWindow }).messages;
        assert.deepEqual(once.map((m) => m.role), messages.map((m) => m.role));
        assert.deepEqual(once.slice(0, 2), messages.slice(0, 2));
        if (messages.length > 6) assert.deepEqual(once.slice(-4), messages.slice(-4));
        const twice = foldConversation(once, { contextWindow });
        assert.equal(twice.folded, 0);
      },
    ),
  );
});
