import { type Captured, readClosures } from "./closures.ts";
import type { ListeningEvaluator } from "./contexts.ts";
import { EnclosingNames } from "./enclosing.ts";
import { describeFunction } from "./functions.ts";
import { holdPristine, withPristine } from "./intrinsics.ts";
import { describe } from "./preview.ts";
import { restore, type RestoreOptions } from "./restore.ts";
import type {
  DroppedName,
  Loss,
  Payload,
  Restorable,
  RestoreReport,
  Snapshot,
  SweptFunction,
  SweptVariable,
} from "./snapshot.ts";
import { type Outcome, type SavedName, SweepPass } from "./sweep_pass.ts";

/** What a sweep may take and leave out. */
export interface SweepOptions {
  /** Most encoded UTF-8 bytes of one variable. @default 5_000_000 */
  readonly capBytes?: number;
  /** Whether the host has a payload already: then its text is not sent again. */
  readonly known: (payloadId: string) => boolean;
  /** Host names and built-in globals, never swept. */
  readonly skip: ReadonlySet<string>;
  /** Committed names and their notes; one that is in `skip` is saved as `saved_<name>`. */
  readonly commits: ReadonlyMap<string, string | undefined>;
  /** Names of built-ins that the agent has replaced, where the caller holds the built-ins whole. */
  readonly replaced?: readonly string[];
  /** Time after which the names that are left are dropped. @default 30_000 */
  readonly timeLimitMs?: number;
  /** Encoded bytes of all names after which the rest is dropped. @default 500_000_000 */
  readonly sizeLimitBytes?: number;
}

/** Takes a REPL's variables out and puts them back. */
export interface Memory {
  /** Takes note of the text of a step, before the next sweep; while the built-ins are whole. */
  ran(code: string): void;
  /** Encodes every global of the agent, or says by name why not. */
  sweep(options: SweepOptions): Promise<Snapshot>;
  /** Puts a snapshot's names back; the caller disables host calls around it. */
  restore(snapshot: Restorable, options?: RestoreOptions): Promise<RestoreReport>;
  /** Why a name cannot be saved now; undefined where it can. */
  check(name: string): string | undefined;
}

const DEFAULT_CAP = 5_000_000;
const DEFAULT_TIME = 30_000;
const DEFAULT_SIZE = 500_000_000;
/** Looks at the globals until the inspector has told of every function that they reach. */
const MAX_ROUNDS = 8;

const subtle = crypto.subtle;
const digest = subtle.digest.bind(subtle);
const encoder = new TextEncoder();
const now = performance.now.bind(performance);
const getOwn = Object.getOwnPropertyDescriptor;

interface Primitive {
  readonly value: unknown;
  readonly variable: Omit<SweptVariable, "name" | "committed" | "note">;
}

