/**
 * Restores the session in a directory into a ready sandbox, and reads the same texts with devalue
 * alone; prints the milliseconds of each.
 */
import { parse } from "devalue";
import { systemClock } from "../../../lib/clock.ts";
import { SessionStore } from "../../../lib/session_store.ts";
import { encodeBody } from "../../../repl/body.ts";
import { Sandbox } from "../../../repl/host.ts";

const dir = Deno.args[0] ?? "";
await using store = await SessionStore.open(dir, { query: "bench", clock: systemClock });
await using sandbox = new Sandbox({ memoryLimitMb: 2_048 });
const setup = { recursive: false, env: {}, maxOutput: 4_000 };
await sandbox.init(setup, encodeBody(""), () => Promise.reject(new Error("no calls")));

const started = performance.now();
const snapshot = await store.snapshot();
const read = performance.now();
const report = await sandbox.restore(snapshot);
const restored = performance.now();
if (report.failed.length > 0) throw new Error(`not restored: ${report.failed[0]?.reason}`);

const values: unknown[] = [];
const before = performance.now();
for (const { text } of snapshot.payloads) values.push(parse(text ?? ""));
const parsed = performance.now();
const result = { parse: parsed - before, restore: restored - started, read: read - started };
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(result)));
