/**
 * Entry of a sandbox process: starts the restricted worker, drops its own permissions, and relays
 * between the pipe and the worker. It is the watchdog too: of active time, which the worker cannot
 * stop once it has passed an await, and of memory, which V8's heap limit counts in part only.
 */
import {
  encodeHead,
  type Header,
  ProtocolError,
  readFrames,
  SANDBOX_EXIT,
  SECRET_BYTES,
  SECRETS_BYTES,
  type Source,
} from "./protocol.ts";

const TICK_MS = 50;
/** How often the host hears that the relay lives. */
const BEAT_MS = 1_000;
/** Ticks between two questions to the worker whether it is busy; each is garbage in its heap. */
const PING_TICKS = 4;
/** Longest time in which a worker may set up, save or restore. */
const STATE_LIMIT_MS = 110_000;
/** How long interrupted code may take to come to an end. */
const GRACE_MS = 1_500;

type Permission = Deno.PermissionDescriptor["name"] | "import";
const PERMISSIONS: readonly Permission[] = [
  "net",
  "env",
  "write",
  "run",
  "ffi",
  "sys",
  "read",
  "import",
];

function revoke(names: readonly Permission[]): void {
  for (const name of names) {
    Deno.permissions.revokeSync({ name } as unknown as Deno.PermissionDescriptor);
  }
}

/** The folder of the modules; none where they come out of the cache. */
const modules = new URL(".", import.meta.url);

/** What is needed no longer than until the worker has started. */
const UNTIL_READY: readonly Permission[] = modules.protocol === "file:"
  ? ["sys", "read"]
  : ["sys", "import"];

/** Refuses to go on with more than it should have: there is no unrestricted fallback. */
export function drop(names: readonly Permission[]): void {
  revoke(names);
  for (const name of names) {
    const { state } = Deno.permissions.querySync({ name } as unknown as Deno.PermissionDescriptor);
    if (state === "granted") {
      throw new Error(`Cannot start the sandbox: permission ${name} cannot be dropped`);
    }
  }
}

/**
 * Starts the worker with what it needs to boot: it reads the engine's modules and connects to its own
 * inspector, and drops both before it runs agent code.
 *
 * @param entry its module; tests put another one in the place of the engine's
 */
export function startWorker(
  entry: URL = new URL("./worker.ts", import.meta.url),
): { worker: Worker; port: MessagePort } {
  const worker = new Worker(entry.href, {
    type: "module",
    name: "repl",
    deno: {
      permissions: {
        env: false,
        ffi: false,
        import: false,
        net: false,
        read: modules.protocol === "file:" ? [modules] : false,
        run: false,
        sys: ["inspector"],
        write: false,
      },
    },
  } as WorkerOptions);
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return { worker, port: port1 };
}

/** Active time of the step under way: time in which neither the host nor a tool is waited for. */
class StepWatch {
  #limit = Infinity;
  #active = 0;
  #last = 0;
  #pinged = false;
  #sincePing = 0;
  #abandonedAt: number | undefined;
  #id: unknown;
  waiting = 0;

  constructor(private readonly send: (kind: "ping" | "abandon") => void) {}

  start(id: unknown, limitMs: number): void {
    this.#id = id;
    this.#limit = limitMs;
    this.#active = 0;
    this.#last = performance.now();
    this.#abandonedAt = undefined;
  }

