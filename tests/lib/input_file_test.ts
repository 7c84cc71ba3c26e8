import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "node:path";
import { RlmError } from "../../lib/errors.ts";
import {
  type ContextSource,
  formatOf,
  type InputOptions,
  readInput,
} from "../../lib/input_file.ts";
import { invalidUtf8At } from "../../lib/utf8.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Standard input that delivers the given pieces, then ends. */
const pieces = (...parts: Uint8Array[]): () => ReadableStream<Uint8Array> => () =>
  ReadableStream.from(parts);

const options: InputOptions = {
  maxBytes: 1_000_000,
  stdin: () => assert.fail("standard input must not be touched"),
};

async function withFile<T>(
  name: string,
  content: string | Uint8Array,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, name);
    await Deno.writeFile(path, typeof content === "string" ? encode(content) : content);
    return await work(path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const load = (name: string, content: string | Uint8Array): Promise<ContextSource> =>
  withFile(name, content, (path) => readInput(path, options));

const valueOf = async (name: string, content: string): Promise<unknown> => {
  const source = await load(name, content);
  assert.equal(source.kind, "value");
  return source.kind === "value" ? source.value : undefined;
};

const textOf = (source: ContextSource): string => {
  assert(source.kind === "text");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(source.bytes);
};

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert(error instanceof RlmError, String(error));
    assert.equal(error.code, "input");
    assert(!/\n/.test(error.message) && !error.message.endsWith("."), error.message);
    return error.message;
  }
  assert.fail("was accepted");
}

Deno.test("an extension decides the format, in any case", () => {
  assert.deepEqual(
    ["a.json", "a.JSON", "a.yaml", "a.yml", "a.jsonl", "a.ndjson", "a.txt", "json", "a.json/b", ""]
      .map(formatOf),
    ["json", "json", "yaml", "yaml", "jsonl", "jsonl", undefined, undefined, undefined, undefined],
  );
});

Deno.test("JSON, YAML and JSON lines become values", async () => {
  assert.deepEqual(await valueOf("a.json", '{"a":[1,null]}'), { a: [1, null] });
  assert.deepEqual(await valueOf("a.yaml", "a:\n  - 1\n  - x\n"), { a: [1, "x"] });
  assert.deepEqual(await valueOf("a.yml", "a: 1\n---\nb: 2\n"), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(await valueOf("a.jsonl", '{"a":1}\r\n\n"\u2028"\n3'), [{ a: 1 }, "\u2028", 3]);
  assert.deepEqual(await valueOf("a.ndjson", "1\n2\n"), [1, 2]);
});

Deno.test("everything else is text, kept as bytes with its name", async () => {
  const source = await load("notes.md", "# héllo\r\n");
  assert.equal(textOf(source), "# héllo\r\n");
  assert.match(source.name, /notes\.md$/);
});

Deno.test("a byte order mark is taken off, of text and of values", async () => {
  assert.equal(textOf(await load("a.txt", "\ufeffhé")), "hé");
  assert.deepEqual(await valueOf("a.json", "\ufeff[1]"), [1]);
  assert.deepEqual(await valueOf("a.jsonl", "\ufeff1\n2"), [1, 2]);
  assert.deepEqual(await valueOf("a.yaml", "\ufeffa: 1"), { a: 1 });
  assert.equal(textOf(await load("a.txt", "\ufeff\ufeffx")), "\ufeffx", "only one");
});

Deno.test("characters that are split anywhere arrive whole", async () => {
  const text = "語".repeat(12_000) + "😀é".repeat(5_000);
  const bytes = encode(text);
  const sizes = [1, 2, 3, 5, 7, 65_536, bytes.length];
  for (const size of sizes) {
    const parts: Uint8Array[] = [];
    for (let i = 0; i < bytes.length; i += size) parts.push(bytes.subarray(i, i + size));
    const source = await readInput("-", { ...options, stdin: pieces(...parts) });
    assert.equal(textOf(source), text, `pieces of ${size}`);
    assert.equal(source.name, "standard input");
  }
});

Deno.test("standard input is text whatever it holds", async () => {
  assert.equal(textOf(await readInput("-", { ...options, stdin: pieces(encode("[1]")) })), "[1]");
});

Deno.test("UTF-16 is refused with a way out, with and without its mark", async () => {
  const utf16 = (text: string, little: boolean, mark: boolean) => {
    const units = [...(mark ? "\ufeff" : "") + text].map((c) => c.charCodeAt(0));
    return Uint8Array.from(units.flatMap((u) => little ? [u & 255, u >> 8] : [u >> 8, u & 255]));
  };
  for (const little of [true, false]) {
    for (const mark of [true, false]) {
      const message = await refusal(load("a.txt", utf16("hello, world", little, mark)));
      assert.match(message, /UTF-16; convert it/);
    }
  }
});

Deno.test("text with zero bytes in it is not taken for UTF-16", async () => {
  assert.equal(textOf(await load("a.txt", "a\0b\0\0c and more text")), "a\0b\0\0c and more text");
});

Deno.test("bytes that are no UTF-8 are refused with their offset", async () => {
  const latin = Uint8Array.from([...encode("caf"), 0xe9, 0x20, 0x61]);
  assert.match(await refusal(load("a.txt", latin)), /byte 3 is 0xe9; convert it/);
  const late = new Uint8Array(300_000).fill(97);
  late[299_999] = 0xff;
  assert.match(await refusal(load("a.txt", late)), /byte 299,999 is 0xff/);
});

Deno.test("the offset of bad bytes is that of the first character that breaks", () => {
  for (
    const [bytes, at] of [
      [[0x80], 0],
      [[0x61, 0xc3], 1],
      [[0xc0, 0x80], 0],
      [[0xed, 0xa0, 0x80], 0],
      [[0xe0, 0x80, 0x80], 0],
      [[0xf4, 0x90, 0x80, 0x80], 0],
      [[0xf5, 0x80, 0x80, 0x80], 0],
      [[0xe8, 0xaa, 0x9e, 0xe8, 0xaa], 3],
      [[0xf0, 0x9f, 0x98, 0x80], -1],
      [[], -1],
    ] as const
  ) assert.equal(invalidUtf8At(Uint8Array.from(bytes)), at, String(bytes));
});

Deno.test("the check agrees with a decoder on any bytes", () => {
  const decodes = (bytes: Uint8Array): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 8 }).map(encode),
  );
  fc.assert(
    fc.property(bytes, (input) => {
      const at = invalidUtf8At(input);
      assert.equal(at === -1, decodes(input));
      if (at >= 0) assert(decodes(input.subarray(0, at)), "what stands before is valid");
    }),
    { numRuns: 500 },
  );
});

