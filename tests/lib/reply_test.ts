import assert from "node:assert/strict";
import { parseReply } from "../../lib/reply.ts";

function code(text: string): string {
  const parsed = parseReply(text, "stop");
  assert.equal(parsed.kind, "code", `${text}\n→ ${JSON.stringify(parsed)}`);
  return parsed.kind === "code" ? parsed.source : "";
}

function reason(text: string, finish: Parameters<typeof parseReply>[1] = "stop"): string {
  const parsed = parseReply(text, finish);
  assert.equal(parsed.kind, "none", text);
  return parsed.kind === "none" ? parsed.reason : "";
}

Deno.test("each kind of fence has its outcome (case 17)", () => {
  assert.equal(code("FINAL(42)"), "FINAL(42)");
  assert.equal(code("```\nFINAL(1)\n```"), "FINAL(1)");
  assert.equal(code("Types:\n```ts\nconst n: number = 1\n```"), "const n: number = 1");
  assert.equal(code("```js\nlet a = 1\n```\nthen\n```js\na++\n```"), "let a = 1\na++");
  assert.match(reason("```js\nFINAL(1)"), /not closed/);
  assert.match(reason("I will look at the context first."), /no code block/);
});

Deno.test("only code counts: prose, comments and strings with FINAL are not run as such (case 16)", () => {
  assert.match(reason("I will call FINAL(x) later"), /no code block/);
  assert.match(reason('// FINAL("no")'), /no code block/);
  assert.match(reason('"FINAL(1)"'), /no code block/);
  assert.equal(code("FINAL(f(g(1)))"), "FINAL(f(g(1)))");
  assert.equal(
    code('I will call FINAL(x).\n```js\n// FINAL("no")\nf(1)\n```'),
    '// FINAL("no")\nf(1)',
  );
});

Deno.test("every name for JavaScript is run, other languages are not and are named", () => {
  for (
    const name of ["js", "JavaScript", "ts", "typescript", "repl", "mjs", "", "js title=x", "{.js}"]
  ) {
    assert.equal(code(`\`\`\`${name}\nf(1)\n\`\`\``), "f(1)", name);
  }
  assert.match(reason("```python\nprint(1)\n```"), /one python block/);
  assert.match(reason("```json\n{}\n```\n```bash\nls\n```"), /2 other blocks \(json, bash\)/);
  const mixed = parseReply("```python\nx\n```\n```js\nf(1)\n```", "stop");
  assert.equal(
    mixed.kind === "code" && mixed.note,
    "Only JavaScript runs here: one python block skipped",
  );
});

Deno.test("beside a marked block a bare one runs only if it looks like code", () => {
  const output = parseReply('```js\nf(1)\n```\nIt prints:\n```\n{"a": 1}\n```', "stop");
  assert.equal(output.kind === "code" && output.source, "f(1)");
  assert.match(output.kind === "code" ? output.note ?? "" : "", /unmarked block skipped/);
  assert.equal(code("```js\nf(1)\n```\n```\ng(2)\n```"), "f(1)\ng(2)");
});

Deno.test("a block that does not parse is shown with its line and a caret", () => {
  const bare = reason("```\nThis is prose.\n```");
  assert.match(bare, /^Nothing was run: the code does not parse\. SyntaxError at line 1, column 6/);
  assert.match(bare, /\nThis is prose\.\n {5}\^$/);
  const second = reason("```js\nlet a = 1\n```\n```js\nfoo(a b)\n```");
  assert.match(second, /line 2, column 7: Unexpected token 'b'\nfoo\(a b\)\n {6}\^$/);
});

Deno.test("a reply that was cut is never run", () => {
  const text = "```js\nFINAL(1)\n```";
  assert.match(reason(text, "length"), /output limit/);
  assert.match(reason("", "length"), /output limit/);
  assert.match(reason(text, "filtered"), /content filter/);
  assert.equal(parseReply(text, "other").kind, "code");
  assert.match(reason("```js\nf(1)\n```\n```js\nFINAL("), /not closed/);
});

Deno.test("a block that is not closed before the next one opens is told", () => {
  assert.match(
    reason("```js\nlet a = 1\n```js\na++\n```"),
    /line 2 of the code block opens another/,
  );
});

