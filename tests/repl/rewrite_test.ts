import assert from "node:assert/strict";
import fc from "fast-check";
import { LineMap } from "../../repl/positions.ts";
import { rewriteStep, StepSyntaxError } from "../../repl/rewrite.ts";
import { BareRepl } from "./bare_repl.ts";

function refusal(source: string): StepSyntaxError {
  try {
    rewriteStep(source);
  } catch (error) {
    assert.ok(error instanceof StepSyntaxError, String(error));
    return error;
  }
  throw new Error(`not refused: ${source}`);
}

Deno.test("top-level declarations become var, with lines and most columns kept", () => {
  const cases: [source: string, code: string][] = [
    ["const rows=[1,2]; class P{}", "var   rows=[1,2]; var P=class P{};"],
    ["let x = 1", "var x = 1"],
    ["let x, y = 1, z;", "var x=void 0, y = 1, z=void 0;"],
    ["const {a, b: [c]} = o", "var   {a, b: [c]} = o"],
    ["const\n  a = 1", "var  \n  a = 1"],
    ["class A{}\n(1)", "var A=class A{};\n(1)"],
    ["class A{}\n`x`", "var A=class A{};\n`x`"],
    ["class A extends B {}\n[1].at(0)", "var A=class A extends B {};\n[1].at(0)"],
    ["for (const x of xs) { let y = x }", "for (const x of xs) { let y = x }"],
    ["{ const local = f() }", "{ const local = f() }"],
    ["function f() { const x = 1 }", "function f() { const x = 1 }"],
    ["async function* g() {}", "async function* g() {}"],
    ["'use strict'; const x = 1", "'use strict'; var   x = 1"],
    ["var x; x = 1", "var x; x = 1"],
  ];
  for (const [source, code] of cases) assert.equal(rewriteStep(source).code, code);
});

Deno.test("a whole step or a last statement that is an object literal is an object", () => {
  const cases: [source: string, code: string][] = [
    ["{a:1}", "({a:1})"],
    ["{a: 1, b: 2};", "({a: 1, b: 2});"],
    ["{}", "({})"],
    ["// what I found\n{ a, ...rest } // so far", "// what I found\n({ a, ...rest }) // so far"],
    ["foo()\n{a:1}", "foo()\n;({a:1})"],
    ["foo();\n{\n a:1,\n b:2\n}\n", "foo();\n;({\n a:1,\n b:2\n})\n"],
    ["{ foo() }", "{ foo() }"],
    ["{a:1}\nfoo()", "{a:1}\nfoo()"],
    ["{ let a = 1; a }", "{ let a = 1; a }"],
    ["{ x: for (;;) break x }", "{ x: for (;;) break x }"],
    ["if (x) {a:1}", "if (x) {a:1}"],
  ];
  for (const [source, code] of cases) assert.equal(rewriteStep(source).code, code);
});

Deno.test("a last top-level return is the value of the step, an earlier one is refused", () => {
  assert.equal(rewriteStep("return FINAL('x')").code, ";    ( FINAL('x'))");
  assert.equal(rewriteStep("f()\nreturn {a: 1}; // x").code, "f()\n;    ( {a: 1}); // x");
  assert.equal(rewriteStep("f()\nreturn").code, "f()\nvoid 0");
  assert.equal(rewriteStep("return f(); function f() {}").code, ";    ( f()); function f() {}");
  assert.match(refusal("return 1;\nfoo()").message, /^Cannot return/);
  const inside = refusal("const a = 1;\nif (a) {\n  return FINAL(a);\n}");
  assert.deepEqual([inside.line, inside.column], [3, 3]);
  assert.match(inside.hint ?? "", /FINAL\(value\)/);
});

