import { sourceOf } from "./functions.ts";
import { type HeapContext, type ListeningEvaluator, readContexts } from "./contexts.ts";

/** A scope that closures hold, with the values its variables have now. */
export interface Scope {
  readonly values: ReadonlyMap<string, unknown>;
  readonly outer: Scope | undefined;
  /** Whether it may be the scope of another closure too, which could not be found out. */
  readonly unproven: boolean;
}

/** What the inspector tells of a function. */
export interface Captured {
  /** Script, line and column of the definition: functions sort by it in definition order. */
  readonly order: readonly [number, number, number];
  /** Innermost scope with captured variables; undefined where the function has globals only. */
  readonly scope: Scope | undefined;
  /** Whether the function was defined in a module, so by the host and not by the agent. */
  readonly host: boolean;
}

type Property = {
  name: string;
  value?: {
    objectId?: string;
    description?: string;
    value?: { scriptId: string; lineNumber: number; columnNumber: number };
  };
};

/** A function's captured variables, innermost scope first. */
interface Reading {
  readonly order: Captured["order"];
  readonly host: boolean;
  readonly scopes: Map<string, unknown>[];
}

/** Marks the scope a function was restored into, so that no snapshot is needed to tell it. */
const identities = new WeakMap<object, readonly object[]>();
/** Functions that capture nothing never need to be read again. */
const settled = new WeakMap<object, Captured>();

/** Names the scopes of a function, innermost first: functions share those that they both name. */
export function identifyScopes(fn: object, scopes: readonly object[]): void {
  identities.set(fn, scopes);
}

/** What is known of a function without asking the inspector. */
export function settledFunction(fn: object): Captured | undefined {
  return settled.get(fn);
}

/** What names of the code that a restore generates begin with. */
const RESERVED = "__fast_rlm";

function variable(variables: object, name: string): unknown {
  try {
    return Object.getOwnPropertyDescriptor(variables, name)?.value;
  } catch {
    // Declared and not initialised yet: nothing could have read it.
    return undefined;
  }
}

async function read(evaluator: ListeningEvaluator, fn: object): Promise<Reading> {
  const objectId = await evaluator.handle(fn);
  const ids = [objectId];
  try {
    const reply = await evaluator.post("Runtime.getProperties", { objectId, ownProperties: true });
    const internal = (reply["internalProperties"] ?? []) as Property[];
    const find = (name: string): Property["value"] => {
      for (const property of internal) if (property.name === name) return property.value;
      return undefined;
    };
    const location = find("[[FunctionLocation]]")?.value;
    const order: Captured["order"] = location === undefined
      ? [0, 0, 0]
      : [Number(location.scriptId), location.lineNumber, location.columnNumber];
    const scopesId = find("[[Scopes]]")?.objectId;
    const scopes: Map<string, unknown>[] = [];
    let host = false;
    if (scopesId !== undefined) {
      ids.push(scopesId);
      const list = await evaluator.post("Runtime.getProperties", {
        objectId: scopesId,
        ownProperties: true,
      });
      for (const { value } of list["result"] as Property[]) {
        if (value?.objectId === undefined) continue;
        ids.push(value.objectId);
        const type = value.description ?? "";
        if (/^Module\b/.test(type)) host = true;
        if (host || /^(?:Global|Script)\b/.test(type)) continue;
        // The live entry is a wrapper of V8's around the variables.
        const { object: variables } = await evaluator.value(value) as { object: object };
        const values = new Map<string, unknown>();
        for (const name of Object.keys(variables)) {
          // Code that calls eval holds every name around it, those of a restore's own code too.
          if (name.startsWith(RESERVED)) continue;
          values.set(name, variable(variables, name));
        }
        // A class holds its own name in a scope that its source makes again.
        if (scopes.length === 0 && isOwnName(fn, values)) continue;
        if (values.size > 0) scopes.push(values);
      }
    }
    return { order, host, scopes };
  } finally {
    for (const id of ids) await evaluator.post("Runtime.releaseObject", { objectId: id });
  }
}

function isOwnName(fn: object, values: ReadonlyMap<string, unknown>): boolean {
  const name = /^class\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(sourceOf(fn))?.[1];
  return name !== undefined && values.size === 1 && values.get(name) === fn;
}

function sameValues(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (!b.has(name) || !Object.is(value, b.get(name))) return false;
  return true;
}

/** Names in a context that the inspector does not show. */
const UNSHOWN = /^(?:this|arguments|\.|$)/;

