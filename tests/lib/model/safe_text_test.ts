import assert from "node:assert/strict";
import { oneLine, publicUrl, scrub } from "../../../lib/model/safe_text.ts";

const nothing = { keys: [], prompt: [] };

Deno.test("safe text: one inert line of bounded length", () => {
  const text = oneLine(`a\r\n\tb\x1b]52;c;aGk=\x07\u0085\u2028\u202e\ufeffc${"d".repeat(1e6)}`, 40);
  assert.match(text, /^a b \]52;c;aGk= cd+…$/);
  assert.equal(text.length, 40);
});

Deno.test("safe text: cutting leaves no half of a character", () => {
  assert.ok(oneLine("😀".repeat(50), 10).isWellFormed());
  assert.ok(oneLine("\ud800", 10).isWellFormed());
});

Deno.test("safe text: keys are taken out, the given one and what looks like one", () => {
  const text = scrub("bad my-own-key and sk-proj-abcdef0123456789 and sk-ant****************wxyz", {
    keys: ["my-own-key"],
    prompt: [],
  });
  assert.equal(text, "bad [key] and [key] and [key]");
});

Deno.test("safe text: stretches of the prompt are taken out, common words stay", () => {
  const prompt = ["Summarise the following confidential minutes of the board meeting of May"];
  const echoed = `invalid value: ${prompt[0]?.slice(3)}; shorten the prompt`;
  assert.equal(scrub(echoed, { keys: [], prompt }), "invalid value: [prompt]; shorten the prompt");
  assert.equal(scrub("the following", { keys: [], prompt }), "the following");
});

Deno.test("safe text: a URL loses user, password, query and fragment", () => {
  assert.equal(publicUrl("https://u:p@h:1/v1/x?key=k#f"), "https://h:1/v1/x");
  assert.equal(publicUrl("nonsense?key=k"), "nonsense");
});

Deno.test("safe text: plain reasons stay as they are", () => {
  assert.equal(scrub("model overloaded, retry", nothing), "model overloaded, retry");
});