Deno.test("modules are refused in every form, with the place and the way out", () => {
  const sources = [
    "import fs from 'fs'",
    "import 'x'",
    "const m = await import('npm:x')",
    "function f() { return import('x') }",
    "`${() => import(name)}`",
    "class A { static { import('x') } }",
    "import.meta.url",
    "await import.defer('x')",
    "export const x = 1",
    "export default 1",
    "export * from 'x'",
  ];
  for (const source of sources) {
    const error = refusal(source);
    assert.match(error.message, /^Modules cannot be (?:im|ex)ported here/, source);
    assert.ok(!error.message.includes("\n"));
  }
  assert.equal(rewriteStep('const s = "import(x)" // import("y")').declared[0], "s");
  assert.equal(rewriteStep("import type { X } from 'y'; const a: X = 1").declared[0], "a");
});

Deno.test("names that are declared twice in one step parse, inner ones stay errors", () => {
  const twice = "let a = 1; const a = 2; function a() {} class a {} var a";
  assert.deepEqual(rewriteStep(twice).declared, ["a"]);
  assert.match(refusal("function f() { let a; let a }").message, /already been declared/);
  assert.match(refusal("{ let a; let a; f() }").message, /already been declared/);
  assert.match(refusal("const x;").message, /^Unexpected token ';'$/);
  assert.match(refusal("const { a: NaN } = b").message, /^Cannot declare NaN/);
  assert.match(refusal("using x = f()").message, /^Cannot declare `using` at the top level$/);
  assert.equal(rewriteStep("{ using x = f(); g(x) }").code, "{ using x = f(); g(x) }");
});

Deno.test("TypeScript types are removed and keep every place", () => {
  const program = rewriteStep(
    "interface Row { id: number }\nconst n: number = (3 as number); const f = <T,>(x: T): T => x!;",
  );
  assert.equal(program.code.length, program.source.length);
  assert.deepEqual(program.declared, ["n", "f"]);
  assert.match(program.code, /\nvar {3}n {9}= \(3 {10}\); var {3}f = {5}\(x {3}\) {4}=> x ;$/);
  assert.equal(rewriteStep("pick<string>(x)").code, "pick<string>(x)");
  assert.match(rewriteStep("pick<string>(x)", { typescript: true }).code, /^pick {8}\(x\)$/);
});

Deno.test("TypeScript that does something at run time is refused in one line", () => {
  const cases: [source: string, message: RegExp][] = [
    ["enum A { x }", /TypeScript enum/],
    ["namespace N { export const x = 1 }", /TypeScript namespace/],
    ["class A { constructor(private x: number) {} }", /parameter property/],
    ["const a = <any>b", /angle-bracket/],
    ["@sealed class A {}", /Unexpected character '@'/],
    ["const a = <div>x</div>", /Unexpected token '<'/],
  ];
  for (const [source, message] of cases) {
    const error = refusal(source);
    assert.match(error.message, message);
    assert.ok(error.hint, source);
    assert.ok(!`${error.message}${error.hint}`.includes("\n"));
  }
});

Deno.test("an error in TypeScript is shown where it is, not at the first type", () => {
  const error = refusal("let x: number = 1;\nlet y: string = '';\nlet z = foo(;");
  assert.deepEqual([error.line, error.column], [3, 13]);
});

Deno.test("errors show the agent's line with a caret, also of very long lines", () => {
  const error = refusal("const a = 1;\nconst b = foo(a b);");
  assert.deepEqual([error.line, error.column], [2, 17]);
  assert.equal(error.excerpt, `const b = foo(a b);\n${" ".repeat(16)}^`);
  assert.equal(error.message, "Unexpected token 'b'");
  const long = refusal(`x = [${"1,".repeat(50_000)}] ]${" ".repeat(900)}`);
  const [line = "", caret = ""] = long.excerpt.split("\n");
  assert.ok(line.length <= 160);
  assert.equal(line[caret.indexOf("^")], "]");
});

