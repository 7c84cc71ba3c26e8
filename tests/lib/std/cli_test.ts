import assert from "node:assert/strict";
import { parseArgs } from "../../../lib/std/cli.ts";

const options = {
  string: ["name"],
  boolean: ["loud"],
  alias: { loud: "l" },
} as const;

Deno.test("flags, words and short names are read", () => {
  assert.deepEqual(parseArgs(["--name=x", "word", "-l"], options), {
    _: ["word"],
    name: "x",
    loud: true,
  });
});

Deno.test("a boolean that is not given is false, a text is absent", () => {
  assert.deepEqual(parseArgs([], options), { _: [], loud: false });
});

Deno.test("what follows -- is kept apart where that is asked", () => {
  assert.deepEqual(parseArgs(["a", "--", "--loud"], options)._, ["a", "--loud"]);
  const apart = parseArgs(["a", "--", "--loud"], { ...options, "--": true });
  assert.deepEqual([apart._, apart["--"], apart["loud"]], [["a"], ["--loud"], false]);
});

Deno.test("the last of two values counts, an empty value stays, unknown flags are ignored", () => {
  assert.equal(parseArgs(["--name=a", "--name="], options)["name"], "");
  assert.deepEqual(Object.keys(parseArgs(["--other=1"], options)), ["_", "loud"]);
});

Deno.test("a value may hold equals signs and line breaks, or be the next word", () => {
  assert.equal(parseArgs(["--name=a=b\nc"], options)["name"], "a=b\nc");
  assert.deepEqual(parseArgs(["--name", "a", "b"], options), { _: ["b"], name: "a", loud: false });
  assert.equal(parseArgs(["--name", "--loud"], options)["name"], "");
  assert.equal(parseArgs(["--name", "--", "a"], options)["name"], "");
});

Deno.test("a dash alone is a word", () => {
  assert.deepEqual(parseArgs(["-", "--loud=false"], options), { _: ["-"], loud: false });
});
