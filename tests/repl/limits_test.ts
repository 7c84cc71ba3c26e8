/** Limits on a real sandbox: what each excess does, and that the run can go on after it. */
import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { SandboxDied } from "../../repl/host.ts";
import { TestRepl } from "../support/repl.ts";

const start = (timeoutMs = 300) => TestRepl.start({ timeoutMs, memoryLimitMb: 300 });

/** Code that is stopped while the REPL lives on, and what the agent is told. */
const survived: readonly [name: string, code: string, told: RegExp][] = [
  ["an endless loop", "while(true){}", /interrupted/],
  ["a runaway regular expression", "/^(a+)+$/.test('a'.repeat(40)+'b')", /interrupted/],
  ["a blocking wait", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0)", /interrupted/],
  ["infinite recursion", "function f(){return f()+1}; f()", /Maximum call stack/],
  ["a string without end", "let s='x'; while(true) s+=s", /Invalid string length/],
  ["a promise that never settles", "await new Promise(() => {})", /interrupted/],
  [
    "five million lines of output",
    "for(let i=0;i<5e6;i++)console.log('x'.repeat(200))",
    /interrupted/,
  ],
  ["a getter that never returns, shown", "({get x(){while(true){}}})", /Getter/],
  [
    "a proxy that never returns, as an answer",
    "FINAL(new Proxy({},{ownKeys(){for(;;);}}))",
    /Proxy/,
  ],
  ["a toString that never returns, thrown", "throw {toString(){for(;;);}}", /toString/],
  ["a thenable that never returns, shown", "({then(){while(true){}}})", /then/],
  ["a buffer that is never touched", "new ArrayBuffer(10e9).byteLength", /10000000000/],
  [
    "more calls than may wait",
    "await batch_llm_query(Array(5001).fill('x')).then(r=>r.at(-1).message)",
    /5000 calls are waiting/,
  ],
];

for (const [name, code, told] of survived) {
  Deno.test(`${name}: the variables are intact`, async () => {
    await using repl = await start(name.startsWith("more calls") ? 20_000 : 300);
    await repl.run("var kept = 1");
    const report = await repl.run(code);
    const said = [report.failure, report.echo, report.interrupted && "interrupted"].join(" ");
    match(said, told);
    strictEqual((await repl.run("kept")).echo, "1");
  });
}

/** Code that ends its process, and why the host says it did. */
const fatal: readonly [name: string, code: string, reason: string][] = [
  ["a loop after an await", "await 0; while(true){}", "timeout"],
  ["a loop in a microtask", "queueMicrotask(()=>{while(true){}}); 1", "timeout"],
  [
    "a loop in a timer",
    "setTimeout(()=>{for(;;);}); await new Promise(r=>setTimeout(r,50))",
    "timeout",
  ],
  [
    "an error that never tells its message",
    "const e=new Error(); Object.defineProperty(e,'message',{get(){for(;;);}}); throw e",
    "timeout",
  ],
  [
    "endless asynchronous recursion",
    "async function g(){ await null; return g() } await g()",
    "timeout|memory",
  ],
  ["buffers without end", "const b=[]; for(;;){ b.push(new Uint8Array(5e7).fill(1)) }", "memory"],
  ["one huge array", "new Array(1e9).fill(0).length", "memory"],
];

for (const [name, code, reason] of fatal) {
  Deno.test(`${name}: the process is ended and the host told why`, async () => {
    await using repl = await start(reason === "memory" ? 30_000 : 300);
    await rejects(repl.run(code), (error: unknown) => {
      ok(error instanceof SandboxDied);
      ok(reason.split("|").includes(error.reason), `ended by ${error.reason}`);
      return true;
    });
    await rejects(repl.run("1"), SandboxDied);
  });
}

Deno.test("a fork bomb of microtasks ends its process", async () => {
  await using repl = await start();
  await rejects(
    repl.run("function b(){Promise.resolve().then(b);Promise.resolve().then(b)}; b(); 1"),
    SandboxDied,
  );
});

Deno.test("objects without end end in an interrupt or in the memory limit, not in the host", async () => {
  await using repl = await start(60_000);
  await rejects(
    repl.run("const a=[]; while(true)a.push(Array.from({length:1e5},(_,i)=>({i})))"),
    (error: unknown) => error instanceof SandboxDied && error.reason === "memory",
  );
});

Deno.test("waiting for a call does not count as active time", async () => {
  const gate = Promise.withResolvers<void>();
  const { encodeBody } = await import("../../repl/body.ts");
  await using repl = await TestRepl.start({
    timeoutMs: 200,
    onCall: async () => {
      await gate.promise;
      return encodeBody("done");
    },
  });
  const running = repl.run("await llm_query('slow')");
  const started = performance.now();
  while (performance.now() - started < 600) await new Promise((resolve) => setTimeout(resolve));
  gate.resolve();
  strictEqual((await running).echo, "done");
});

Deno.test("waiting for a host that reads nothing for a while does not count as active time", async () => {
  const { encodeBody } = await import("../../repl/body.ts");
  let calls = 0;
  await using repl = await TestRepl.start({
    timeoutMs: 10_000,
    onCall: () => {
      // The first comes before the worker is busy, the second with more than a pipe holds behind it.
      const end = performance.now() + (++calls === 2 ? 1_500 : 0);
      while (performance.now() < end);
      return calls === 1 ? first.promise : Promise.resolve(encodeBody("done"));
    },
  });
  const first = Promise.withResolvers<ReturnType<typeof encodeBody>>();
  const running = repl.run(`const slow = llm_complete("slow");
    for (const end = performance.now() + 300; performance.now() < end;);
    const all = await Promise.all(Array.from({ length: 1000 }, () => llm_complete("x".repeat(300))));
    all.length`);
  while (calls < 1_001) await new Promise((resolve) => setTimeout(resolve));
  first.resolve(encodeBody("done"));
  const { echo, activeMs } = await running;
  strictEqual(echo, "1000");
  ok(activeMs < 1_500, `${activeMs} ms`);
});

Deno.test("a closed sandbox leaves no process behind", async () => {
  const repl = await start();
  const { pid } = repl.sandbox;
  await repl[Symbol.asyncDispose]();
  let alive = true;
  try {
    Deno.kill(pid, "SIGCONT");
  } catch {
    alive = false;
  }
  strictEqual(alive, false);
});
