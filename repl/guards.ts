/**
 * Guards over the built-ins of the worker's realm, set once by the lockdown. From then on no way to an
 * evaluator loads a module, and no accessor, proxy or frozen state can be put on a built-in prototype
 * or on the global: engine code that meets a patched built-in meets plain data that can be put back.
 */

/** Why code that would load a module is refused. */
export const NO_IMPORT =
  "modules cannot be imported in this REPL: use the JavaScript built-ins, context and the REPL's own functions";

/** `import` as a word of its own is the only way to write the keyword; escapes are not allowed. */
const IMPORT_WORD = /(?:^|[^\p{ID_Continue}$])import(?![\p{ID_Continue}$])/u;

type AnyFunction = (...args: unknown[]) => unknown;
type Table = Record<PropertyKey, unknown>;

const { apply, construct, ownKeys, preventExtensions, defineProperty: tryDefine } = Reflect;
const {
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getPrototypeOf,
  setPrototypeOf,
} = Object;
const { call } = Function.prototype;
const NativeTypeError = TypeError;
const NativeProxy = Proxy;
const NativeString = String;
const exec = call.bind(RegExp.prototype.exec) as (pattern: RegExp, text: string) => unknown;
const global = globalThis as unknown as Table;

/** Throws where a text that is to be evaluated would load a module. */
export function refuseImport(text: string): void {
  if (exec(IMPORT_WORD, text) !== null) throw new NativeTypeError(NO_IMPORT);
}

/** Fixes a property so that agent code can neither replace nor delete it. */
export function fix(target: object, key: PropertyKey, value: unknown): void {
  defineProperty(target, key, {
    __proto__: null,
    value,
    writable: false,
    enumerable: false,
    configurable: false,
  } as PropertyDescriptor);
}

/** Puts a guarded function in the place of a native one, with its name and length. */
function replace(target: object, key: string, guarded: AnyFunction): void {
  const before = getOwnPropertyDescriptor(target, key)!;
  const native = before.value as AnyFunction;
  defineProperty(guarded, "name", { value: native.name });
  defineProperty(guarded, "length", { value: native.length });
  defineProperty(target, key, { ...before, value: guarded });
}

/** Replaces the four function constructors by ones that check their text. */
function guardConstructors(): void {
  const samples = [
    () => {},
    async () => {},
    function* () {},
    async function* () {},
  ];
  let base: object | undefined;
  for (const sample of samples) {
    const prototype = getPrototypeOf(sample) as { constructor: AnyFunction };
    const native = prototype.constructor;
    const guarded = function (this: unknown, ...args: unknown[]): unknown {
      const texts: string[] = [];
      for (let i = 0; i < args.length; i++) {
        const text = `${args[i]}`;
        // Comments cannot join the pieces into a new keyword: each piece is tokenised whole.
        refuseImport(text);
        put(texts, i, text);
      }
      return new.target === undefined
        ? construct(native, texts)
        : construct(native, texts, new.target as unknown as AnyFunction);
    };
    defineProperty(guarded, "name", { value: native.name });
    defineProperty(guarded, "length", { value: 1 });
    fix(guarded, "prototype", prototype);
    fix(prototype, "constructor", guarded);
    if (base) setPrototypeOf(guarded, base);
    else {
      base = guarded;
      put(global, "Function", guarded, false);
    }
  }
}

/** An own data property, whatever the prototypes say. */
function put(target: object, key: PropertyKey, value: unknown, enumerable = true): void {
  defineProperty(target, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable,
    configurable: true,
  } as PropertyDescriptor);
}

function guardEval(): void {
  const native = global["eval"] as (text: unknown) => unknown;
  const guarded = (text: unknown): unknown => {
    if (typeof text !== "string") return text;
    refuseImport(text);
    return native(text);
  };
  defineProperty(guarded, "name", { value: "eval" });
  put(global, "eval", guarded, false);
}

const LANGUAGE =
  ("Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error " +
    "AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError " +
    "SuppressedError ArrayBuffer SharedArrayBuffer DataView Map Set WeakMap WeakSet WeakRef " +
    "FinalizationRegistry Iterator DisposableStack AsyncDisposableStack Uint8Array Int8Array " +
    "Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array " +
    "Uint8ClampedArray Float16Array Float32Array Float64Array").split(" ");

