/** Sessions for tests: a clock that never waits, sweeps made by hand, a private directory. */
import type { Clock } from "../../lib/clock.ts";
import { denoFileSystem, type FileSystem } from "../../lib/file_system.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { SessionStore, type StepResult } from "../../lib/session_store.ts";
import { payloadId } from "../../lib/session_values.ts";
import type { Payload, Snapshot, SweptFunction, SweptVariable } from "../../repl/snapshot.ts";

/** A clock at 2026-01-02 that passes a second with each reading and sleeps in no time. */
export function instantClock(): Clock & { readonly slept: number[] } {
  let time = Date.UTC(2026, 0, 2);
  const slept: number[] = [];
  return {
    slept,
    now: () => time += 1_000,
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
      return Promise.resolve();
    },
  };
}

/** A variable as a sweep tells it, its devalue text, and what else the test wants to set. */
export type VariableGiven = string | Partial<SweptVariable> & { readonly text: string };

/** A complete sweep. Each variable has a payload of its own. */
export async function sweepOf(
  variables: Readonly<Record<string, VariableGiven>>,
  rest: {
    readonly functions?: Readonly<Record<string, string>>;
    readonly dropped?: Readonly<Record<string, string>>;
  } = {},
): Promise<Snapshot> {
  const payloads = new Map<string, Payload>();
  const ref = async (text: string) => {
    const bytes = new TextEncoder().encode(text);
    const id = await payloadId(bytes);
    payloads.set(id, { id, bytes: bytes.length, text });
    return { payload: id, slot: 0 };
  };
  const swept: SweptVariable[] = [];
  for (const [name, given] of Object.entries(variables)) {
    const { text, ...more } = typeof given === "string" ? { text: given } : given;
    const preview = text.slice(0, 100);
    const type = `string(${text.length})`;
    swept.push({ name, type, preview, bytes: text.length, ref: await ref(text), ...more });
  }
  const functions: SweptFunction[] = [];
  for (const [name, source] of Object.entries(rest.functions ?? {})) {
    const kind = source.startsWith("class") ? "class" : "function";
    const preview = source.split("\n")[0] ?? "";
    const order = functions.length;
    functions.push({
      name,
      kind,
      source,
      preview,
      bytes: source.length,
      order,
      ref: await ref("[{}]"),
    });
  }
  const dropped = Object.entries(rest.dropped ?? {}).map(([name, reason]) => ({
    name,
    type: "Promise",
    reason,
  }));
  return { variables: swept, functions, dropped, payloads: [...payloads.values()] };
}

/** A text of this many bytes that differs by `seed`. */
export function textOf(bytes: number, seed: string): string {
  return `["${seed.padEnd(bytes - 4, ".")}"]`;
}

/** A step with what the test does not set filled in. */
export function stepOf(step: number, given: Partial<StepResult> = {}): StepResult {
  return {
    step,
    code: `const step${step} = ${step};`,
    assigned: [],
    comments: {},
    usage: noUsage,
    ...given,
  };
}

/** Runs the test with a private directory that is removed afterwards. */
export async function withDir(test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Opens a session as a query does. */
export function openStore(dir: string, fs: FileSystem = denoFileSystem): Promise<SessionStore> {
  return SessionStore.open(dir, { query: "test", clock: instantClock(), fs });
}

/** A session whose queries were one step each, every one setting the variables given for it. */
export async function sessionOf(
  dir: string,
  queries: readonly Readonly<Record<string, VariableGiven>>[],
): Promise<void> {
  for (const [index, variables] of queries.entries()) {
    await using store = await openStore(dir);
    const number = await store.beginQuery(`question ${index + 1}`);
    const snapshot = await sweepOf(variables);
    const assigned = Object.keys(variables);
    await store.saveStep(stepOf(1, { snapshot, assigned, code: `set(${number})` }));
    await store.endQuery({
      status: "answered",
      final: `answer ${number}`,
      steps: 1,
      usage: noUsage,
    });
  }
}

/** Every file below the directory with its bytes, but the lock. */
export async function contentOf(dir: string, prefix = ""): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for await (const entry of Deno.readDir(`${dir}/${prefix}`)) {
    const name = prefix + entry.name;
    if (name === "session.lock") continue;
    if (entry.isDirectory) {
      for (const [key, value] of await contentOf(dir, `${name}/`)) content.set(key, value);
    } else content.set(name, (await Deno.readFile(`${dir}/${name}`)).toHex());
  }
  return content;
}
