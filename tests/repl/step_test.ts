/** CASES group A on a real sandbox: what a step means. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type ReplOptions, TestRepl } from "../support/repl.ts";

/** Steps one after another on one sandbox; the check sees the last report. */
function steps(
  name: string,
  sources: readonly string[],
  check: (last: Awaited<ReturnType<TestRepl["run"]>>, repl: TestRepl) => void | Promise<void>,
  options: ReplOptions = {},
): void {
  Deno.test(name, async () => {
    await using repl = await TestRepl.start(options);
    let last;
    for (const source of sources) last = await repl.run(source);
    await check(last!, repl);
  });
}

const prints = (text: string) => (last: { text: string; failure: string | undefined }) => {
  strictEqual(last.failure, undefined);
  strictEqual(last.text, text);
};
const echoes = (text: string) => (last: { echo?: string; failure: string | undefined }) => {
  strictEqual(last.failure, undefined);
  strictEqual(last.echo, text);
};

steps("names live on in the next step (A1)", [
  "const rows=[1,2]; class P{}",
  "console.log(rows.length, typeof P)",
], prints("2 function\n"));

steps("a name can be declared again and change kind (A2)", [
  "const r=1; class A{}; function f(){return 1}",
  "const r=2; class A{x=1}; const f = () => 2",
  "[r, new A().x, f()].join()",
], echoes("2,1,2"));

steps("an initialiser that throws does not poison its name (A3)", [
  "let s = Set();",
  "let s = new Set([1]); s.size",
], echoes("1"));

steps("a name whose first initialiser threw does not exist", [
  "const broken = nothing.here",
  "typeof broken",
], echoes("undefined"));

steps("a failing redeclaration keeps the value that was there", [
  "const kept = 1",
  "const kept = nothing.here",
  "kept",
], echoes("1"));

steps(
  "what ran before an error is kept",
  ["const a = 1; const b = a + 1; null.x", "a + b"],
  echoes("3"),
);

steps("functions and the REPL share one binding, also after await (A5)", [
  "let v=1; function inc(){v++}; await 0; v=5; inc()",
  "inc(); v",
], echoes("7"));

for (const source of ["const x=1; await 0; x=2; x", "const x=1; x=2; x"]) {
  steps(`a top-level const is a plain variable: ${source} (A6)`, [source], echoes("2"));
}

steps(
  "an object literal as a whole step is that object (A7)",
  ["{a:1,b:2}"],
  echoes("{ a: 1, b: 2 }"),
);
steps("so is one with a single property", ["{a:1}"], echoes("{ a: 1 }"));
steps("a trailing semicolon and comment do not hide the last value (A8)", [
  "const rows=[{id:1},{id:2}]",
  "rows.map(r=>r.id); // done",
], echoes("[ 1, 2 ]"));
steps("type annotations are stripped (A8)", ["const n: number = (3 as number); n"], echoes("3"));

steps("hoisting works with await, twice (A10)", [
  "await 0; foo(); function foo(){return 7}",
  "await 0; foo(); function foo(){return 7}",
  "foo()",
], echoes("7"));

steps("assigning to a reserved name lasts no longer than the step (A13)", [
  "context='oops'; globalThis.FINAL=null; llm_query=x=>x; 1",
  "[context, typeof FINAL, (await llm_query('q')).call].join()",
], echoes("the context,function,llm_query"));

Deno.test("the agent is told that a reserved name was put back (A13)", async () => {
  await using repl = await TestRepl.start();
  const { notices } = await repl.run("context='oops'; globalThis.FINAL=null; 1");
  match(notices.join(), /context, FINAL: reserved/);
});

for (
  const [source, value] of [
    ["FINAL(undefined)", undefined],
    ["FINAL(null)", null],
    ["FINAL(0)", 0],
    ["FINAL('')", ""],
    ["FINAL(false)", false],
    ["FINAL(NaN)", NaN],
    ["FINAL()", undefined],
  ] as const
) {
  steps(`${source} ends the run (A14)`, [source], (last) => {
    ok(last.answered);
    ok(Object.is(last.answer, value));
  });
}

for (
  const source of [
    '"I will call FINAL(x) later"',
    '// FINAL("no")\n1',
    '"FINAL(1)"',
    "const f = () => FINAL(1); 2",
    "if (false) FINAL(3)",
  ]
) {
  steps(`only an executed call counts: ${JSON.stringify(source)} (A16)`, [source], (last) => {
    ok(!last.answered);
  });
}
steps("nested calls are evaluated before FINAL (A16)", [
  "const g = x => x + 1, f = x => x * 10; FINAL(f(g(1)))",
], (last) => strictEqual(last.answer, 20));
steps(
  "the first FINAL counts",
  ["FINAL('a'); FINAL('b')"],
  (last) => strictEqual(last.answer, "a"),
);
steps("FINAL keeps the value of the moment", ["const o={n:1}; FINAL(o); o.n=2"], (last) => {
  deepStrictEqual(last.answer, { n: 1 });
});
steps(
  "a value that cannot be an answer is an error that the agent sees",
  ["FINAL(() => 1)"],
  (last) => {
    ok(!last.answered);
    match(last.failure!, /FINAL cannot return a function/);
  },
);
steps("a promise is no answer", ["FINAL(llm_query('x')); 1"], (last) => {
  ok(!last.answered);
  match(last.failure!, /[Pp]romise/);
});
steps(
  "FINAL with a cycle keeps the session alive (B44)",
  ["const o={}; o.o=o; FINAL(o)"],
  (last) => {
    strictEqual((last.answer as { o: unknown }).o, last.answer);
  },
);
steps("FINAL keeps big integers, maps, sets and dates (B44)", [
  "FINAL({n: 2n**70n, m: new Map([[1, new Set(['x'])]]), d: new Date(0)})",
], (last) => {
  deepStrictEqual(last.answer, {
    n: 2n ** 70n,
    m: new Map([[1, new Set(["x"])]]),
    d: new Date(0),
  });
});