Deno.test("empty replies and empty blocks are told", () => {
  for (const text of ["", " \n\t", "\uFEFF"]) assert.match(reason(text), /reply was empty/);
  for (const text of ["", "// just thinking", "/* a */;"]) {
    assert.match(reason(`\`\`\`js\n${text}\n\`\`\``), /has no statement/, text);
  }
  assert.match(reason("```"), /no code block/);
  assert.equal(code("```js\nf(1)\n```\n```\n"), "f(1)");
});

Deno.test("fences may be longer, of tildes, indented, quoted, on one line, and with CRLF", () => {
  assert.equal(code("````js\n/*\n```\n*/ f(1)\n````"), "/*\n```\n*/ f(1)");
  assert.equal(code("~~~js\nf(1)\n~~~"), "f(1)");
  assert.equal(code("~~~js\n// ```\nf(1)\n~~~~"), "// ```\nf(1)");
  assert.equal(
    code("1. First:\n   ```js\n   if (a) {\n     f(1)\n   }\n   ```"),
    "if (a) {\n  f(1)\n}",
  );
  assert.equal(code("- ```js\n  f(1)\n  ```"), "f(1)");
  assert.equal(code("> ```js\n> f(1)\n> ```"), "f(1)");
  assert.equal(code("```js FINAL(42)```"), "FINAL(42)");
  assert.equal(code("```js\r\nf(1)\r\ng(2)\r\n```\r\n"), "f(1)\ng(2)");
  assert.equal(code("  `FINAL(42)`  "), "FINAL(42)");
});

Deno.test("a fence inside a string or comment of the code does not end the block", () => {
  const template = "const s = `\n~~~\nx\n~~~\n`";
  assert.equal(code(`~~~js\n${template}\n~~~`), template);
  const comment = "/*\n```\nexample\n```\n*/\nf(1)";
  assert.equal(code(`\`\`\`js\n${comment}\n\`\`\`\nDone.`), comment);
  // Where no reading parses, the shortest one is the error that is shown.
  assert.match(
    reason("```js\nconst s = `open\n```\nprose\n```text\nx\n```"),
    /Unterminated template/,
  );
});

Deno.test("one block is not read on into the next", () => {
  const joined = code("```js\nconst a = f\n```\n```js\n(() => g())()\n```");
  assert.equal(joined, "const a = f\n;(() => g())()");
  assert.equal(code("```js\n// note\n```\n```js\n[1].map(f)\n```"), "// note\n;[1].map(f)");
});

Deno.test("elements are read as blocks where there are no fences", () => {
  assert.equal(code("Now:\n<repl>\nf(1)\n</repl>"), "f(1)");
  assert.equal(code("<code>f(1)</code>"), "f(1)");
  assert.match(reason("<repl>\nf(1)\n"), /not closed/);
});

Deno.test("reasoning in the text is not run", () => {
  assert.equal(code("<think>\n```js\nbad()\n```\n</think>\n```js\nf(1)\n```"), "f(1)");
  assert.match(reason("<think>\n```js\nbad()\n```"), /reasoning has no end/);
});

Deno.test("text without a fence runs only if it is JavaScript that does something", () => {
  for (const text of ["const a = 1\na + 1", "await llm_query('x')", "x = 5", "{ f() }"]) {
    assert.equal(code(text), text);
  }
  const prose = [
    "Done",
    "yes; no",
    "Hello, world",
    "Answer: f(x)",
    "OK\nFINAL(1)",
    '{"answer": 42}',
    "42",
  ];
  for (const text of prose) assert.match(reason(text), /no code block/, text);
  assert.match(reason("const a = f(;\nFINAL(a)"), /Unexpected token ';'/);
});

Deno.test("no reply is slow or fatal, however it is made", () => {
  const fences = "```js\n`\n".repeat(2_000);
  assert.equal(parseReply(fences, "stop").kind, "none");
  assert.equal(parseReply("```js\n" + "[".repeat(50_000) + "\n```", "stop").kind, "none");
  assert.equal(parseReply("<code>".repeat(5_000), "stop").kind, "none");
  assert.equal(parseReply("`".repeat(100_000), "stop").kind, "none");
  assert.equal(parseReply("```js\n1\n```\n".repeat(5_000), "stop").kind, "code");
  assert.equal(parseReply("-  ".repeat(50_000) + "x", "stop").kind, "none");
  assert.equal(parseReply("> ".repeat(50_000) + "x", "stop").kind, "none");
});