Deno.test("errors hold no control or bidi characters of the source", () => {
  const error = refusal("foo(\x1b]52;c;\u202e\x9b a b");
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(error.describe(), /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

Deno.test("code that is nested too deeply is refused and does not end the process", () => {
  const deep = (open: string, close: string): string =>
    open.repeat(30_000) + "1" + close.repeat(30_000);
  for (const [open, close] of [["[", "]"], ["(", ")"], ["{a:", "}"], ["!", ""], ["()=>{", "}"]]) {
    assert.match(refusal(`x = ${deep(open!, close!)}`).message, /nested too deeply/, open!);
    // Not JavaScript, so that the type stripper is asked.
    assert.ok(refusal(`let x: number = ${deep(open!, close!)}`), open!);
  }
});

Deno.test("the native type stripper is never given deep text, however it is hidden", () => {
  const levels = 20_000;
  const hidden = [
    '[")]}"' + ",",
    "[/]/,",
    "[()=>{if(a)/]]}}/.x;return ",
    "a++ /[[[[[[[[/ 1 + [",
    "`${",
    "`}}${[",
    "A<",
    "[/* ]]] */",
    "[// ]]]\n",
    "new ",
    "a=>",
    "a?b:",
    "class{a=",
    "function(){return ",
    "[x++ /1/ [",
    "[a! /]]/ [",
    "[/[/]]]]]]/]]]]/,",
    "[a / (b) /*/ ]]]] */ + ",
    "[() => {}\n/]]]]/.x,",
  ];
  for (const piece of hidden) {
    assert.ok(refusal(`let x: number = ${piece.repeat(levels)}`), piece);
    assert.ok(refusal(`let x: ${piece.repeat(levels)}`), piece);
  }
});

Deno.test("long ordinary TypeScript is not taken for deep", () => {
  const body = Array.from(
    { length: 400 },
    (_, i) =>
      `const v${i}: Map<string, number[]> = new Map([["a/b", [${i} / 2]]]); // it's ${i}
function f${i}(x: { a: number; b?: string }): string { return \`\${x.a < 3 ? "(" : x.b} /\`; }
const r${i} = v${i}.get("a")!.map((n) => ({ n, half: n / 2, re: /[({]x/g.test(String(n)) }));`,
  )
    .join("\n");
  assert.equal(rewriteStep(body).declared.length, 1_200);
});

Deno.test("empty source, comments, hashbang, byte order mark and odd line ends have an outcome", () => {
  for (const source of ["", " \n", "// only a comment", "/* c */", "<!-- html\n"]) {
    const program = rewriteStep(source);
    assert.equal(program.code, source);
    assert.deepEqual(program.declared, []);
  }
  assert.equal(
    rewriteStep("\uFEFF#!/usr/bin/env node\nconst a = 1").code.split("\n")[1],
    "var   a = 1",
  );
  assert.deepEqual(rewriteStep("const a = 1\r\nlet b\r\n").code, "var   a = 1\r\nvar b=void 0\r\n");
  const odd = refusal("const a = '\u2028';\r\nfoo(a b)");
  assert.deepEqual([odd.line, odd.column], [3, 7]);
});

Deno.test("declared, assigned and used tell what a step does with names", () => {
  const program = rewriteStep(`
    const { a, b: { c }, ...d } = source, [e = fallback] = list;
    for (const item of rows) { total += item; var last = item }
    globalThis.g = 1; this.h = 2; globalThis["i"] ||= 3;
    table.push(1); matrix[0].x = 1; deep.a.b.c();
    await Promise.all(jobs.map(async (job) => { done++; results[job] = await run(job) }));
    function later(p) { never = p; return { key: shown } }
    label: for (const k in table) break label;
  `);
  assert.deepEqual([...program.declared].sort(), ["a", "c", "d", "e", "last", "later"]);
  assert.deepEqual(
    [...program.assigned].sort(),
    ["a", "c", "d", "done", "e", "g", "h", "i", "last", "later", "total"],
  );
  for (
    const name of ["source", "fallback", "never", "shown", "run", "rows", "g", "deep", "matrix"]
  ) {
    assert.ok(program.used.includes(name), name);
  }
  for (const name of ["item", "job", "p", "key", "label", "k", "b", "x"]) {
    assert.ok(!program.used.includes(name), name);
  }
});

Deno.test("names of Object.prototype are names like any other", () => {
  const source = "const __proto__ = 1, constructor = 2; // odd\nlet hasOwnProperty, toString";
  const program = rewriteStep(source);
  assert.deepEqual(program.declared, ["__proto__", "constructor", "hasOwnProperty", "toString"]);
  assert.equal(Object.getPrototypeOf(program.comments), null);
  assert.deepEqual(Object.keys(program.comments), ["__proto__", "constructor"]);
});

Deno.test("rewriting never moves a line, and every place maps back into the source", () => {
  const name = fc.constantFrom("a", "b", "rows", "__proto__");
  const value = fc.constantFrom("1", "'x\\\n y'", "[1,\n2]", "{k: 1}", "`t\n${1}`", "x => x");
  const statement = fc.oneof(
    fc.tuple(fc.constantFrom("const", "let", "var"), name, value).map(([k, n, v]) =>
      `${k} ${n} = ${v};`
    ),
    name.map((n) => `let ${n}`),
    name.map((n) => `class ${n} {\n  m() {}\n}`),
    name.map((n) => `function ${n}() {\n return 1 }`),
    name.map((n) => `${n} = 1 // note`),
    fc.constantFrom("// comment", "/* a\n b */", "", "if (1) { let z = 1 }", "{ f() }"),
  );
  const end = fc.constantFrom("", "{a: 1}", "{a: 1,\n b: 2}", "return f(1)", "return {a:\n1};");
  const newline = fc.constantFrom("\n", "\r\n", "\n\n");
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 6 }), end, newline, (parts, last, eol) => {
      const source = [...parts, last].join(eol);
      const program = rewriteStep(source);
      const code = new LineMap(program.code);
      const original = new LineMap(source);
      assert.equal(code.lines, original.lines);
      assert.equal(program.code.length >= source.length, true);
      for (let line = 1; line <= code.lines; line++) {
        for (let column = 1; column <= code.line(line).length + 2; column++) {
          const place = program.position(line, column);
          assert.equal(place.line, line);
          assert.ok(place.column >= 1 && place.column <= original.line(line).length + 1);
        }
      }
      // What was not rewritten maps to itself.
      for (let at = 0; at < source.length; at++) {
        const rest = source.slice(at);
        if (!rest.startsWith("=>") && !rest.startsWith("note")) continue;
        const inCode = nth(program.code, source, at, rest.slice(0, 2));
        const { line, column } = code.place(inCode);
        assert.deepEqual(program.position(line, column), { ...original.place(at) });
      }
      // The rewritten code is a step itself, and nothing in it is left to rewrite.
      if (!last.startsWith("return")) assert.equal(rewriteStep(program.code).code, program.code);
    }),
  );
});

