import assert from "node:assert/strict";
import fc from "fast-check";
import { rewriteStep } from "../../repl/rewrite.ts";

/** Checks the comments of a step against those expected, names in any order. */
function check(source: string, expected: Record<string, string>): void {
  assert.deepEqual({ ...rewriteStep(source).comments }, expected, source);
}

Deno.test("comments stay apart from strings, regular expressions and templates (case 11)", () => {
  check('const u="http://x"; // the url', { u: "the url" });
  check("const re=/\\/\\*[/}]/; /* the regex */", { re: "the regex" });
  check("const t = `a // not a comment\n/* nor this */ ${1 /* in an expression */}`", {});
  const whole = 'const u="http://x"; // the url\n' +
    "const re=/\\/\\*[/}]/; /* the regex */\n" +
    "const t=`// not a comment`;\n" +
    "function f() { return /[/]\\/\\// }";
  check(whole, { u: "the url", re: "the regex" });
});

Deno.test("lines directly above and the rest of the last line belong to the variable", () => {
  check("// episodes by guest\nconst byGuest = new Map();", { byGuest: "episodes by guest" });
  check("// one\n// two\nlet x = 1 // three", { x: "one two\nthree" });
  check("// apart\n\nlet x = 1", {});
  check("let x = 1;\n// below", {});
  check("let x = 1; // mine\nlet y = 2;", { x: "mine" });
  check("let x = foo(\n  1,\n); // after the end", { x: "after the end" });
  check("const config = { // settings\n  a: 1, // inner\n  b: 2,\n};", { config: "settings" });
  check("const x = foo(/* flag */ true);", {});
  check("/* rows */ const rows = 1", { rows: "rows" });
  check("const a = 1; /* the a */ const b = 2; /* the b */", { a: "the a", b: "the b" });
  check("foo() // not of x\nx = 1", {});
  check("// of foo\nfoo();\nx = 1", {});
  check("foo(); x = 1 // crlf\r\ny = 2\r\n", { x: "crlf" });
});

Deno.test("plain assignments, functions, classes and globalThis members have comments", () => {
  check("x = 1 // plain", { x: "plain" });
  check("// chain\na = b = 1", { a: "chain", b: "chain" });
  check("// live\nglobalThis.x = 1", { x: "live" });
  check("globalThis['y'] = 1 // keyed", { y: "keyed" });
  check("this.z ??= 1 // default", { z: "default" });
  check("total += 1 // bump", {});
  check("rows[0] = 1 // first", {});
  check("// lengths\nfunction f() { return 1 }", { f: "lengths" });
  check("async function g() { // fetches\n return 1 }", { g: "fetches" });
  check("/** A document. */\nclass Doc {}\n(1)", { Doc: "A document." });
  check("// twice\nlet a = 1,\n  b = 2;", { a: "twice", b: "twice" });
});

Deno.test("each declarator and each part of a pattern keeps its own comment", () => {
  check("const a = 1, // first\n  b = 2; // second", { a: "first", b: "second" });
  check("let a = 1, /* of b */ b = 2;", { b: "of b" });
  check("const { a, b: { c }, ...d } = o; // parts", { a: "parts", c: "parts", d: "parts" });
  check("// both\n[x, y] = [1, 2]", { x: "both", y: "both" });
  check("const {\n  a, // the a\n  // the b\n  b,\n  c\n} = o; // rest", {
    a: "the a",
    b: "the b",
    c: "rest",
  });
});

Deno.test("assignments in blocks that run with the step have comments, block variables do not", () => {
  check("try {\n  data = parse(x); // parsed\n} catch {\n  data = null; // broken\n}", {
    data: "parsed",
  });
  check("if (!a) {\n  // fallback\n  a = 1;\n} else a = 2; // kept", { a: "kept" });
  check("{ let a = 1; a = 2; // local\n  var b = 3; // not local\n}", { b: "not local" });
  check("function f() {\n  x = 1; // inner\n}", {});
});

Deno.test("the newest comment of a step wins, a later assignment without one changes nothing", () => {
  check("let x = 1; // old\nx = 2; // new\nx = 3;", { x: "new" });
});

Deno.test("markers, gutters, banners and remarks for tools are removed", () => {
  check("/**\n * Rows of the table.\n *\n * @param {x} y   the y\n */\nfunction rows(y) {}", {
    rows: "Rows of the table.\n@param {x} y the y",
  });
  check("// -----\n// === Step 2 ===\n// ─── data ───\n// kept\nlet x = 1", { x: "kept" });
  check("// --------\nlet x = 1 // ***", {});
  check("// @ts-ignore\n// eslint-disable-next-line no-var\nlet x = 1", {});
  check("/// triple   spaced\n//! bang\nlet x = 1", { x: "triple spaced bang" });
  check("#!/usr/bin/env node\nlet x = 1", {});
  check("<!-- old style\nlet x = 1", { x: "old style" });
});

Deno.test("comments are limited in length and hold no control or bidi characters", () => {
  const { x } = rewriteStep(`let x = 1 // ${"語".repeat(400)}`).comments as { x: string };
  assert.equal(x, `${"語".repeat(299)}…`);
  check("let y = 1 // a\x1b[31m\u202eb\x00c\x85d\ud800", { y: "a [31m b c d\ufffd" });
});

Deno.test("comments survive the removal of TypeScript types", () => {
  check("// how many\nconst n: number /* inner */ = 1; // counted", { n: "how many\ncounted" });
});

Deno.test("any comment text is kept out of code and found again", () => {
  const word = fc.stringMatching(/^[a-z][a-z'"`\\/${}()]{0,12}[a-z]$/).filter((w) =>
    !w.includes("*/") && !/^(?:global|source|v8|c8)/.test(w)
  );
  fc.assert(fc.property(word, word, (above, behind) => {
    check(`/* ${above} */\nconst v = "//" + \`/*\`; // ${behind}\nlet w`, {
      v: `${above}\n${behind}`,
    });
  }));
});
