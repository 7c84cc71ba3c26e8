/**
 * Writes `tests/fixtures/golden_state_1`, a session of format 1 with every kind of value:
 * `deno run -A tests/support/make_golden.ts`. Run it once for a format, never again: the tests hold
 * later versions to reading what an earlier one wrote.
 */
import { fromFileUrl } from "@std/path";
import { noUsage } from "../../lib/model/usage.ts";
import { openStore, stepOf } from "./session_fixture.ts";
import { withRepl } from "./repl.ts";

/** Code whose variables are every kind of value that a session keeps. */
export const GOLDEN_CODE = `function parse(text) {
  return text.split("\\n");
}
// guests by episode
const rows = [{ guest: "Ada", at: 6 }];
const big = "golden ".repeat(10_000);
Object.defineProperty(globalThis, "__proto__", { value: ["a name like others"], writable: true, enumerable: true, configurable: true });
const lossy = { a: 1, fn: Math.max.bind(null, 1) };
const timer = new Promise(() => {});
const numbers = [0, -0, NaN, Infinity, -Infinity, 1.5, 2n ** 70n, true, null, undefined];
const texts = ["", "é", "\\u0000\\u2028", "\\ud800", "😀"];
const shared = { n: 0 }; const alias = shared; const both = [shared, shared];
const cycle = { name: "c" }; cycle.self = cycle;
const map = new Map([["a", shared], [shared, 1]]); const set = new Set([1, "x", shared]);
const when = new Date(86_400_000); const never = new Date(NaN);
const pattern = /a(?<y>\\d)/gi; pattern.lastIndex = 2;
const failure = new RangeError("no", { cause: new Error("") });
const several = new AggregateError([new TypeError("t")], "many");
const buffer = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
const bytes = new Uint8Array(buffer, 2, 3); const view = new DataView(buffer); const floats = new Float64Array([0.5]);
const url = new URL("https://a.b/c?d=e"); const query = new URLSearchParams("f=g");
const day = Temporal.PlainDate.from("2026-01-02"); const span = Temporal.Duration.from("PT1H");
const bare = Object.create(null); bare.x = 1;
const protoKey = JSON.parse('{"__proto__":{"admin":true}}');
const sparse = [1, , 3]; sparse.length = 9; sparse.extra = "e";
const frozen = Object.freeze({ deep: [1] }); const sealed = Object.seal({ s: 1 });
const hidden = Object.defineProperty({}, "h", { value: 1, enumerable: false });
const computed = { get two() { return 2 } };
const symbol = Symbol("s"); const bySymbol = { [symbol]: 1, [Symbol.for("r")]: 2, [Symbol.toStringTag]: "T" };
const boxed = Object("text"); const native = Math.floor;
const match = "2024".match(/(?<y>\\d+)/);
let list = null; for (let i = 0; i < 1_000; i++) list = { next: list, i };
class Base { constructor(n) { this.n = n } twice() { return this.n * 2 } }
class Derived extends Base { #p = 3; static made = 0; get p() { return this.#p } }
Derived.made = 5;
class Plain extends Base { static kind = "plain" }
const instance = new Plain(4); class Rows extends Array { sum() { return this.reduce((a, b) => a + b, 0) } }
const own = Rows.of(1, 2);
const counter = (() => { let c = 0; return { inc: () => ++c, get: () => c } })(); counter.inc();
const { inc, get } = counter;
const api = { parse(t) { return t.split(",") }, async later(x) { return x }, *[Symbol.iterator]() { yield 7 } };
async function* stream() { yield 1 }
function tagged() { return tagged.calls } tagged.calls = 4;
`;