/** Where the occurrence of `needle` that stands at `at` in `source` stands in `code`. */
function nth(code: string, source: string, at: number, needle: string): number {
  let found = -1;
  for (let i = source.indexOf(needle); i >= 0 && i <= at; i = source.indexOf(needle, i + 1)) {
    found = code.indexOf(needle, found + 1);
  }
  return found;
}

Deno.test("names live on in the next step (case 1)", async () => {
  using repl = new BareRepl();
  await repl.value("const rows=[1,2]; class P{}");
  assert.deepEqual(await repl.value("[rows.length, typeof P, new P() instanceof globalThis.P]"), [
    2,
    "function",
    true,
  ]);
});

Deno.test("names are declared again in any kind, the newest wins (case 2)", async () => {
  using repl = new BareRepl();
  await repl.value("const r=1; class A{}");
  await repl.value("const r=2; class A{x=1}");
  assert.deepEqual(await repl.value("[r, new A().x, A.toString()]"), [2, 1, "class A{x=1}"]);
  const kinds = ["let k = 1", "const k = 2", "var k = 3", "function k() {}", "class k {}"];
  for (const first of kinds) {
    for (const second of kinds) {
      await repl.value(first);
      await repl.value(`${second}\nk`);
    }
  }
  await repl.value("let k = 7");
  assert.equal(await repl.value("let k; typeof k"), "undefined");
  assert.equal(await repl.value("const n = 1; const n = n + 1; n"), 2);
});