Deno.test("missing, directory, empty and impossible paths are refused by name", async () => {
  assert.match(await refusal(readInput("no/such.txt", options)), /no\/such\.txt.*no such file/);
  const folder = await Deno.makeTempDir();
  try {
    assert.match(await refusal(readInput(folder, options)), /is a directory/);
  } finally {
    await Deno.remove(folder);
  }
  assert.match(await refusal(load("a.txt", "")), /it is empty$/);
  assert.match(await refusal(load("a.txt", "\ufeff")), /empty but for a byte order mark/);
  assert.match(await refusal(load("a.json", "")), /it is empty$/);
  assert.match(await refusal(load("a.json", " \n")), /it is empty$/);
  assert.match(await refusal(load("a.jsonl", "\n\n")), /holds no value$/);
  assert.match(
    await refusal(readInput("-", { ...options, stdin: pieces() })),
    /standard input.*empty/,
  );
  assert.match(await refusal(readInput("a\0b", options)), /NUL character/);
});

Deno.test({
  name: "a file without read permission is refused by name",
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  fn: () =>
    withFile("a.txt", "x", async (path) => {
      await Deno.chmod(path, 0o000);
      assert.match(await refusal(readInput(path, options)), /may not be read/);
    }),
});

Deno.test("an input over the limit is refused, also one without an end", async () => {
  const small = { ...options, maxBytes: 10 };
  assert.match(
    await refusal(withFile("a.txt", "x".repeat(11), (path) => readInput(path, small))),
    /larger than .* MB; raise --max-context/,
  );
  const exact = await withFile("a.txt", "x".repeat(10), (path) => readInput(path, small));
  assert.equal(textOf(exact).length, 10);
  const endless = () => new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(encode("xxxx")) });
  assert.match(await refusal(readInput("-", { ...small, stdin: endless })), /larger than/);
});

Deno.test("an aborted signal ends the wait for standard input with its reason", async () => {
  const controller = new AbortController();
  const open = new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(encode("a")) });
  const reading = readInput("-", { ...options, stdin: () => open, signal: controller.signal });
  const reason = new RlmError("interrupted", "Interrupted");
  controller.abort(reason);
  await assert.rejects(reading, reason);
});

Deno.test("broken JSON is refused with its place and without its content", async () => {
  for (
    const [name, content, place] of [
      ["a.json", '{"a": 1,}', /as JSON: .* line 1, column 9$/],
      ["a.json", '{"key": "sk-secret"\n x}', /as JSON: /],
      ["a.json", "sk-secret", /as JSON: Unexpected token 's'$/],
      ["a.json", "{", /as JSON: /],
      ["a.jsonl", '{"a":1}\n\n{"b":', /as JSON lines: line 3: /],
      ["a.jsonl", "1\nsk-secret", /as JSON lines: line 2: /],
      ["a.yaml", "a: [sk-secret\nb: 2", /as YAML: .* line 2, column 1$/],
      ["a.yaml", "a: 1\na: sk-secret", /as YAML: .*unique.* line 2/],
      ["a.yaml", "a: !!js/function sk-secret", /as YAML: Unresolved tag/],
    ] as const
  ) {
    const message = await refusal(load(name, content));
    assert.match(message, place);
    assert.doesNotMatch(message, /secret/, message);
    assert(message.length < 500);
  }
});

Deno.test("YAML whose anchors multiply, or that is nested without end, is refused", async () => {
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (let i = 1; i < 9; i++) {
    const [name, last] = ["abcdefghi"[i], "abcdefghi"[i - 1]];
    bomb.push(`${name}: &${name} [${`*${last},`.repeat(9).slice(0, -1)}]`);
  }
  assert.match(await refusal(load("a.yaml", bomb.join("\n"))), /as YAML: .*alias/i);
  assert.match(await refusal(load("a.yaml", "[".repeat(20_000))), /as YAML: /);
});

Deno.test("a __proto__ key of an input stays an ordinary key", async () => {
  for (
    const [name, content] of [
      ["a.json", '{"__proto__":{"admin":true}}'],
      ["a.yaml", "__proto__: {admin: true}"],
    ] as const
  ) {
    const value = await valueOf(name, content) as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ["__proto__"]);
    assert.equal(value["admin"], undefined);
  }
});

Deno.test("a hostile file name is made inert in the error", async () => {
  const message = await refusal(readInput("no\u001b[2J\n.txt", options));
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(message, /[\u0000-\u001f]/);
});
