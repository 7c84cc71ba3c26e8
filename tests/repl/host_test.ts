/** The host against sandbox processes that lie, flood, fall silent or die. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { encodeBody } from "../../repl/body.ts";
import { type CallHandler, type DeathReason, type Sandbox, SandboxDied } from "../../repl/host.ts";
import { fakeSandbox } from "../support/fake_sandbox.ts";

const setup = { recursive: true, env: {}, maxOutput: 100 };
const echo: CallHandler = (call) => Promise.resolve(call.value);

/** Initialises a sandbox and evaluates one step. */
async function oneStep(sandbox: Sandbox, onCall: CallHandler = echo): Promise<unknown> {
  await sandbox.init(setup, encodeBody("x"), onCall);
  return await sandbox.evaluate({ step: 1, code: "1", declared: [], timeoutMs: 5_000 });
}

function died(reason: DeathReason, told: RegExp): (error: unknown) => boolean {
  return (error) => {
    ok(error instanceof SandboxDied, String(error));
    match(error.message, told);
    strictEqual(error.reason, reason);
    return true;
  };
}

/** What the process does, and what the host makes of it. */
const breaches: readonly [what: string, script: string, reason: DeathReason, told: RegExp][] = [
  ["ends at once", "Deno.exit(7)", "crash", /status 7/],
  ["ends by its own time limit", "Deno.exit(91)", "timeout", /time limit/],
  ["ends by its own memory limit", "Deno.exit(92)", "memory", /more memory/],
  ["says the pipe is broken", "Deno.exit(93)", "protocol", /protocol/],
  ["ends as a full heap does", "Deno.exit(133)", "memory", /out of memory/],
  ["is killed", "Deno.kill(Deno.pid, 'SIGKILL')", "crash", /status 137/],
  [
    "says words before the first frame",
    'await io.raw(new TextEncoder().encode(\'{"type":"final"}\\n\'.repeat(9)))',
    "protocol",
    /without the secret/,
  ],
  [
    "uses no secret",
    "await io.raw(io.frame({kind:'ready'}, undefined, {secret: new Uint8Array(16)}))",
    "protocol",
    /without the secret/,
  ],
  [
    "uses the host's secret",
    "await io.raw(io.frame({kind:'ready'}, undefined, {secret: io.hostSecret}))",
    "protocol",
    /without the secret/,
  ],
  [
    "announces a huge header",
    "await io.raw(io.frame({kind:'ready'}, undefined, {headerBytes: 4e9}))",
    "protocol",
    /too long/,
  ],
  [
    "announces a huge body",
    "await io.raw(io.frame({kind:'ready'}, undefined, {bodyBytes: 4e9}))",
    "protocol",
    /too long/,
  ],
  [
    "stops within a frame",
    "await io.raw(io.frame({kind:'ready'}, undefined, {bodyBytes: 9})); Deno.exit(0)",
    "crash",
    /status 0/,
  ],
  ["sends no JSON", "await io.raw(io.frame('{kind'))", "protocol", /no JSON/],
  ["sends a list", "await io.raw(io.frame('[]'))", "protocol", /no object/],
  ["sends no kind", "await io.raw(io.frame({}))", "protocol", /no kind/],
  ["sends a kind of number", "await io.raw(io.frame({kind: 1}))", "protocol", /no kind/],
  [
    "sends an unknown kind",
    "await io.start(); await io.send({kind:'x'})",
    "protocol",
    /unknown kind/,
  ],
  ["is ready twice", "await io.start(); await io.send({kind:'ready'})", "protocol", /unknown kind/],
  ["answers before it is ready", "await io.send({kind:'result', id: 1})", "protocol", /before/],
  [
    "answers nobody",
    "await io.start(); await io.send({kind:'result', id: 99})",
    "protocol",
    /nobody asked/,
  ],
  [
    "answers twice",
    "await io.start(); await io.send({kind:'result', id: 1})",
    "protocol",
    /nobody asked/,
  ],
  [
    "answers by a name of prototypes",
    "await io.start(); await io.send({kind:'result', id: '__proto__'})",
    "protocol",
    /nobody asked/,
  ],
  [
    "calls before the REPL is set up",
    "await io.send({kind:'ready'}); await io.send({kind:'call', call: 1, name: 'llm_query', options: {}, form: 'none'})",
    "protocol",
    /while no step runs/,
  ],
  ...([
    ["calls with a negative number", "{call: -1}", /no count/],
    ["calls with no number", "{call: 'x'}", /no count/],
    ["calls what does not exist", "{name: 'constructor'}", /unknown call/],
    ["calls without options", "{options: null}", /no object/],
    ["calls with a list of options", "{options: []}", /no object/],
    ["calls with an unknown form", "{form: 'wasm'}", /unknown form/],
    ["calls with megabytes of options", "{options: {a: 'x'.repeat(2e6)}}", /too many options/],
  ] as const).map(([what, change, told]): [string, string, DeathReason, RegExp] => [
    what,
    `await io.start(); await io.next(); await io.send({kind:'call', call: 1, name: 'llm_query', options: {}, form: 'none', ...${change}})`,
    "protocol",
    told,
  ]),
  [
    "calls with one number twice",
    "await io.start(); await io.next(); for (const call of [5, 5]) await io.send({kind:'call', call, name: 'llm_query', options: {}, form: 'none'})",
    "protocol",
    /one call twice/,
  ],
  [
    "calls with numbers that fall",
    "await io.start(); await io.next(); for (const call of [5, 4]) await io.send({kind:'call', call, name: 'llm_query', options: {}, form: 'none'})",
    "protocol",
    /one call twice/,
  ],
  [
    "fails a step",
    "await io.start(); await io.send({kind:'result', id: (await io.next()).id, failure: 'x'})",
    "crash",
    /the REPL failed: x/,
  ],
  ...([
    ["reports nothing", "undefined", /report is no object/],
    ["reports no output", "{...io.report, output: 1}", /output is no object/],
    [
      "reports an endless count",
      "{...io.report, output: {head:'', tail:'', chars: 1e999, lines: 0}}",
      /chars is no count/,
    ],
    [
      "reports too many notices",
      "{...io.report, notices: Array(1000).fill('')}",
      /notices is no list/,
    ],
    ["reports notices of numbers", "{...io.report, notices: [1]}", /notice is no string/],
    ["reports a strange error", "{...io.report, error: {name: 1}}", /name is no string/],
    [
      "reports too many frames",
      "{...io.report, error: {name: '', message: '', frames: Array(99).fill({})}}",
      /frames is no list/,
    ],
    ["reports strange times", "io.report, activeMs: -1", /activeMs is no count/],
    ["reports a strange FINAL", "{...io.report, final: {form: 'x', loss: []}}", /unknown form/],
  ] as const).map(([what, report, told]): [string, string, DeathReason, RegExp] => [
    what,
    `await io.start(); await io.send({kind:'result', id: (await io.next()).id, report: ${report}})`,
    "protocol",
    told,
  ]),
];