interface Look {
  readonly pass: SweepPass;
  readonly primitives: Map<string, SavedName | Primitive>;
  readonly dropped: DroppedName[];
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

async function identify(text: string): Promise<{ id: string; bytes: number }> {
  const data = encoder.encode(text);
  const hash = new Uint8Array(await digest("SHA-256", data));
  let id = "";
  for (const byte of hash) id += byte.toString(16).padStart(2, "0");
  return { id, bytes: data.length };
}

/** A memory over the globals of this realm. */
export function createMemory(evaluator: ListeningEvaluator, global: object): Memory {
  /** Immutable values are recognised by identity: by name, the last one and how it was saved. */
  let cache = new Map<string, Primitive>();
  /** What restored values had lost before: they are no more than that until they are assigned again. */
  const lacking = new WeakMap<object, { readonly name: string; readonly loss: readonly Loss[] }>();
  const enclosing = new EnclosingNames();
  /** Functions of the last sweep, asked about first in the next. */
  let functions = new Set<object>();

  const told = (name: string, value: unknown, loss: readonly Loss[]): readonly Loss[] => {
    const before = isObject(value) ? lacking.get(value) : undefined;
    if (before === undefined) return loss;
    const seen = new Set(loss.map(({ path, reason }) => `${path} ${reason}`));
    const moved = before.loss.map(({ path, reason }) => ({
      path: path.startsWith(before.name) ? name + path.slice(before.name.length) : path,
      reason,
    }));
    return [...loss, ...moved.filter(({ path, reason }) => !seen.has(`${path} ${reason}`))];
  };

  const hostValues = (skip: ReadonlySet<string>): Set<unknown> => {
    const values = new Set<unknown>();
    for (const name of skip) {
      const value = getOwn(global, name)?.value as unknown;
      if (isObject(value)) values.add(value);
    }
    return values;
  };

  const names = (options: SweepOptions): [from: string, name: string][] => {
    const list: [string, string][] = [];
    for (const name of Object.getOwnPropertyNames(global)) {
      if (!options.skip.has(name)) list.push([name, name]);
      else if (options.commits.has(name)) list.push([name, `saved_${name}`]);
    }
    // In order of name, so that the same variables give the same payloads whatever made them.
    return list.sort(([, a], [, b]) => a < b ? -1 : 1);
  };

  const look = (options: SweepOptions, captured: ReadonlyMap<object, Captured>): Look => {
    const capBytes = options.capBytes ?? DEFAULT_CAP;
    const host = hostValues(options.skip);
    for (const name of options.commits.keys()) {
      if (options.skip.has(name)) host.delete(getOwn(global, name)?.value);
    }
    const pass = new SweepPass({ capBytes, global, hostValues: host, captured, enclosing });
    const primitives = new Map<string, SavedName | Primitive>();
    const dropped: DroppedName[] = [];
    const end = now() + (options.timeLimitMs ?? DEFAULT_TIME);
    let size = 0;
    for (const [from, name] of names(options)) {
      const descriptor = getOwn(global, from) as PropertyDescriptor;
      if (!("value" in descriptor)) {
        dropped.push({ name, type: "accessor", reason: "is computed by a getter or setter" });
        continue;
      }
      const value = descriptor.value as unknown;
      const known = cache.get(name);
      if (known !== undefined && Object.is(known.value, value)) {
        if (options.known(known.variable.ref.payload)) {
          primitives.set(name, known);
          size += known.variable.bytes;
          continue;
        }
      }
      if (now() > end || size > (options.sizeLimitBytes ?? DEFAULT_SIZE)) {
        const reason = now() > end
          ? "the sweep ran out of time"
          : "the variables together are over the size limit";
        dropped.push({ name, type: typeof value, reason });
        continue;
      }
      pass.add(name, value);
      const outcome = pass.outcomes.at(-1) as Outcome;
      if (outcome.kind === "saved") size += outcome.entry.bytes;
    }
    return { pass, primitives, dropped };
  };

  const collect = async (options: SweepOptions): Promise<Look> => {
    let captured: ReadonlyMap<object, Captured> = new Map();
    if (functions.size > 0) captured = await readClosures(evaluator, functions);
    for (let round = 0;; round++) {
      const result = look(options, captured);
      const wanted = result.pass.wanted;
      if (wanted.size === 0 || round === MAX_ROUNDS) {
        functions = new Set(captured.keys());
        return result;
      }
      captured = await readClosures(evaluator, new Set([...captured.keys(), ...wanted]));
      functions = new Set(captured.keys());
      lastCaptured = captured;
    }
  };
  let lastCaptured: ReadonlyMap<object, Captured> = new Map();

  const sweep = async (options: SweepOptions): Promise<Snapshot> => {
    const { replaced } = options;
    const hold = replaced ? { replaced, release() {} } : holdPristine();
    try {
      const { pass, primitives, dropped } = await collect(options);
      const payloads: Payload[] = [];
      const ids = new Map<object, string>();
      const seen = new Set<string>();
      for (const group of pass.finish()) {
        const { id, bytes } = await identify(group.text as string);
        ids.set(group, id);
        if (seen.has(id)) continue;
        seen.add(id);
        payloads.push(
          options.known(id) ? { id, bytes } : { id, bytes, text: group.text as string },
        );
      }
      return assemble(options, pass, primitives, dropped, payloads, ids, hold.replaced);
    } finally {
      hold.release();
    }
  };

  const assemble = (
    options: SweepOptions,
    pass: SweepPass,
    primitives: Look["primitives"],
    dropped: DroppedName[],
    payloads: Payload[],
    ids: ReadonlyMap<object, string>,
    replaced: readonly string[],
  ): Snapshot => {
    const variables: SweptVariable[] = [];
    const functionList: { fn: object; entry: Omit<SweptFunction, "order"> }[] = [];
    const next = new Map<string, Primitive>();
    const noted = (name: string): { committed?: true; note?: string } => {
      const from = name.startsWith("saved_") && !options.commits.has(name) ? name.slice(6) : name;
      if (!options.commits.has(from)) return {};
      const note = options.commits.get(from);
      return note === undefined ? { committed: true } : { committed: true, note };
    };
    for (const [name, known] of primitives as Map<string, Primitive>) {
      next.set(name, known);
      variables.push({ name, ...known.variable, ...noted(name) });
      const { payload, bytes } = {
        payload: known.variable.ref.payload,
        bytes: known.variable.bytes,
      };
      if (!payloads.some(({ id }) => id === payload)) payloads.push({ id: payload, bytes });
    }
    for (const outcome of pass.outcomes) {
      const { name } = outcome;
      if (outcome.kind === "dropped") {
        const { type } = describe(outcome.value, 0);
        const { reason, bytes } = outcome;
        dropped.push({ name, type, reason, ...(bytes === undefined ? {} : { bytes }) });
        continue;
      }
      const { value, group, slot, bytes } = outcome.entry;
      const loss = told(name, value, outcome.entry.loss);
      const ref = { payload: ids.get(group) as string, slot };
      const common = { bytes, ref, ...(loss.length > 0 ? { loss } : {}) };
      const { type, preview } = describe(value);
      if (typeof value === "function") {
        const { kind, source } = describeFunction(value);
        const entry = { name, kind, source, preview, ...common, ...noted(name) };
        functionList.push({ fn: value, entry });
        continue;
      }
      const variable = { type, preview, ...common };
      if (typeof value !== "object" && typeof value !== "symbol") {
        const payload = payloads.find(({ id }) => id === ref.payload);
        const size = payload?.bytes ?? bytes;
        next.set(name, { value, variable: { ...variable, bytes: size } });
        variables.push({ name, ...variable, bytes: size, ...noted(name) });
      } else variables.push({ name, ...variable, ...noted(name) });
    }
    for (const name of replaced) {
      if (!dropped.some((entry) => entry.name === name)) {
        dropped.push({ name, type: "built-in", reason: "replaces a built-in, which is not saved" });
      }
    }
    cache = next;
    const byName = (a: { name: string }, b: { name: string }): number => a.name < b.name ? -1 : 1;
    variables.sort(byName);
    dropped.sort(byName);
    return { variables, functions: ordered(functionList), dropped, payloads };
  };

  const ordered = (
    list: { fn: object; entry: Omit<SweptFunction, "order"> }[],
  ): SweptFunction[] => {
    const at = (fn: object): readonly number[] => lastCaptured.get(fn)?.order ?? [0, 0, 0];
    const sorted = [...new Set(list.map(({ fn }) => fn))].sort((a, b) => {
      const [x, y] = [at(a), at(b)];
      return (x[0]! - y[0]!) || (x[1]! - y[1]!) || (x[2]! - y[2]!);
    });
    const order = new Map(sorted.map((fn, index) => [fn, index]));
    return list.map(({ fn, entry }) => ({ ...entry, order: order.get(fn) as number }));
  };

  const check = (name: string): string | undefined =>
    withPristine(() => {
      const descriptor = getOwn(global, name);
      if (descriptor === undefined) return "there is no variable of this name";
      if (!("value" in descriptor)) return "is computed by a getter or setter";
      const pass = new SweepPass({
        capBytes: DEFAULT_CAP,
        global,
        hostValues: new Set(),
        captured: lastCaptured,
        enclosing,
      });
      pass.add(name, descriptor.value);
      const outcome = pass.outcomes[0] as Outcome;
      return outcome.kind === "dropped" ? outcome.reason : undefined;
    });

  return {
    ran: (code) => enclosing.add(code),
    sweep,
    check,
    restore: async (snapshot, options = {}) => {
      const hold = holdPristine();
      try {
        const report = await restore(evaluator, global, snapshot, options);
        const degraded = new Set(report.degraded.map(({ name }) => name));
        for (const { name, loss } of [...snapshot.variables, ...snapshot.functions]) {
          if (!loss || !degraded.has(name)) continue;
          const value = getOwn(global, name)?.value as unknown;
          if (isObject(value)) lacking.set(value, { name, loss });
        }
        return report;
      } finally {
        hold.release();
      }
    },
  };
}