Deno.test("an initialiser that throws does not poison its name (case 3)", async () => {
  using repl = new BareRepl();
  const failed = await repl.run("let kept = 1\nlet s = Set();");
  assert.match(failed.error ?? "", /^TypeError/);
  assert.deepEqual(failed.place, { line: 2, column: 9 });
  assert.equal(await repl.value("let s = new Set([1]); s.size + kept"), 2);
  await repl.run("class K { static x = missing }");
  assert.equal(await repl.value("class K { static x = 4 }\nK.x"), 4);
});

Deno.test("functions, awaits and later steps share one binding (case 5)", async () => {
  using repl = new BareRepl();
  await repl.value("let v=1; function inc(){v++}; await 0; v=5; inc()");
  assert.equal(await repl.value("inc(); v"), 7);
  assert.equal(await repl.value("globalThis.v = 1; inc(); await 0; v"), 2);
});

Deno.test("const is a plain variable with and without await (case 6)", async () => {
  using repl = new BareRepl();
  assert.equal(await repl.value("const x=1; await 0; x=2"), 2);
  assert.equal(await repl.value("const y=1; y=2"), 2);
  assert.deepEqual(await repl.value("[x, y]"), [2, 2]);
});

Deno.test("an object literal at the end is shown as an object (case 7)", async () => {
  using repl = new BareRepl();
  assert.deepEqual(await repl.value("{a:1}"), { a: 1 });
  assert.deepEqual(await repl.value("{a:1,b:2}"), { a: 1, b: 2 });
  assert.deepEqual(await repl.value("const q = 3\n{a: q}"), { a: 3 });
  assert.deepEqual(await repl.value("const q = () => 3\n{a: q(),\n b: 2};"), { a: 3, b: 2 });
  assert.deepEqual(await repl.value("await 0; /* x */ {a: await q()}"), { a: 3 });
});

Deno.test("semicolons and comments at the end and type annotations do no harm (case 8)", async () => {
  using repl = new BareRepl();
  await repl.value("const rows: { id: number }[] = [{id: 1}, {id: 2}];");
  assert.deepEqual(await repl.value("rows.map(r=>r.id); // done"), [1, 2]);
  assert.equal(await repl.value("const n: number = (3 as number);\nn"), 3);
});

Deno.test("hoisted functions can be declared again beside await (case 10)", async () => {
  using repl = new BareRepl();
  const step = "await 0; foo(); function foo(){return 7}";
  assert.equal(await repl.value(step), 7);
  assert.equal(await repl.value(step), 7);
});

Deno.test("a return at the end is the value, errors after a class are at the agent's place", async () => {
  using repl = new BareRepl();
  assert.deepEqual(await repl.value("const f = x => x\nreturn {a: f(1)}"), { a: 1 });
  const failed = await repl.run("class A {}; null.x");
  assert.deepEqual(failed.place, { line: 1, column: 18 });
  const odd = await repl.run("const s = '\u2028'; class B {}; null.x");
  assert.deepEqual(odd.place, { line: 2, column: 21 });
});

