/**
 * Entry of the worker that agent code runs in. Connects the evaluator, drops the last permission,
 * locks the global down, and then serves the host one message at a time.
 */
import { decodeBody } from "./body.ts";
import { createBridge, type IncomingReply } from "./bridge.ts";
import { createCapture, createConsole, createInspect } from "./console.ts";
import { describeContext } from "./describe.ts";
import { connectEvaluator } from "./evaluate.ts";
import { captureIntrinsics, holdPristine, withPristine } from "./intrinsics.ts";
import { lockdown } from "./lockdown.ts";
import { createNames, REPL_NAMES } from "./repl_names.ts";
import type { Form, Header, ReplSetup, RestoreHeader } from "./protocol.ts";
import { applyChange, type KnownChange } from "./known.ts";
import { createMemory } from "./sweep.ts";
import type { Restorable, Snapshot } from "./snapshot.ts";
import { createStepRunner, type StepCommand, type StepRunner } from "./step.ts";
import { createTimers } from "./timers.ts";

type Reply = { header: Record<string, unknown>; body?: Uint8Array<ArrayBuffer> | undefined };
/** Handles a request; `replaced` names the built-ins in whose place the agent has something else. */
type Handler = (
  header: Header,
  body: Uint8Array<ArrayBuffer>,
  replaced: readonly string[],
) => Reply | Promise<Reply>;

const DEFINITION_TIMEOUT_MS = 5_000;
const PONG = ['{"kind":"pong"}'];
/** Bytes of a restore up to which its text may be there twice. */
const SMALL_BODY = 4 * 1024 * 1024;
const NO_TRANSFER: Transferable[] = [];
const NOTHING = new Uint8Array(0);