for (const [what, script, reason, told] of breaches) {
  Deno.test(`a sandbox that ${what} ends; the host goes on`, async () => {
    await using sandbox = fakeSandbox(`${script}; await io.forever()`);
    await rejects(oneStep(sandbox, () => new Promise(() => {})), died(reason, told));
  });
}

Deno.test("a flood of calls ends the sandbox, not the host", async () => {
  await using sandbox = fakeSandbox(
    "await io.start(); await io.next(); for (let call = 1;; call++) await io.send({kind:'call', call, name: 'llm_query', options: {}, form: 'none'})",
  );
  let served = 0;
  const never = () => new Promise<never>(() => void served++);
  await rejects(oneStep(sandbox, never), died("protocol", /too many calls/));
  strictEqual(served, 10_000);
});

Deno.test("a handler that throws at once is an error of the call", async () => {
  await using sandbox = fakeSandbox(`
    await io.start();
    const { id } = await io.next();
    await io.send({kind:'call', call: 1, name: 'llm_query', options: {}, form: 'none'});
    const { ok, error } = await io.next();
    await io.send({kind:'result', id, report: {...io.report, echo: ok + error.message}});
    await io.forever()`);
  const report = await oneStep(sandbox, () => {
    throw new Error("no");
  });
  strictEqual((report as { echo: string }).echo, "falseno");
});

Deno.test("texts of a report are cut and made inert", async () => {
  await using sandbox = fakeSandbox(`
    await io.start();
    const evil = '\\u001b[31m\\u202e\\u0000' + 'x'.repeat(1e6);
    const report = {output: {head: evil, tail: evil, chars: 2e6, lines: 1}, notices: [evil], echo: evil,
      error: {name: evil, message: evil, frames: [{fn: evil, script: evil, line: 1, column: 1}]}, extra: evil};
    await io.send({kind:'result', id: (await io.next()).id, report, activeMs: 1, __proto__: {}});
    await io.forever()`);
  const report = await oneStep(sandbox);
  const text = JSON.stringify(report);
  ok(text.length < 20_000);
  ok(!/\\u001b|\\u202e|\\u0000/.test(text.replaceAll("\\\\u", "")));
  deepStrictEqual(Object.keys(report as object).sort(), [
    "activeMs",
    "echo",
    "error",
    "notices",
    "output",
  ]);
});

/** A clock whose seconds pass as fast as the event loop turns. */
const fast = async (_ms: number, signal: AbortSignal): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve));
  if (signal.aborted) throw signal.reason;
};

Deno.test("a sandbox that never starts is ended", async () => {
  await using sandbox = fakeSandbox("await io.forever()", fast);
  await rejects(oneStep(sandbox), died("silence", /did not start/));
});

Deno.test("a sandbox that falls silent is ended", async () => {
  const gate = Promise.withResolvers<void>();
  await using sandbox = fakeSandbox("await io.start(); await io.forever()", async (ms, signal) => {
    await gate.promise;
    await fast(ms, signal);
  });
  await sandbox.init(setup, encodeBody("x"), echo);
  gate.resolve();
  await rejects(
    sandbox.evaluate({ step: 1, code: "1", declared: [], timeoutMs: 1e9 }),
    died("silence", /fell silent/),
  );
});

Deno.test("a sandbox that lives and never answers is ended after the step's time", async () => {
  const gate = Promise.withResolvers<void>();
  await using sandbox = fakeSandbox(
    "await io.start(); for (;;) { await io.send({kind: 'beat'}); await new Promise((r) => setTimeout(r)) }",
    async (ms, signal) => {
      await gate.promise;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await fast(ms, signal);
    },
  );
  await sandbox.init(setup, encodeBody("x"), echo);
  gate.resolve();
  await rejects(
    sandbox.evaluate({ step: 1, code: "1", declared: [], timeoutMs: 1_000 }),
    died("timeout", /the step took too long/),
  );
});

Deno.test("a sandbox that never reads does not hold the host", async () => {
  await using sandbox = fakeSandbox("await io.send({kind:'ready'}); await io.forever()");
  const big = { form: "text" as const, bytes: new Uint8Array(8_000_000) };
  const started = sandbox.init(setup, big, echo);
  const closing = sandbox.close();
  await rejects(started, died("closed", /closed/));
  await closing;
});
