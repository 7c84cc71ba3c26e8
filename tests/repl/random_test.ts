import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeValue, encodeValue } from "../../repl/codec.ts";
import { MemoryWorker } from "../support/memory.ts";
import { difference } from "../support/same.ts";

const VALUES = 1500;
const PROGRAMS = 700;
const BATCH = 350;
const SEED = 20_260_101;

/** Random data with cycles, shared references, odd keys and every collection. */
const anything = fc.tuple(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 4,
  }),
  fc.string({ unit: "binary" }),
  fc.boolean(),
).map(([value, text, shared]) => {
  const holder: Record<string, unknown> = { value, text };
  if (shared) holder["again"] = [value, holder];
  return holder;
});

Deno.test(`random values cross the pipe unchanged (seed ${SEED})`, () => {
  fc.assert(
    fc.property(anything, (value) => {
      const { text, loss } = encodeValue(value);
      assert.deepEqual(loss, []);
      assert.equal(difference(decodeValue(text), value), undefined);
    }),
    { numRuns: VALUES, seed: SEED },
  );
});

Deno.test(`random changes of a text are refused or read, never worse (seed ${SEED})`, () => {
  const before = Reflect.ownKeys(Object.prototype).length;
  fc.assert(
    fc.property(anything, fc.nat(), fc.string(), fc.nat(20), (value, at, insert, cut) => {
      const { text } = encodeValue(value);
      const start = at % (text.length + 1);
      const edited = text.slice(0, start) + insert + text.slice(start + cut);
      try {
        decodeValue(edited);
      } catch (error) {
        assert.equal((error as Error).name, "DecodeError", String(error));
      }
    }),
    { numRuns: 500, seed: SEED },
  );
  assert.equal(Reflect.ownKeys(Object.prototype).length, before);
});

/** One line of a program: it may use the names of the lines before. */
const line = fc.record({
  form: fc.nat(13),
  a: fc.nat(1000),
  b: fc.nat(1000),
  n: fc.integer({ min: -5, max: 50 }),
});

function program(
  lines: readonly { form: number; a: number; b: number; n: number }[],
  p: string,
): string[] {
  const names: string[] = [];
  return lines.map(({ form, a, b, n }, i) => {
    const name = `${p}_${i}`;
    const x = names.length > 0 ? names[a % names.length] as string : "undefined";
    const y = names.length > 0 ? names[b % names.length] as string : "null";
    names.push(name);
    const code = [
      `${n}`,
      `'t${n}'`,
      `[${x}, ${y}, ${n}]`,
      `({x: ${x}, y: ${y}})`,
      `new Map([[${x}, ${y}]])`,
      `new Set([${x}, ${n}])`,
      `(() => { let c = ${n}, o = ${x}; return {inc: () => ++c, get: () => [c, o]} })()`,
      `(k => k + ${n})`,
      `new (class K${n + 5} { v = ${x}; static s = ${n}; m() { return this.v } })()`,
      `Object.freeze({f: ${x}, g() { return ${n} }})`,
      `(() => { const o = {n: ${n}}; o.self = o; o.other = ${y}; return o })()`,
      `Object.assign(new Error('e${n}', {cause: ${x}}), {y: ${y}})`,
      `Object.create({inherited: ${x}}, {hidden: {value: ${y}}})`,
      `(() => { class A { a = ${x} } class B extends A { b = ${y} } return [new B(), B] })()`,
    ][form] as string;
    return `var ${name} = ${code};`;
  });
}

Deno.test(`random programs leave the same to a fresh worker, twice (seed ${SEED})`, async () => {
  const samples = fc.sample(fc.array(line, { minLength: 1, maxLength: 7 }), {
    numRuns: PROGRAMS,
    seed: SEED,
  });
  for (let start = 0; start < samples.length; start += BATCH) {
    const batch = samples.slice(start, start + BATCH).map((lines, i) => program(lines, `q${i}`));
    using first = await MemoryWorker.start();
    for (const lines of batch) await first.run(lines.join("\n"));
    const snapshot = await first.sweep();
    assert.deepEqual(snapshot.dropped, []);

    using second = await MemoryWorker.start();
    const report = await second.restore(snapshot);
    assert.deepEqual(report.failed, []);
    const again = await second.sweep();
    assert.deepEqual(again.payloads.map(({ id }) => id), snapshot.payloads.map(({ id }) => id));

    for (const [i, lines] of batch.entries()) {
      const names = lines.map((_, k) => `q${i}_${k}`);
      const check = `(() => { ${lines.join(" ")}
        const made = {${names.map((name) => `${name}`).join()}};
        const kept = {${names.map((name) => `${name}: globalThis.${name}`).join()}};
        return difference(kept, made) })()`;
      assert.equal(await second.run(check), undefined, lines.join("\n"));
    }
  }
});