/** Whether a context may be that of a scope; the heap shows no slot that holds a small number. */
function fits(scope: ReadonlyMap<string, unknown>, { names }: HeapContext): boolean {
  for (const [name, value] of scope) {
    if (!names.has(name) && typeof value !== "number") return false;
  }
  for (const name of names) if (!scope.has(name) && !UNSHOWN.test(name)) return false;
  return true;
}

/** Finds a reading's scopes among the contexts that the heap shows, by the names they hold. */
function align(scopes: readonly ReadonlyMap<string, unknown>[], chain: readonly HeapContext[]) {
  const found: HeapContext[] = [];
  let at = 0;
  for (const scope of scopes) {
    while (at < chain.length && !fits(scope, chain[at] as HeapContext)) at++;
    const context = chain[at++];
    if (context === undefined) return undefined;
    // What shows nothing of itself is told by its place alone.
    if (context.names.size === 0 && chain.length !== scopes.length) return undefined;
    found.push(context);
  }
  return found;
}

/** Reads what functions captured; scopes that they share come out as one object. */
export async function readClosures(
  evaluator: ListeningEvaluator,
  functions: Iterable<object>,
): Promise<Map<object, Captured>> {
  const result = new Map<object, Captured>();
  const readings = new Map<object, Reading>();
  for (const fn of functions) {
    const known = settled.get(fn);
    if (known !== undefined) {
      result.set(fn, known);
      continue;
    }
    const reading = await read(evaluator, fn);
    if (reading.scopes.length > 0 && !reading.host) readings.set(fn, reading);
    else {
      const captured = { order: reading.order, scope: undefined, host: reading.host };
      settled.set(fn, captured);
      result.set(fn, captured);
    }
  }
  const doubtful = doubts(readings);
  if (doubtful.size > 0) await settle(evaluator, readings, doubtful);

  const proven = new Map<object, Scope>();
  const guessed: { scope: Scope; script: number }[] = [];
  for (const [fn, { order, scopes }] of readings) {
    const names = identities.get(fn);
    let outer: Scope | undefined;
    for (let i = scopes.length - 1; i >= 0; i--) {
      const values = scopes[i] as Map<string, unknown>;
      const identity = names?.[i];
      const unproven = identity === undefined && doubtful.has(fn);
      let scope: Scope | undefined;
      if (identity !== undefined) scope = proven.get(identity);
      else if (unproven) {
        scope = guessed.find((other) =>
          other.script === order[0] && other.scope.outer === outer &&
          sameValues(other.scope.values, values)
        )?.scope;
      }
      if (scope === undefined) {
        scope = { values, outer, unproven };
        if (identity !== undefined) proven.set(identity, scope);
        else if (unproven) guessed.push({ scope, script: order[0] });
      }
      outer = scope;
    }
    result.set(fn, { order, scope: outer, host: false });
  }
  return result;
}

/** Functions that may share a scope with another, by what the scopes hold. */
function doubts(readings: ReadonlyMap<object, Reading>): Set<object> {
  const seen = new Map<string, { fn: object; values: Map<string, unknown> }[]>();
  const doubtful = new Set<object>();
  for (const [fn, { order, scopes }] of readings) {
    for (const values of scopes) {
      const key = `${order[0]}:${[...values.keys()].join()}`;
      const others = seen.get(key) ?? [];
      let alike = 0;
      for (const other of others) {
        if (other.fn === fn || !sameValues(other.values, values)) continue;
        alike++;
        if (identities.has(fn) && identities.has(other.fn)) continue;
        doubtful.add(fn).add(other.fn);
      }
      // Equal ones beyond the first two are found through these; all pairs would take too long.
      if (alike < 2) others.push({ fn, values });
      seen.set(key, others);
    }
  }
  return doubtful;
}

/** Looks the doubtful ones up in the heap; what a context is stays true for good. */
async function settle(
  evaluator: ListeningEvaluator,
  readings: ReadonlyMap<object, Reading>,
  doubtful: ReadonlySet<object>,
): Promise<void> {
  const contexts = await readContexts(evaluator, [...doubtful]);
  if (contexts === undefined) return;
  const tokens = new Map<number, object>();
  const aligned = new Map<object, HeapContext[]>();
  for (const fn of doubtful) {
    const found = align(readings.get(fn)?.scopes ?? [], contexts.get(fn) ?? []);
    if (found === undefined) continue;
    aligned.set(fn, found);
    identities.get(fn)?.forEach((token, i) => {
      const context = found[i];
      if (context !== undefined) tokens.set(context.id, token);
    });
  }
  for (const [fn, found] of aligned) {
    if (identities.has(fn)) continue;
    identities.set(
      fn,
      found.map(({ id }) => {
        const token = tokens.get(id) ?? {};
        tokens.set(id, token);
        return token;
      }),
    );
  }
}