async function boot(port: MessagePort): Promise<void> {
  const global = globalThis as unknown as Record<PropertyKey, unknown>;
  const parse = JSON.parse;
  const stringify = JSON.stringify;
  const post = MessagePort.prototype.postMessage.bind(port) as (
    message: unknown,
    transfer: Transferable[],
  ) => void;
  /** Sends while the built-ins are whole. */
  const put = (header: Record<string, unknown>, body?: Uint8Array<ArrayBuffer>) =>
    post([stringify(header), body], body ? [body.buffer] : []);
  const send = (header: Record<string, unknown>, body?: Uint8Array<ArrayBuffer>) =>
    withPristine(() => put(header, body));

  const evaluator = await connectEvaluator();
  // Everything is loaded: neither the evaluator's permission nor the engine's folder is needed again.
  for (const name of ["sys", "read"] as const) Deno.permissions.revokeSync({ name });
  const inspect = createInspect();
  const timers = createTimers();
  const memory = createMemory(evaluator, global);
  const bridge = createBridge(({ body, ...header }) => send({ kind: "call", ...header }, body));
  const encodeText = TextEncoder.prototype.encode.bind(new TextEncoder());
  const decodeText = TextDecoder.prototype.decode.bind(
    new TextDecoder("utf-8", { ignoreBOM: true }),
  );
  let runner: StepRunner | undefined;
  const baseline = lockdown(global, (failure) => runner?.late(failure));
  Object.assign(global, timers.globals);
  captureIntrinsics();
  const original = new Map<PropertyKey, unknown>();
  for (const name of baseline) original.set(name, global[name]);

  /** Built-ins that agent code has replaced by something of its own are its variables. */
  const skipped = (): Set<string> => {
    const skip = new Set(REPL_NAMES);
    for (const [name, value] of original) {
      if (Object.is(global[name], value)) skip.add(name as string);
    }
    return skip;
  };

  /** Payloads that the host has. */
  const known = new Set<string>();
  let commits: ReadonlyMap<string, string | undefined> = new Map();

  const handlers: Record<string, Handler> = {
    async init(header, body) {
      const setup = header["setup"] as ReplSetup;
      const context = decodeBody({ form: header["form"] as Form, bytes: body });
      const description = describeContext(context);
      const capture = createCapture(setup.maxOutput);
      const console = createConsole(capture.write, inspect);
      const names = createNames({
        global,
        bridge,
        setup,
        context,
        console,
        print: console["log"]!,
      });
      names.restore();
      for (const [name, source] of Object.entries(setup.functions ?? {})) {
        const value = await evaluator.evaluate(`(${source}\n)`, DEFINITION_TIMEOUT_MS);
        Object.defineProperty(global, name, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      commits = names.commits;
      runner = createStepRunner({
        global,
        evaluator,
        bridge,
        names,
        timers,
        capture,
        inspect,
        check: memory.check,
        ran: memory.ran,
      });
      return { header: { description } };
    },
    async restore(header, body) {
      bridge.disabled = true;
      try {
        const snapshot = unpackRestore(header["snapshot"] as RestoreHeader, body, decodeText);
        const { failed } = await memory.restore(snapshot, {
          timeoutMs: DEFINITION_TIMEOUT_MS,
          reserved: new Set(REPL_NAMES),
        });
        return { header: { failed } };
      } finally {
        bridge.disabled = false;
      }
    },
    async sweep(header, _, replaced) {
      applyChange(known, header as unknown as KnownChange);
      const snapshot = await memory.sweep({
        capBytes: header["capBytes"] as number,
        known: (id) => known.has(id),
        skip: skipped(),
        commits,
        replaced,
      });
      return packSnapshot(snapshot, encodeText);
    },
  };

  const evaluate = (id: unknown, header: Header): Promise<void> => {
    if (!runner) throw new Error("the REPL is not set up");
    return runner.run(header as unknown as StepCommand, async ({ report, final }, replaced) => {
      put({ kind: "result", id, report }, final?.bytes);
      const sweep = header["sweep"] as Header | undefined;
      if (sweep) await answer(sweep["id"], () => handlers["sweep"]!(sweep, NOTHING, replaced));
    });
  };

  /** Sends what comes of a request; the built-ins are whole. */
  const answer = async (id: unknown, work: () => Reply | Promise<Reply>): Promise<void> => {
    try {
      const reply = await work();
      put({ kind: "result", id, ...reply.header }, reply.body);
    } catch (error) {
      put({ kind: "result", id, failure: failureOf(error) });
    }
  };

  /** Everything but a step is handled, and answered, while the built-ins are as they were at the start. */
  const handle = async (
    id: unknown,
    header: Header,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<void> => {
    const handler = handlers[header.kind];
    if (!handler) throw new Error(`unknown request ${header.kind}`);
    const hold = holdPristine();
    try {
      await answer(id, () => handler(header, body, hold.replaced));
    } finally {
      hold.release();
    }
  };

  const receive = async (header: Header, body: Uint8Array<ArrayBuffer>): Promise<void> => {
    if (header.kind === "ping") return post(PONG, NO_TRANSFER);
    if (header.kind === "abandon") return runner?.abandon();
    if (header.kind === "reply") {
      const { call, ...rest } = header as unknown as { call: number } & IncomingReply;
      // The port waits for its next message before the code that waits for this one goes on, and
      // finds the built-ins that it needs when that comes.
      await timers.turn();
      bridge.deliver(call, { ...rest, body } as IncomingReply);
      await timers.turn();
      return runner?.mend();
    }
    const id = header["id"];
    try {
      await (header.kind === "eval" ? evaluate(id, header) : handle(id, header, body));
    } catch (error) {
      send({ kind: "result", id, failure: failureOf(error) });
    }
  };
  port.onmessage = ({ data }: MessageEvent<[string, Uint8Array<ArrayBuffer>]>) =>
    void receive(parse(data[0]) as Header, data[1]);
  send({ kind: "ready" });
}

function failureOf(error: unknown): string {
  try {
    return `${(error as Error)?.message ?? error}`;
  } catch {
    return "an error that cannot be read";
  }
}

function packSnapshot(
  snapshot: Snapshot,
  encode: (text: string) => Uint8Array,
): Reply {
  const parts: Uint8Array[] = [];
  let total = 0;
  const payloads = snapshot.payloads.map(({ text, ...payload }) => {
    const bytes = text === undefined ? undefined : encode(text);
    if (bytes) {
      parts.push(bytes);
      total += bytes.length;
    }
    return { ...payload, sent: bytes?.length ?? 0 };
  });
  const body = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return { header: { snapshot: { ...snapshot, payloads } }, body };
}

function unpackRestore(
  { variables, functions, sent }: RestoreHeader,
  body: Uint8Array,
  decode: (bytes: Uint8Array) => string,
): Restorable {
  // Many small texts are decoded at once, where a character is a byte.
  const all = body.length <= SMALL_BODY ? decode(body) : "";
  const isAscii = all.length === body.length;
  let at = 0;
  const payloads = sent.map((bytes, place) => {
    const from = at;
    at += bytes;
    return {
      id: `${place}`,
      get text() {
        const to = from + bytes;
        return isAscii ? all.slice(from, to) : decode(body.subarray(from, to));
      },
    };
  });
  return { variables, functions, payloads };
}

self.addEventListener(
  "message",
  (event) => void boot((event as MessageEvent<MessagePort>).data),
  { once: true },
);