steps("output is capped while it is captured, and counted (A20)", [
  "for(let i=0;i<2e5;i++)console.log('x'.repeat(200))",
  "1",
], (last) => strictEqual(last.echo, "1"));
Deno.test("head and tail are kept, the rest is counted (A20)", async () => {
  await using repl = await TestRepl.start({ setup: { maxOutput: 100 } });
  const { output } = await repl.run("for(let i=0;i<1000;i++)console.log('line '+i)");
  match(output.head, /^line 0\nline 1\n/);
  match(output.tail, /line 999\n$/);
  strictEqual(output.lines, 1000);
  strictEqual(output.chars, 8890);
  ok(output.head.length + output.tail.length <= 100);
});

steps(
  "a failing host call throws what the host said (A21)",
  [
    "let seen; try { FINAL(await llm_query('x')) } catch (e) { seen = [e.name, e.message, e.code].join() }",
    "seen",
  ],
  echoes("ModelError,server error 500,model_server"),
  {
    onCall: () =>
      Promise.reject(
        Object.assign(new Error("server error 500"), { name: "ModelError", code: "model_server" }),
      ),
  },
);

steps(
  "a batch gives a real array with errors in their places (A22)",
  [
    "const r = await batch_llm_query(['a', {context:'bad'}, llm_query('c'), 7]); r.map(x => x instanceof Error ? x.message : x).join()",
  ],
  echoes("A,no bad,C,an item of batch_llm_query is {context, instruction, …}"),
  {
    onCall: async (call) => {
      const { decodeBody, encodeBody } = await import("../../repl/body.ts");
      const value = String(decodeBody(call.value));
      if (value === "bad") throw new Error("no bad");
      return encodeBody(value.toUpperCase());
    },
  },
);
steps("return FINAL(x) at top level works (A22)", ["return FINAL('x')"], (last) => {
  strictEqual(last.answer, "x");
});

Deno.test("an endless loop is interrupted with variables intact (A22)", async () => {
  await using repl = await TestRepl.start({ timeoutMs: 300 });
  await repl.run("let n = 1");
  ok((await repl.run("n = 2; while(true){}")).interrupted);
  strictEqual((await repl.run("n")).echo, "2");
});

Deno.test("waiting for what never comes is ended with variables intact", async () => {
  await using repl = await TestRepl.start({ timeoutMs: 300 });
  ok((await repl.run("var n = 3; await new Promise(() => {})")).interrupted);
  strictEqual((await repl.run("n")).echo, "3");
});

Deno.test("errors show the agent's own line and column, never a generated name", async () => {
  await using repl = await TestRepl.start();
  await repl.run("function f(x){\n  return x.y.z\n}");
  const { error } = await repl.run("const q = 1;\nawait 0;\nf(q.r)");
  deepStrictEqual(
    error!.frames.map(({ script, line }) => [script, line]),
    [["step-1", 2], ["step-2", 3]],
  );
  ok(!JSON.stringify(error).includes("file:"));
});

Deno.test("what fails late is reported to the agent, and the step goes on", async () => {
  await using repl = await TestRepl.start();
  const rejected = await repl.run("Promise.reject(new Error('late')); 1");
  strictEqual(rejected.echo, "1");
  match(rejected.notices.join(), /Unhandled rejection: Error: late/);
  const thrown = await repl.run(
    "setTimeout(()=>{throw new Error('boom')}, 1); await new Promise(r => setTimeout(r, 20))",
  );
  match(thrown.notices.join(), /Uncaught error: Error: boom/);
});

Deno.test("timers left at the end of a step are cancelled and named (C60)", async () => {
  await using repl = await TestRepl.start();
  await repl.run("let n = 0");
  const { notices } = await repl.run(
    "const t = setInterval(() => n++, 1); setTimeout(() => n++); 0",
  );
  match(notices.join(), /2 pending timers were cancelled/);
  strictEqual((await repl.run("await new Promise(r => setTimeout(r, 20)); n")).echo, "0");
});

Deno.test("a call that is not awaited settles before the step ends (C60)", async () => {
  await using repl = await TestRepl.start();
  await repl.run("let got; llm_query('slow').then(r => got = r.value); 0");
  strictEqual((await repl.run("got")).echo, "slow");
});

Deno.test("a step without output says nothing, one with undefined neither", async () => {
  await using repl = await TestRepl.start();
  const { echo, text } = await repl.run("const a = 1");
  strictEqual(echo, undefined);
  strictEqual(text, "");
});