  /** The step's active milliseconds, when `id` is the step under way. */
  stop(id: unknown): number | undefined {
    if (this.#id === undefined || id !== this.#id) return undefined;
    this.tick();
    this.#id = undefined;
    return Math.round(this.#active);
  }

  /** Leaves out time in which the host was waited for without a look at the clock. */
  skip(ms: number): void {
    this.#last += ms;
  }

  answered(): void {
    this.#pinged = false;
  }

  tick(): void {
    if (this.#id === undefined) return;
    const now = performance.now();
    if (this.#pinged || this.waiting === 0) this.#active += now - this.#last;
    this.#last = now;
    if (this.waiting > 0 && !this.#pinged && ++this.#sincePing >= PING_TICKS) {
      this.#sincePing = 0;
      this.#pinged = true;
      this.send("ping");
    }
    if (this.#active <= this.#limit) return;
    if (this.#abandonedAt === undefined) {
      this.#abandonedAt = now;
      this.send("abandon");
    } else if (now - this.#abandonedAt > GRACE_MS) Deno.exit(SANDBOX_EXIT.timeout);
  }
}

/**
 * A terminal sends its signals to the whole group. The host decides what they mean, and may want one
 * more sweep: this process ends when the host closes its pipe.
 */
function ignoreSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    try {
      Deno.addSignalListener(signal, () => {});
    } catch {
      // Not every system has every signal.
    }
  }
}

/** Runs the process until its standard input ends. */
export async function serve(): Promise<void> {
  ignoreSignals();
  // A compiled binary comes with everything allowed: before the worker exists, all that its start
  // does not need is gone.
  drop(PERMISSIONS.filter((name) => !UNTIL_READY.includes(name)));
  const { worker, port } = startWorker();
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    Deno.exit(SANDBOX_EXIT.workerGone);
  });
  const secrets = new Uint8Array(SECRETS_BYTES);
  for (let at = 0; at < SECRETS_BYTES;) {
    const read = await Deno.stdin.read(secrets.subarray(at));
    if (read === null) Deno.exit(SANDBOX_EXIT.protocol);
    at += read;
  }
  const secret = secrets.slice(0, SECRET_BYTES);
  const hostSecret = secrets.slice(SECRET_BYTES);

  let writing: Promise<void> = Promise.resolve();
  let waiting = 0;
  const write = (header: Header, body: Uint8Array) => {
    const head = encodeHead(secret, header, body.length);
    // What a pipe takes at once needs no other thread to wait for it.
    if (waiting === 0 && head.length + body.length <= AT_ONCE) {
      const start = performance.now();
      writeNow(head);
      writeNow(body);
      watch.skip(performance.now() - start);
      return;
    }
    waiting++;
    writing = writing.then(async () => {
      await writeAll(head);
      await writeAll(body);
      waiting--;
    });
  };
  const toWorker = (header: Header, body?: Uint8Array<ArrayBuffer>) =>
    port.postMessage([JSON.stringify(header), body], body ? [body.buffer] : []);
  const watch = new StepWatch((kind) => toWorker({ kind }));

  /** The sweep that the worker goes on to when the step under way has ended. */
  let sweepAfter: unknown;
  const ready = Promise.withResolvers<void>();
  port.onmessage = ({ data }: MessageEvent<[string, Uint8Array | undefined]>) => {
    const header = JSON.parse(data[0]) as Header;
    if (header.kind === "pong") return watch.answered();
    if (header.kind === "ready") return ready.resolve();
    if (header.kind !== "call" && header.kind !== "result") Deno.exit(SANDBOX_EXIT.protocol);
    if (header.kind === "call") watch.waiting++;
    const activeMs = watch.stop(header["id"]);
    if (activeMs !== undefined && sweepAfter !== undefined) {
      watch.start(sweepAfter, STATE_LIMIT_MS);
      sweepAfter = undefined;
    }
    write(activeMs === undefined ? header : { ...header, activeMs }, data[1] ?? NOTHING);
  };
  // Before the wait: the first timer of a process takes 4 ms, which are free while the worker starts.
  let memoryLimit = Infinity;
  setInterval(() => {
    watch.tick();
    if (Deno.memoryUsage().rss > memoryLimit) Deno.exit(SANDBOX_EXIT.memory);
  }, TICK_MS);
  await ready.promise;
  drop(PERMISSIONS);
  write({ kind: "ready" }, NOTHING);
  setInterval(() => write({ kind: "beat" }, NOTHING), BEAT_MS);

  try {
    for await (const { header, body } of readFrames(standardInput(), hostSecret)) {
      if (header.kind === "init") memoryLimit = Number(header["memoryLimitMb"]) * 1024 * 1024;
      if (header["id"] !== undefined) {
        watch.start(header["id"], Number(header["timeoutMs"] ?? STATE_LIMIT_MS));
        sweepAfter = (header["sweep"] as { id: unknown } | undefined)?.id;
      }
      if (header.kind === "reply") watch.waiting--;
      toWorker(header, body);
    }
  } catch (error) {
    Deno.exit(error instanceof ProtocolError ? SANDBOX_EXIT.protocol : SANDBOX_EXIT.workerGone);
  }
  Deno.exit(0);
}

/** Bytes that are taken off the pipe at once: what it holds. */
const CHUNK = 64 * 1024;
/** Bytes of a frame that is written without waiting for another thread. */
const AT_ONCE = 4 * 1024;
const NOTHING = new Uint8Array(0);

/** The pipe from the host, without the streams around it. */
function standardInput(): Source {
  const buffer = new Uint8Array(CHUNK);
  return async () => {
    const read = await Deno.stdin.read(buffer);
    return read === null ? undefined : buffer.subarray(0, read);
  };
}

function writeNow(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += Deno.stdout.writeSync(bytes.subarray(at));
    } catch {
      Deno.exit(0);
    }
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += await Deno.stdout.write(bytes.subarray(at));
    } catch {
      Deno.exit(0);
    }
  }
}

if (import.meta.main) await serve();
