/** A program of steps and what must hold after its memory went to another process. */
export interface Program {
  /** What is shown. */
  readonly name: string;
  /** Steps; `$x` stands for a global of this program. */
  readonly steps: string;
  /** An expression that gives true in the second process. */
  readonly check: string;
  /** Names that must be dropped, each with a part of the reason. */
  readonly dropped?: Readonly<Record<string, string>>;
  /** Paths that must be named as lost, each with a part of the reason. */
  readonly lost?: Readonly<Record<string, string>>;
  /** Names that a restore must fail, each with a part of the reason. */
  readonly failed?: Readonly<Record<string, string>>;
}

/** Programs whose memory must survive, or be named as lost. */
export const programs: readonly Program[] = [
  {
    name: "data with a function in it keeps both (case 26)",
    steps: "const $cfg = {n: 1, rows: [1, 2], fmt(x) { return x + 1 }}",
    check: "$cfg.fmt($cfg.n) === 2 && $cfg.rows.length === 2",
  },
  {
    name: "instances keep class and methods (case 27)",
    steps: "class $Doc { constructor(t) { this.t = t } len() { return this.t.length } }\n" +
      "const $list = [new $Doc('hi')]",
    check: "$list[0].len() === 2 && $list[0] instanceof $Doc && $list[0].constructor === $Doc",
  },
  {
    name: "a class whose instance holds itself (case 41)",
    steps: "class $N { kids = [] }\nconst $p = new $N(); $p.kids.push($p)",
    check: "$p.kids[0] === $p && $p instanceof $N",
  },
  {
    name: "20,000 levels (case 42)",
    steps: "let $l = null; for (let i = 0; i < 2e4; i++) $l = {next: $l, i}",
    check: "(() => { let n = 0; for (let x = $l; x; x = x.next) n++; return n === 20000 })()",
  },
  {
    name: "20,000 nodes linked both ways, in a list, and of a class",
    steps: "class $Node { constructor(i) { this.i = i } }\n" +
      "const $all = Array.from({length: 2e4}, (_, i) => new $Node(i))\n" +
      "$all.forEach((n, i) => { n.next = $all[i + 1]; n.prev = $all[i - 1] })",
    check:
      "$all.every((n, i) => n instanceof $Node && n.next === $all[i + 1] && n.prev === $all[i - 1])",
  },
  {
    name: "deep Maps, Sets and arrays",
    steps: "let $m = new Map(), $s = new Set(), $a = []\n" +
      "for (let i = 0; i < 5000; i++) { $m = new Map([[i, $m]]); $s = new Set([$s]); $a = [$a, i] }",
    check: "(() => { let n = 0, k = 0, j = 0, m = $m, s = $s, a = $a;" +
      "while (m.size) { m = [...m.values()][0]; n++ } while (s.size) { s = [...s][0]; k++ }" +
      "while (a.length) { a = a[0]; j++ } return n === 5000 && k === 5000 && j === 5000 })()",
  },
  {
    name: "aliases of one object (case 45)",
    steps: "const $s = {n: 0}\nconst $a = $s, $b = $s",
    check: "($a.n = 5, $b.n === 5 && $s === $a)",
  },
  {
    name: "equal values that are two stay two",
    steps: "const $a = {n: 0}, $b = {n: 0}, $f = () => 1, $g = () => 1\n" +
      "const $x = {q: $a}, $y = {q: $b}",
    check: "$a !== $b && $f !== $g && $x.q === $a && $y.q === $b",
  },
  {
    name: "equal groups that are two stay two",
    steps: "const $a = {}, $c = {}\nconst $b = [$c], $d = [$a]",
    check: "$d[0] === $a && $b[0] === $c && $a !== $c",
  },
  {
    name: "methods, getters, generators, computed names (case 50)",
    steps: "const $api = {parse(s) { return s.split(',') }, get n() { return 1 }, async *g() {}," +
      "['a b']() { return 7 }}\nconst $parse = $api.parse",
    check: "$parse('a,b').length === 2 && $api.parse === $parse && $api.n === 1 && " +
      "$api['a b']() === 7 && $api.g.constructor.name === 'AsyncGeneratorFunction'",
  },
  {
    name: "kinds of functions (case 52)",
    steps: "const $a = async x => x, $b = async function* () {}, $c = function* h() { yield 1 }",
    check: "$a.constructor.name === 'AsyncFunction' && [...$c()][0] === 1 && " +
      "$b.constructor.name === 'AsyncGeneratorFunction' && $a(1) instanceof Promise",
  },
  {
    name: "a closure keeps its variable, whatever global has its name (case 53)",
    steps:
      "const $mk = () => { let c = 0; return () => ++c }\nconst $inc = $mk(); $inc()\nvar c = 100",
    check: "$inc() === 2 && $inc() === 3 && $mk()() === 1",
  },
  {
    name: "closures that share a scope, and those that only look like it",
    steps: "const $mk = () => { let c = 0; return {inc: () => ++c, get: () => c} }\n" +
      "const $a = $mk(), $b = $mk()",
    check: "($a.inc(), $a.inc(), $b.inc(), $a.get() === 2 && $b.get() === 1)",
  },
  {
    name: "nested scopes",
    steps: "const $o = (() => { let a = 1; const mk = () => { let b = 10; " +
      "return {both: () => a++ + b++, b: () => b} }; return {x: mk(), y: mk(), a: () => a} })()",
    check: "($o.x.both(), $o.y.both(), $o.a() === 3 && $o.x.b() === 11 && $o.y.b() === 11)",
  },
  {
    name: "a closure over objects, functions and itself",
    steps: "const $shared = {n: 1}\nconst $f = (() => { const o = $shared, g = () => o.n; " +
      "const f = k => k ? f(k - 1) : g(); return f })()",
    check: "($shared.n = 9, $f(3) === 9)",
  },
  {
    name: "a closure over Map caches and blocks",
    steps: "const $memo = (() => { const cache = new Map(); { let hits = 0; " +
      "return k => { if (cache.has(k)) return ++hits; cache.set(k, 1); return 0 } } })()\n$memo('a'); $memo('a')",
    check: "$memo('a') === 2 && $memo('b') === 0",
  },
  {
    name: "loop closures have a scope each",
    steps: "const $fs = []; for (let i = 0; i < 3; i++) $fs.push(() => i++)",
    check: "$fs[0]() === 0 && $fs[0]() === 1 && $fs[1]() === 1 && $fs[2]() === 2",
  },
  {
    name: "a closure over something that cannot be kept is dropped with its name",
    steps: "const $f = (() => { const p = Promise.resolve(1); return () => p })()",
    check: "typeof $f === 'undefined'",
    dropped: { $f: "captures p, which is a promise" },
  },
  {
    name: "a neighbour's unsaveable variable does not matter",
    steps: "const $g = (() => { const p = Promise.resolve(1), n = 2; " +
      "return {bad: () => p, good: () => n} })()",
    check: "$g.good() === 2 && !('bad' in $g)",
    lost: { "$g.bad": "captures p" },
  },
  {
    name: "an arrow function that captures this is named",
    steps: "class $T { x = 1; f = () => this.x }\nconst $t = new $T()",
    check: "$t.x === 1 && $t instanceof $T && !('f' in $t)",
    lost: { "$t.f": "captures this" },
  },
  {
    name: "classes in a closure",
    steps: "const $c = (() => { let n = 0; class K { static made = n; m() { return ++n } } " +
      "return {K, k: new K()} })()\n$c.k.m()",
    check: "$c.k.m() === 2 && $c.k instanceof $c.K && $c.K.made === 0",
  },
  {
    name: "inheritance in any order of names (case 55)",
    steps:
      "class $Zed {}\nclass $A extends $Zed {}\nconst $CFG = {k: 1}\nclass $S { static k = $CFG.k }",
    check: "new $A() instanceof $Zed && $S.k === 1 && Object.getPrototypeOf($A) === $Zed",
  },
  {
    name: "a superclass whose name is gone",
    steps: "class $B { hi() { return 1 } }\nclass $A extends $B {}\n$B = 5",
    check: "new $A().hi() === 1 && $B === 5",
  },
  {
    name: "a class that was declared again keeps its old instances",
    steps: "class $D { v() { return 1 } }\nconst $old = new $D()\nclass $D { v() { return 2 } }",
    check: "$old.v() === 1 && new $D().v() === 2 && !($old instanceof $D)",
  },
  {
    name: "mixins",
    steps: "const $mix = B => class extends B { mixed() { return super.base() + 1 } }\n" +
      "class $Base { base() { return 1 } }\nclass $M extends $mix($Base) {}\nconst $m = new $M()",
    check: "$m.mixed() === 2 && $m instanceof $Base",
  },
  {
    name: "side effects of definitions do not count twice (case 56)",
    steps:
      "let $n = 0, $log = []\nclass $C { static { $n++; $log.push(1); globalThis.leaked = 1 } }\n" +
      "delete globalThis.leaked",
    check: "$n === 1 && $log.length === 1 && typeof leaked === 'undefined'",
  },
  {
    name: "static state as it was, not as it is defined",
    steps:
      "class $C { static count = 0; static list = [] }\n$C.count = 7; $C.list.push($C); $C.extra = 1",
    check: "$C.count === 7 && $C.list[0] === $C && $C.extra === 1",
  },
  {
    name: "private fields work in restored classes; instances are named (DESIGN 7)",
    steps: "class $P { #x = 1; get() { return this.#x } static make() { return new $P() } }\n" +
      "const $p = new $P(), $q = {p: $p, ok: 1}, $color = {c: '#fff'}\nclass $Plain { c = '#fff' }\n" +
      "const $i = new $Plain()",
    check: "$P.make().get() === 1 && typeof $p === 'undefined' && $q.ok === 1 && $i.c === '#fff'",
    dropped: { $p: "private fields" },
    lost: { "$q.p": "private fields" },
  },
  {
    name: "private static state is named",
    steps: "class $C { static #n = 0; static next() { return ++this.#n } }\n$C.next()",
    check: "$C.next() === 1",
    lost: { "$C": "private static state" },
  },
  {
    name: "prototype-based code",
    steps: "function $F() { this.a = 1 }\n$F.prototype.hi = function () { return this.a }\n" +
      "$F.meta = {z: 1}\nconst $o = new $F()",
    check: "$o.hi() === 1 && $F.meta.z === 1 && $o instanceof $F",
  },
  {
    name: "a declared function's name means the global",
    steps: "function $fib(n) { return n < 2 ? n : $fib(n - 1) + $fib(n - 2) }\nvar $n = 1\n" +
      "function $bump() { $n++ }\n$bump()",
    check: "($bump(), $n === 3 && $fib(10) === 55)",
  },
  {
    name: "built-ins by name",
    steps: "const {floor: $floor} = Math, $M = Map, $fns = [Math.max, JSON.stringify]",
    check: "$floor === Math.floor && $M === Map && $fns[1] === JSON.stringify",
  },
  {
    name: "what lives is named by path (cases 49, 60)",
    steps:
      "const $p = Promise.resolve(1), $rows = [{}, {h: Promise.resolve()}], $t = new WeakMap()\n" +
      "const $gen = (function* () {})(), $it = [][Symbol.iterator](), $px = new Proxy({}, {})\n" +
      "const $b = (() => 1).bind(null), $w = new WeakRef({}), $te = new TextEncoder()\n" +
      "const $enc = Object.create(TextEncoder.prototype), $in = new Intl.NumberFormat()",
    check: "$rows.length === 2 && !('h' in $rows[1]) && typeof $p === 'undefined'",
    dropped: {
      $p: "promise",
      $t: "WeakMap",
      $gen: "generator",
      $it: "iterator",
      $px: "Proxy",
      $b: "bound",
      $w: "WeakRef",
      $te: "TextEncoder",
      $enc: "TextEncoder",
      $in: "NumberFormat",
    },
    lost: { "$rows[1].h": "is a promise" },
  },
  {
    name: "a container that lost everything is not kept as an empty one (case 47)",
    steps:
      "const $ps = [Promise.resolve(1), Promise.resolve(2)], $m = new Map([['a', new WeakMap()]])",
    check: "typeof $ps === 'undefined' && typeof $m === 'undefined'",
    dropped: { $ps: "$ps[0]", $m: "WeakMap" },
  },
  {
    name: "accessors are not called",
    steps: "let $calls = 0\nconst $o = {get a() { $calls++; return 1 }, b: 2}\n" +
      "const $c = Object.defineProperty({}, 'x', {get() { $calls++ }, enumerable: false, configurable: true})",
    check: "$calls === 0 && $o.a === 1 && $o.b === 2 && $calls === 1",
  },
  {
    name: "traps, tags and conversions are not called",
    steps:
      "let $n = 0\nconst $o = {toString() { $n++ }, toJSON() { $n++ }, [Symbol.toPrimitive]() { $n++ }, " +
      "get [Symbol.toStringTag]() { $n++; return 'Map' }, then() { $n++ }}\n" +
      "const $p = [new Proxy({}, {get() { $n++ }, getPrototypeOf() { $n++; return null }, ownKeys() { $n++; return [] }}), 1]",
    check: "$n === 0 && $p[1] === 1",
    lost: { "$p[0]": "Proxy" },
  },
  {
    name: "own properties of functions, and functions with two names",
    steps: "const $f = Object.assign(() => 1, {cache: new Map([[1, {a: 1}]])}), $g = $f",
    check: "$f === $g && $g.cache.get(1).a === 1",
  },
  {
    name: "a method taken from a class is the class's method",
    steps: "class $D { len() { return 4 } static of() { return new this() } }\n" +
      "const $len = $D.prototype.len, $of = $D.of",
    check: "$len === $D.prototype.len && $of === $D.of && $of.call($D) instanceof $D",
  },
  {
    name: "symbols are one where they were one",
    steps: "const $k = Symbol('k')\nconst $o = {[$k]: 1}, $r = Symbol.for('r')",
    check: "$o[$k] === 1 && $r === Symbol.for('r')",
  },
  {
    name: "a definition that fails takes down what needs it and nothing else",
    steps:
      "let $ready = true\nclass $Bad { static x = (() => { if (!$ready) throw new Error('not ready') })() }\n" +
      "const $i = new $Bad(), $ok = {n: 1}\n$ready = false",
    check: "typeof $Bad === 'undefined' && typeof $i === 'undefined' && $ok.n === 1",
    failed: { $Bad: "not ready", $i: "not ready" },
  },
  {
    name: "errors of agent classes",
    steps:
      "class $E extends Error { constructor(m, code) { super(m); this.code = code; this.name = '$E' } }\n" +
      "const $e = new $E('boom', 7)",
    check: "$e instanceof $E && $e instanceof Error && $e.code === 7 && $e.message === 'boom' && " +
      "String($e).endsWith('E: boom') && $e.stack.includes('boom')",
  },
  {
    name: "views keep sharing their buffer (case 34)",
    steps: "const $buf = new ArrayBuffer(16)\nconst $v = new Uint8Array($buf, 0, 2)",
    check: "($v[0] = 7, new Uint8Array($buf)[0] === 7)",
  },
  {
    name: "awkward keys of globals (case 38)",
    steps: 'const $o = JSON.parse(\'{"__proto__":{"admin":true},"n":1}\')',
    check: "Object.hasOwn($o, '__proto__') && $o.admin === undefined && ({}).admin === undefined",
  },
];