/** Prototypes of the language, the hidden ones included. */
function languagePrototypes(): object[] {
  const found: object[] = [];
  const add = (value: unknown) => {
    for (
      let at = value as object | null;
      typeof at === "object" && at !== null;
      at = getPrototypeOf(at) as object | null
    ) found.push(at);
  };
  for (const name of LANGUAGE) add((global[name] as { prototype?: object } | undefined)?.prototype);
  found.push(Function.prototype);
  const generator = (function* (): Generator {})();
  const asyncGenerator = (async function* (): AsyncGenerator {})();
  for (
    const sample of [
      [][Symbol.iterator](),
      new Map()[Symbol.iterator](),
      new Set()[Symbol.iterator](),
      ""[Symbol.iterator](),
      "".matchAll(/x/g),
      generator,
      asyncGenerator,
      [].values().map((x) => x),
      Iterator.from({ next: () => ({ done: true as const, value: undefined }) }),
    ]
  ) add(getPrototypeOf(sample));
  for (const sample of [async () => {}, function* () {}, async function* () {}]) {
    found.push(getPrototypeOf(sample) as object);
  }
  for (const space of ["Intl", "Temporal"]) {
    for (const name of getOwnPropertyNames(global[space] as object)) {
      add((global[space] as Table)[name] as object | undefined);
      add(((global[space] as Table)[name] as { prototype?: object } | undefined)?.prototype);
    }
  }
  return found;
}

const FIELDS = ["value", "get", "set", "writable", "enumerable", "configurable"];
const INDEX = /^(?:0|[1-9]\d*)$/;
/** What promises and JSON ask every value for. */
const ASKED = /^(?:then|toJSON)$/;

/** Guards what can change a built-in into something that cannot be put back, or that listens. */
function guardShapes(): void {
  const protect = new WeakSet<object>(languagePrototypes());
  const has = call.bind(WeakSet.prototype.has, protect) as (value: unknown) => boolean;
  const isObject = (value: unknown) =>
    (typeof value === "object" && value !== null) || typeof value === "function";
  const guarded = (value: unknown) => value === globalThis || (isObject(value) && has(value));
  const refuse = (what: string): never => {
    throw new NativeTypeError(`${what} is not possible in this REPL: use an object of your own`);
  };

  /** The descriptor, read once. Objects that are no descriptors are left to the native function. */
  const softened = (target: object, key: PropertyKey, given: unknown): unknown => {
    if (!isObject(given)) return given;
    const from = given as Table;
    const own: Table = { __proto__: null } as unknown as Table;
    for (let i = 0; i < FIELDS.length; i++) {
      const field = FIELDS[i]!;
      if (field in from) own[field] = from[field];
    }
    own["configurable"] = true;
    if (target === globalThis) return own;
    if ("get" in own || "set" in own) {
      if (
        typeof key === "symbol" || getOwnPropertyDescriptor(target, key) !== undefined ||
        exec(INDEX, key as string) !== null || exec(ASKED, key as string) !== null
      ) refuse(`a getter or setter for ${NativeString(key)} of a built-in`);
    } else own["writable"] = true;
    return own;
  };
  const keyOf = (key: unknown): PropertyKey => typeof key === "symbol" ? key : `${key}`;
  const define = (native: AnyFunction, args: unknown[]): unknown => {
    const [target, key, descriptor] = args;
    if (!guarded(target)) return apply(native, undefined, args);
    const name = keyOf(key);
    const before = getOwnPropertyDescriptor(target as object, name);
    // What is fixed stays fixed: the native function says so.
    if (before?.configurable === false) return apply(native, undefined, args);
    return apply(native, undefined, [target, name, softened(target as object, name, descriptor)]);
  };
  // Arguments are handed on as they came, so that errors are the native ones.
  replace(Object, "defineProperty", function (...args) {
    return define(defineProperty as AnyFunction, args);
  });
  replace(Reflect, "defineProperty", function (...args) {
    return define(tryDefine as AnyFunction, args);
  });
  const defineAll = Object.defineProperties as AnyFunction;
  replace(Object, "defineProperties", function (...args) {
    const [target, properties] = args;
    if (!guarded(target) || !isObject(properties)) return apply(defineAll, undefined, args);
    const keys = ownKeys(properties as object);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      if (!getOwnPropertyDescriptor(properties as object, key)?.enumerable) continue;
      define(defineProperty as AnyFunction, [target, key, (properties as Table)[key]]);
    }
    return target;
  });
  for (const [key, part] of [["__defineGetter__", "get"], ["__defineSetter__", "set"]] as const) {
    const native = (Object.prototype as unknown as Table)[key] as AnyFunction;
    replace(Object.prototype, key, function (this: unknown, ...args) {
      if (!guarded(this)) return apply(native, this, args);
      return void define(defineProperty as AnyFunction, [this, args[0], {
        __proto__: null,
        [part]: args[1],
        enumerable: true,
      }]);
    });
  }
  for (const holder of [Object, Reflect] as unknown as Table[]) {
    for (const key of ["freeze", "seal", "preventExtensions", "setPrototypeOf"]) {
      const native = holder[key] as AnyFunction | undefined;
      if (native === undefined) continue;
      replace(holder, key, function (...args) {
        if (guarded(args[0])) refuse(`${key} of a built-in`);
        return apply(native, undefined, args);
      });
    }
  }
  const proto = getOwnPropertyDescriptor(Object.prototype, "__proto__")!;
  defineProperty(Object.prototype, "__proto__", {
    ...proto,
    set(this: unknown, value: unknown) {
      if (guarded(this)) refuse("another prototype for a built-in");
      apply(proto.set as AnyFunction, this, [value]);
    },
  });
  const revocable = NativeProxy.revocable as AnyFunction;
  const GuardedProxy = function (this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return apply(NativeProxy as unknown as AnyFunction, this, args);
    if (guarded(args[0])) refuse("a proxy of a built-in");
    return construct(NativeProxy, args);
  };
  defineProperty(GuardedProxy, "name", { value: "Proxy" });
  defineProperty(GuardedProxy, "length", { value: 2 });
  Reflect.deleteProperty(GuardedProxy, "prototype");
  put(GuardedProxy, "revocable", function revocableProxy(...args: unknown[]): unknown {
    if (guarded(args[0])) refuse("a proxy of a built-in");
    return apply(revocable, NativeProxy, args);
  }, false);
  put(global, "Proxy", GuardedProxy, false);
}

