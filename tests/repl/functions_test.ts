import assert from "node:assert/strict";
import {
  definition,
  definitionWithSuper,
  describeFunction,
  hasPrivateState,
  isArrowText,
  isMethodText,
  mentions,
  ownCode,
  usesPrivateNames,
} from "../../repl/functions.ts";

const make = (source: string): unknown => (0, eval)(definition(source));

const kinds: readonly (readonly [string, string])[] = [
  ["()=>1", "function"],
  ["async x=>x", "async function"],
  ["function f(){}", "function"],
  ["async function(){}", "async function"],
  ["function*(){}", "generator"],
  ["async function*g(){}", "async generator"],
  ["class A{}", "class"],
  ["class extends Array{}", "class"],
  ["parse(s){return s}", "method"],
  ["async load(){}", "async function"],
  ["*items(){}", "generator"],
  ["async *items(){}", "async generator"],
  ["['a b'](){}", "method"],
  ["[(() => 'x')()](){}", "method"],
  ["get n(){return 1}", "method"],
  ["set n(v){}", "method"],
  ["get(){}", "method"],
  ["async(){}", "method"],
  ["static(){}", "method"],
  ["'quoted name'(){}", "method"],
  ["12(){}", "method"],
  ["async /* c */ (a, b = ')') => a", "async function"],
  ["(a = {b: '('}, [c] = [1]) => a", "function"],
  ["async => async", "function"],
];
for (const [source, kind] of kinds) {
  Deno.test(`${JSON.stringify(source)} is made again as ${kind}`, () => {
    const fn = make(source);
    assert.equal(typeof fn, "function");
    assert.equal(describeFunction(fn as object).kind, kind);
  });
}

Deno.test("a computed name is not computed again", () => {
  const source = "[globalThis.computedAgain = 'x'](){ return 1 }";
  assert.equal((make(source) as () => number)(), 1);
  assert.equal("computedAgain" in globalThis, false);
});

Deno.test("native and bound functions are told apart", () => {
  assert.match(describeFunction(Math.max).reason ?? "", /native/);
  assert.match(describeFunction((() => 1).bind(null)).reason ?? "", /bound/);
  assert.equal(describeFunction(() => "[native code]").reason, undefined);
});

Deno.test("arrow functions and methods are told by their text", () => {
  assert.ok(isArrowText("(a, b) => a"));
  assert.ok(isArrowText("async (a) => a"));
  assert.ok(!isArrowText("async(a){ return () => a }"));
  assert.ok(isMethodText("async(a){ return () => a }"));
  assert.ok(!isMethodText("function(){}"));
});

Deno.test("a name is mentioned only as a whole word", () => {
  assert.ok(mentions("()=>++c", "c"));
  assert.ok(!mentions("()=>++count", "c"));
  assert.ok(!mentions("()=>$c", "c"));
  assert.ok(mentions("()=>$c", "$c"));
});

Deno.test("private state of instances is found in the text of a class, not in strings", () => {
  assert.ok(hasPrivateState("class A{#x=1}"));
  assert.ok(hasPrivateState("class A{ get #x(){return 1} }"));
  assert.ok(hasPrivateState("class A{ async *#m(){} }"));
  assert.ok(!hasPrivateState("class A{ c = '#fff'; d = \"#x\" /* #y */ }"));
  assert.ok(!hasPrivateState("class A{ static #n = 0; static m(){ return this.#n } }"));
  assert.ok(!hasPrivateState("class A{ static is(o){ return #n in o } static #n }"));
  assert.ok(usesPrivateNames("get(){return this.#x}"));
  assert.ok(!usesPrivateNames("f(){return '#x'}"));
});

Deno.test("only an arrow function's own this counts", () => {
  assert.match(ownCode("()=>this.x"), /\bthis\b/);
  assert.doesNotMatch(
    ownCode("B => class extends B { m() { return super.m() + this.x } }"),
    /this|super/,
  );
  assert.doesNotMatch(ownCode("() => function () { return this }"), /this/);
  assert.doesNotMatch(ownCode("() => 'this' // this"), /this/);
});

Deno.test("a superclass can be handed to a class whose heritage is a name", () => {
  const code = definitionWithSuper("class A extends Gone { m() {} }");
  const made = ((0, eval)(code ?? "") as (s: unknown) => unknown)(class Given {});
  assert.equal((Object.getPrototypeOf(made) as { name: string }).name, "Given");
  assert.equal(definitionWithSuper("class A extends mix(B) {}"), undefined);
});
