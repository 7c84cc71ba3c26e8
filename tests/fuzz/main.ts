/**
 * `deno task fuzz [--seconds 30] [--seed N]`: random frames at the host, random programs at the
 * worker. Ends with 1 when the host hangs or throws anything but what it promises.
 */
import { parseArgs } from "@std/cli";
import { encodeBody } from "../../repl/body.ts";
import { type Sandbox, SandboxDied } from "../../repl/host.ts";
import { rewriteStep } from "../../repl/rewrite.ts";
import { StepSyntaxError } from "../../repl/syntax_error.ts";
import { fakeSandbox } from "../support/fake_sandbox.ts";
import { TestRepl } from "../support/repl.ts";
import { program } from "./programs.ts";
import { Random } from "./random.ts";

const args = parseArgs(Deno.args, { string: ["seconds", "seed"] });
const seconds = Number(args["seconds"] ?? 30);
const seed = Number(args["seed"] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
say(`seed ${seed}, ${seconds} s`);
const random = new Random(seed);
const end = performance.now() + seconds * 1_000;

/** Fails loudly when work takes longer than any limit allows. */
async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hang: ${what}`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const setup = { recursive: true, tools: ["a"], env: {}, maxOutput: 500 };

/** The script of a process that sends what it likes; itself a function of a seed. */
const LIAR = (own: number) => `
  let s = ${own};
  const next = () => { s = (s + 0x6d2b79f5) | 0; let t = Math.imul(s ^ (s >>> 15), 1 | s); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296 };
  const pick = (list) => list[Math.floor(next() * list.length)];
  const junk = (depth = 0) => pick([() => null, () => -1, () => 1e308, () => next() * 9 | 0, () => "\\u001b\\u202e" + "x".repeat(next() * 3000), () => true,
    () => depth > 3 ? 0 : Array.from({ length: next() * 5 }, () => junk(depth + 1)),
    () => depth > 3 ? 0 : Object.fromEntries(Array.from({ length: next() * 6 }, () => [pick(KEYS), junk(depth + 1)]))])();
  const KEYS = ["kind", "id", "call", "name", "options", "form", "report", "output", "head", "tail", "chars", "lines", "notices", "error", "message", "frames", "final", "loss", "snapshot", "variables", "functions", "dropped", "payloads", "description", "type", "size", "failure", "__proto__", "activeMs", "echo", "interrupted"];
  if (next() < 0.9) await io.start();
  let id = 1;
  for (let i = 0; i < 40; i++) {
    if (next() < 0.3) id = (await io.next()).id ?? id;
    const header = pick([
      () => junk(), () => ({ kind: "beat" }), () => ({ kind: "ready" }),
      () => ({ kind: "result", id, report: { ...io.report, ...junk() } }),
      () => ({ kind: "result", id, report: junk() }),
      () => ({ kind: "result", id, snapshot: { variables: junk(), functions: junk(), dropped: junk(), payloads: junk() } }),
      () => ({ kind: "call", call: i + 1, name: pick(["llm_query", "tool", "x"]), options: pick([{}, junk()]), form: pick(["text", "value", "none", "x"]) }),
      () => ({ kind: pick(["result", "call", "eval", "ping"]), ...junk() }),
    ])();
    const body = crypto.getRandomValues(new Uint8Array(next() * 200));
    await io.raw(next() < 0.03 ? body : io.frame(header, body, next() < 0.03 ? { bodyBytes: next() * 500 | 0 } : {}));
  }
  if (next() < 0.5) Deno.exit(next() * 200 | 0);
  await io.forever()`;

/** A clock that runs twenty times as fast, so that silence is found soon. */
function fast(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms / 20);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

async function lie(): Promise<void> {
  const own = random.below(2 ** 31);
  const sandbox: Sandbox = fakeSandbox(LIAR(own), fast);
  try {
    await within(
      30_000,
      `liar ${own}`,
      (async () => {
        await sandbox.init(setup, encodeBody("x"), (call) => Promise.resolve(call.value));
        for (let step = 1; step < 6; step++) {
          await sandbox.evaluate({ step, code: "1", declared: [], timeoutMs: 1_000 });
          await sandbox.sweep({ capBytes: 1_000, known: [] });
        }
      })(),
    );
  } catch (error) {
    const allowed = error instanceof SandboxDied ||
      (error instanceof Error && error.constructor === Error && !error.message.startsWith("hang"));
    if (!allowed) throw new Error(`liar ${own}`, { cause: error });
  } finally {
    await within(10_000, `closing liar ${own}`, sandbox.close());
  }
}

async function think(): Promise<string> {
  const repl = await TestRepl.start({ timeoutMs: 500, memoryLimitMb: 400, setup });
  const done: string[] = [];
  try {
    for (let i = 0; i < 20 && performance.now() < end; i++) {
      const source = program(random);
      done.push(source);
      try {
        rewriteStep(source);
      } catch (error) {
        if (error instanceof StepSyntaxError) continue;
        throw error;
      }
      const report = await within(20_000, source, repl.run(source));
      if (report.output.head.length > 5_000) throw new Error(`too much output: ${source}`);
      await within(
        60_000,
        `sweep after ${source}`,
        repl.sandbox.sweep({ capBytes: 1e5, known: [] }),
      );
    }
    // Whatever the programs did, the REPL must still answer.
    const last = await within(20_000, "the last step", repl.run("FINAL(21 * 2)"));
    if (last.answer !== 42) throw new Error("FINAL was lost", { cause: last });
    return "";
  } catch (error) {
    const trace = done.map((source, i) => `// step ${i + 1}\n${source}`).join("\n");
    if (error instanceof SandboxDied) return `${error.reason}: ${error.message}\n${done.at(-1)}`;
    throw new Error(`after these steps:\n${trace}`, { cause: error });
  } finally {
    await within(10_000, "closing", repl[Symbol.asyncDispose]());
  }
}

let liars = 0;
let thinkers = 0;
const deaths: string[] = [];
while (performance.now() < end) {
  if (random.next() < 0.5) {
    await lie();
    liars++;
  } else {
    const death = await think();
    if (death) deaths.push(death);
    thinkers++;
  }
}
say(
  `${liars} lying processes, ${thinkers} sandboxes of random programs, ${deaths.length} of them ended`,
);
for (const death of deaths.slice(0, 10)) say(death);