Deno.test("what a step that awaits declares, in any form, is a name of the REPL", async () => {
  using repl = new BareRepl();
  const steps: readonly (readonly [step: string, then: string, value: unknown])[] = [
    [
      "const { a, b: [c, ...d], ...e } = await { a: 1, b: [2, 3], f: 4 }",
      "[a,c,d[0],e.f].join()",
      "1,2,3,4",
    ],
    ["let x = 1, y; await 0\n;[y] = [x + 1]", "x + y", 3],
    ["await 0\nvar v = 1\nvar w = 2", "v + w", 3],
    [
      "if (await true) { var inBlock = 5 } else var never = 6",
      "[inBlock, typeof never].join()",
      "5,undefined",
    ],
    ["for (var i = 0, n = 0; i < 3; i++) n += await i", "[i, n].join()", "3,3"],
    ["for (var item of [1, 2]) await item", "item", 2],
    ["for await (var late of [Promise.resolve(7)]) {}", "late", 7],
    ["for (var key in { k: 1 }) await 0", "key", "k"],
    ["for (const hidden of [1]) await hidden", "typeof hidden", "undefined"],
    [
      "try { await Promise.reject(new Error('e')) } catch (err) { var caught = err.message }",
      "caught",
      "e",
    ],
    ["class K { static n = 1; m() { return K.n } }\nawait 0", "new K().m()", 1],
    ["class A2 {}\nclass B2 extends A2 {}\nawait 0", "new B2() instanceof A2", true],
    [
      "const f1 = () => 1, g1 = async function () { return 2 }; await 0",
      "[f1.name, g1.name, f1()].join()",
      "f1,g1,1",
    ],
    ["function early() { return later() } await 0; function later() { return 8 }", "early()", 8],
    [
      "async function af() { return 1 } function* gf() { yield 2 }\nconst got = [await af(), ...gf()]",
      "got.join()",
      "1,2",
    ],
    ["{ function inner() { return 9 } } await 0", "inner()", 9],
    ["label: for (;;) { await 0; break label }\nvar after = 1 // the end", "after", 1],
    ["switch (await 1) { case 1: var chosen = 'one' }", "chosen", "one"],
    ["const t = `${await 1}${'`'}`; await 0", "t", "1`"],
    ["let q = await 1; q += await 2; q++", "q", 4],
  ];
  for (const [step, then, value] of steps) {
    const outcome = await repl.run(step);
    assert.equal(outcome.error, undefined, `${step}: ${outcome.error}`);
    assert.equal(await repl.value(then), value, step);
  }
});

Deno.test("a step that awaits has the value of its last expression, as any other", async () => {
  using repl = new BareRepl();
  for (
    const [step, value] of [
      ["await 1", 1],
      ["await 1; // done", 1],
      ["await 1\n/* done */\n;;", 1],
      ["(await 1, 2)", 2],
      ["await 0\n'use strict'", "use strict"],
      ["const a = await 1\n;(a + 1)", 2],
      ["await 0; const b = 1", undefined],
      ["Promise.resolve(3)", 3],
      ["await 0; Promise.resolve(4)", 4],
      ["await 0; return 5", 5],
      ["const list = [1, 2]\nfor (const x of list) await x\nlist.length", 2],
    ] as const
  ) assert.equal(await repl.value(step), value, step);
  assert.deepEqual(await repl.value("await 0\n;({ a: 1 })"), { a: 1 });
  assert.deepEqual(await repl.value("await 0;\n{ a: 1, b: 2 }"), { a: 1, b: 2 });
});

Deno.test("functions of a step that awaits see what later steps make of each other", async () => {
  using repl = new BareRepl();
  await repl.value("await 0; function outer() { return inner() } function inner() { return 1 }");
  await repl.value("function inner() { return 2 }");
  assert.equal(await repl.value("outer()"), 2);
  await repl.value("var inner = () => 3; await 0");
  assert.equal(await repl.value("outer()"), 3);
});

Deno.test("errors of a step that awaits are at the agent's place, also in its functions", async () => {
  using repl = new BareRepl();
  const first = await repl.run("await 0; const s = Set();");
  assert.deepEqual(first.place, { line: 1, column: 20 });
  const second = await repl.run("const a = 1; await 0;\n  null.x");
  assert.deepEqual(second.place, { line: 2, column: 8 });
  const third = await repl.run("await 0; function g() { null.y } g()");
  assert.deepEqual(third.place, { line: 1, column: 30 });
});
