/** The process of `fake_sandbox.ts`: no import, so that it starts in no time. */
const secrets = new Uint8Array(32);
for (let at = 0; at < 32;) at += (await Deno.stdin.read(secrets.subarray(at))) ?? 32;

/** What a script works with. */
const io = {
  secret: secrets.subarray(0, 16),
  hostSecret: secrets.subarray(16),
  /** Raw bytes. */
  async raw(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  },
  /** A frame; lengths and secret may lie. */
  frame(
    header: unknown,
    body: Uint8Array = new Uint8Array(0),
    lies: { secret?: Uint8Array; headerBytes?: number; bodyBytes?: number } = {},
  ): Uint8Array {
    const json = typeof header === "string"
      ? new TextEncoder().encode(header)
      : new TextEncoder().encode(JSON.stringify(header));
    const out = new Uint8Array(24 + json.length + body.length);
    out.set(lies.secret ?? io.secret);
    const view = new DataView(out.buffer);
    view.setUint32(16, lies.headerBytes ?? json.length);
    view.setUint32(20, lies.bodyBytes ?? body.length);
    out.set(json, 24);
    out.set(body, 24 + json.length);
    return out;
  },
  send: (header: unknown, body?: Uint8Array): Promise<void> => io.raw(io.frame(header, body)),
  /** The next frame of the host: its header. */
  async next(): Promise<Record<string, unknown>> {
    const prefix = await io.take(24);
    const view = new DataView(prefix.buffer);
    const header = await io.take(view.getUint32(16));
    await io.take(view.getUint32(20));
    return JSON.parse(new TextDecoder().decode(header));
  },
  async take(n: number): Promise<Uint8Array<ArrayBuffer>> {
    const out = new Uint8Array(n);
    for (let at = 0; at < n;) {
      const read = await Deno.stdin.read(out.subarray(at));
      if (read === null) Deno.exit(0);
      at += read;
    }
    return out;
  },
  /** Ready, and the answer to `init`. */
  async start(): Promise<void> {
    await io.send({ kind: "ready" });
    const { id } = await io.next();
    await io.send({ kind: "result", id, description: { type: "string", size: 1, lines: [] } });
  },
  /** A report without anything in it. */
  report: { output: { head: "", tail: "", chars: 0, lines: 0 }, notices: [] },
  /** Never ends. */
  forever: (): Promise<never> => new Promise(() => setInterval(() => {}, 1_000)),
};

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => (
  tools: typeof io,
) => Promise<void>;
await new AsyncFunction("io", Deno.args[0]!)(io);
