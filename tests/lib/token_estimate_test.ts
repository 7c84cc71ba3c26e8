import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokens } from "../../lib/token_estimate.ts";

const read = (path: string) => Deno.readTextFile(new URL(path, import.meta.url));

Deno.test("English and code are not estimated below o200k, nor far above", async () => {
  const samples = {
    code: await read("../../lib/session_store.ts"),
    tests: await read("./resume_test.ts"),
    json: JSON.stringify(JSON.parse(await read("../../deno.json"))),
    english:
      "The quick brown fox jumps over the lazy dog, and nobody in the house was told of it " +
      "until the morning, when the gardener's daughter found three feathers by the gate. ".repeat(
        20,
      ),
  };
  for (const [name, text] of Object.entries(samples)) {
    const real = countTokens(text);
    const estimate = estimateTokens(text);
    assert.ok(
      estimate >= real && estimate <= real * 1.35,
      `${name}: ${real}, estimate ${estimate}`,
    );
  }
});

Deno.test("dear text is not estimated far below o200k", () => {
  const samples = {
    base64: new Uint8Array(3_000).map((_, index) => index * 97 ^ (index >> 3) * 41).toBase64(),
    numbers: Array.from({ length: 500 }, (_, index) => (index * 7919 % 99991) / 100).join(", "),
    names: Array.from({ length: 300 }, (_, index) => `scratch${index}: Array(${index})`).join(", "),
    japanese: "自然言語処理は面白い。これはテストです。".repeat(20),
    emoji: "😀🎉🔥👩‍💻🇩🇪".repeat(50),
    german: "Über die Größe der Häuser läßt sich trefflich streiten. ".repeat(20),
  };
  for (const [name, text] of Object.entries(samples)) {
    const real = countTokens(text);
    assert.ok(
      estimateTokens(text) >= real * 0.85,
      `${name}: ${real}, estimate ${estimateTokens(text)}`,
    );
  }
});

Deno.test("nothing costs nothing", () => assert.equal(estimateTokens(""), 0));