/** What `GOLDEN_CODE` left, as one value; the counter has gone up by one when it was looked at. */
export const GOLDEN_LOOK = `[
  parse("a\\nb").length, rows[0].at, big.length, globalThis.__proto__[0], lossy.a,
  numbers.map((n) => Object.is(n, -0) ? "-0" : String(n)).join(), JSON.stringify(texts),
  alias === shared && both[0] === shared && both[1] === shared, cycle.self === cycle,
  map.get("a") === shared && map.get(shared), set.has(shared) && set.size,
  +when, isNaN(never), [pattern.source, pattern.flags, pattern.lastIndex].join(),
  [failure.name, failure.message, failure.cause instanceof Error, failure.cause.message].join(),
  several.errors[0].message, [...bytes].join(), bytes.buffer === buffer && view.buffer === buffer, floats[0],
  url.href, query.get("f"), String(day), String(span), Object.getPrototypeOf(bare) === null && bare.x,
  Object.hasOwn(protoKey, "__proto__") && ({}).admin === undefined,
  [1 in sparse, sparse.length, sparse.extra].join(),
  Object.isFrozen(frozen) && Object.isSealed(sealed), Object.keys(hidden).length + hidden.h, computed.two,
  [bySymbol[symbol], bySymbol[Symbol.for("r")], String(bySymbol)].join(), typeof boxed + boxed.length,
  native === Math.floor, [match.groups.y, match.index].join(),
  (() => { let n = 0; for (let at = list; at; at = at.next) n++; return n })(),
  [instance.twice(), instance instanceof Plain, instance instanceof Base, Plain.kind].join(),
  [Derived.made, new Derived(1).p].join(), own.sum(), [inc(), get(), counter.get()].join(),
  [api.parse("a,b").length, [...api].join(), stream.constructor.name, tagged()].join(),
]`;

/** What the look finds. */
export const GOLDEN_VALUES: readonly unknown[] = [
  ...[2, 7, 70_000, "a name like others", 1],
  "0,-0,NaN,Infinity,-Infinity,1.5,1180591620717411303424,true,null,undefined",
  '["","é","\\u0000\u2028","\\ud800","😀"]',
  ...[true, true, 1, 3, 86_400_000, true, "a(?<y>\\d),gi,2", "RangeError,no,true,", "t"],
  ...["3,4,5", true, 0.5, "https://a.b/c?d=e", "g", "2026-01-02", "PT1H", 1, true],
  ...["false,9,e", true, 1, 2, "1,2,[object T]", "object4", true, "2024,0", 1_000],
  ...["8,true,true,plain", "5,3", 3, "2,2,2", "2,7,AsyncGeneratorFunction,4"],
];

async function make(dir: string): Promise<void> {
  await withRepl(async (repl) => {
    const usage = {
      ...noUsage,
      promptTokens: 100,
      completionTokens: 10,
      totalTokens: 110,
      calls: 2,
    };
    const codes = [GOLDEN_CODE, "rows[0].at = 7; commit('rows', 'the list of record')"];
    for (const [index, code] of codes.entries()) {
      await using store = await openStore(dir);
      const number = await store.beginQuery(
        index === 0 ? "Who are the guests?" : "And who was there twice?",
        `logs/run-${index + 1}.jsonl`,
      );
      const known = store.knownPayloads();
      await store.saveStep(
        stepOf(1, {
          code: "const rows = oops(;",
          error: "SyntaxError: Unexpected token ';'",
          usage,
          snapshot: await repl.sweep({ known }),
        }),
      );
      const { failure } = await repl.run(code);
      if (failure !== undefined) throw new Error(failure);
      await store.saveStep(stepOf(2, {
        code,
        usage,
        assigned: index === 0 ? ["rows", "parse"] : ["rows"],
        comments: index === 0 ? { rows: "guests by episode" } : {},
        snapshot: await repl.sweep({ known: store.knownPayloads() }),
      }));
      const answered = number === 1;
      await store.endQuery({
        status: answered ? "answered" : "limit",
        steps: 2,
        usage,
        ...(answered ? { final: ["Ada"] } : {}),
      });
    }
  });
  for (const name of ["session.lock", "state.prev.json"]) await Deno.remove(`${dir}/${name}`);
}

if (import.meta.main) {
  const dir = fromFileUrl(new URL("../fixtures/golden_state_1", import.meta.url));
  await Deno.remove(dir, { recursive: true });
  await Deno.mkdir(dir);
  await make(dir);
}