/** Nobody may listen to what the engine awaits or writes as JSON. */
function guardListening(): void {
  fix(Promise.prototype, "then", Promise.prototype.then);
  fix(Promise.prototype, "constructor", Promise);
  const species = getOwnPropertyDescriptor(Promise, Symbol.species)!;
  defineProperty(Promise, Symbol.species, { ...species, configurable: false });
  fix(Array.prototype, "toJSON", undefined);
  for (const { prototype } of [Array, Function, getPrototypeOf(Uint8Array) as typeof Array]) {
    fix(prototype, "then", undefined);
  }
  preventExtensions(Object.prototype);
}

/** Sets the guards. Call it once, when every engine module has loaded and captured what it needs. */
export function guardRealm(): void {
  guardConstructors();
  guardEval();
  guardShapes();
  guardListening();
}

/**
 * Built-ins of the platform that agent code can reach, some only through an instance. Deno dispatches
 * messages and events through methods of these: whoever replaced one would be handed ports and events.
 */
const PLATFORM =
  ("EventTarget Event CustomEvent MessageEvent ErrorEvent PromiseRejectionEvent CloseEvent " +
    "MessagePort MessageChannel AbortController AbortSignal DOMException TextDecoder TextEncoder " +
    "URL URLSearchParams Crypto SubtleCrypto CryptoKey Performance PerformanceEntry " +
    "PerformanceMark PerformanceMeasure").split(" ");

/** Freezes what agent code can reach of the platform. */
export function freezePlatform(): void {
  const language = new Set<object>(languagePrototypes());
  const chain = (value: unknown) => {
    for (
      let at = value as object | null;
      at !== null && !language.has(at);
      at = getPrototypeOf(at) as object | null
    ) freeze(at);
  };
  for (const name of PLATFORM) {
    const value = global[name] as { prototype: object } | undefined;
    if (value === undefined) continue;
    chain(value);
    chain(value.prototype);
  }
  for (const name of ["crypto", "performance"]) chain(global[name]);
  chain((global["crypto"] as { subtle: object }).subtle);
}
