import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonSchema } from "ai";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { RlmError } from "../../lib/errors.ts";
import { AgentSchemaError, compileSchema, typeText } from "../../lib/output_schema.ts";

async function errorsOf(
  schema: unknown,
  value: unknown,
  origin: "user" | "agent" = "user",
): Promise<
  readonly string[]
> {
  const result = await (await compileSchema(schema, { origin })).validate(value);
  return result.ok ? [] : result.errors;
}

const book = {
  type: "object",
  properties: {
    title: { type: "string" },
    rows: {
      type: "array",
      items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    },
  },
  required: ["title"],
  additionalProperties: false,
};

Deno.test("errors are path and message on one line", async () => {
  assert.deepEqual(await errorsOf(book, { title: "x", rows: [{ id: 1 }] }), []);
  assert.deepEqual(await errorsOf(book, { rows: [{ id: 1 }, { id: "a\nb" }, {}], extra: 1 }), [
    'value: must have the property "title"',
    'value: must not have the property "extra"',
    'value.rows[1].id: must be integer, is "a\\nb"',
    'value.rows[2]: must have the property "id"',
  ]);
  assert.deepEqual(await errorsOf(book, "text"), ['value: must be object, is "text"']);
  assert.deepEqual(await errorsOf({ enum: ["a", 1] }, "b"), [
    'value: must be one of "a", 1, is "b"',
  ]);
  assert.deepEqual(
    await errorsOf({ properties: { "a b/~": { const: null } } }, { "a b/~": 0 }),
    ['value["a b/~"]: must be null, is 0'],
  );
});

Deno.test("at most 10 errors, also of a value with a hundred thousand", async () => {
  const many = Array.from({ length: 100_000 }, () => "x");
  const schema = { type: "array", items: { type: "number" } };
  assert.equal((await errorsOf(schema, many.slice(0, 100))).length, 10);
  assert.equal((await errorsOf(schema, many)).length, 1);
});

Deno.test("what is no JSON is named with the way out, not taken for an empty object", async () => {
  const cases: [unknown, RegExp][] = [
    [new Map([["a", 1]]), /^value\.x: a Map is no JSON value, use Object\.fromEntries\(map\)$/],
    [new Set([1]), /^value\.x: a Set .*\[\.\.\.set\]$/],
    [new Date(0), /toISOString/],
    [1n, /a bigint is no JSON value/],
    [NaN, /NaN is no JSON value/],
    [() => 1, /a function is no JSON value/],
    [new URL("http://a"), /an instance of URL/],
  ];
  for (const [x, expected] of cases) {
    const errors = await errorsOf({ type: "object" }, { x });
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, expected);
  }
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  assert.match(
    (await errorsOf({ type: "object" }, cyclic))[0]!,
    /^value\.self: refers to an object/,
  );
  let deep: unknown = 1;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  assert.match((await errorsOf({}, deep))[0]!, /^value: is nested deeper than 500 levels$/);
});

Deno.test("a shared object that is no cycle passes", async () => {
  const shared = { n: 1 };
  assert.deepEqual(await errorsOf({ type: "object" }, { a: shared, b: [shared, shared] }), []);
});

Deno.test("falsy values and undefined are validated like any other", async () => {
  for (const value of [0, "", false, null]) assert.deepEqual(await errorsOf({}, value), []);
  assert.deepEqual(await errorsOf({ type: "string" }, undefined), [
    "value: must be string, is undefined",
  ]);
});

Deno.test("Zod validates and transforms, with the same form of errors", async () => {
  const schema = await compileSchema(
    z.object({ day: z.string().transform((s) => s.trim()), n: z.array(z.number().int()) }),
  );
  assert.deepEqual(await schema.validate({ day: " a ", n: [1] }), {
    ok: true,
    value: { day: "a", n: [1] },
  });
  const bad = await schema.validate({ day: "a", n: [1, 1.5] });
  assert.ok(!bad.ok);
  assert.match(bad.errors[0]!, /^value\.n\[1\]: Invalid input/);
  assert.match(schema.describe(), /^\{ day: string; n: Array<number \/\* integer/);
  assert.ok(schema.jsonSchema !== undefined);
});

Deno.test("Zod 3 is taken, with its shape", async () => {
  const schema = await compileSchema(z3.object({ n: z3.number(), tags: z3.array(z3.string()) }));
  assert.equal(schema.describe(), "{ n: number; tags: string[] }");
  assert.deepEqual(await schema.validate({ n: 1, tags: [2] }), {
    ok: false,
    errors: ["value.tags[0]: Expected string, received number"],
  });
});

Deno.test("any Standard Schema is taken, async ones and ones without JSON Schema too", async () => {
  const even = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value: unknown) =>
        Promise.resolve(
          typeof value === "number" && value % 2 === 0
            ? { value: value / 2 }
            : { issues: [{ message: "must be even\u001b[2J", path: [{ key: "n" }, 0] }] },
        ),
    },
  };
  const schema = await compileSchema(even);
  assert.deepEqual(await schema.validate(8), { ok: true, value: 4 });
  assert.deepEqual(await schema.validate(7), {
    ok: false,
    errors: ["value.n[0]: must be even\\x1b[2J"],
  });
  assert.equal(schema.describe(), "unknown");
  const throwing = { "~standard": { ...even["~standard"], validate: () => JSON.parse("{") } };
  assert.equal((await (await compileSchema(throwing)).validate(1)).ok, false);
});

Deno.test("a schema of the AI SDK is taken", async () => {
  const schema = jsonSchema({ type: "object", properties: { n: { type: "number" } } });
  assert.deepEqual(await errorsOf(schema, { n: "1" }), ['value.n: must be number, is "1"']);
});

Deno.test("draft-07 and 2020-12 are told apart by $schema", async () => {
  const old = {
    $schema: "http://json-schema.org/draft-07/schema#",
    items: [{ type: "number" }],
  };
  assert.deepEqual(await errorsOf(old, ["x"]), ['value[0]: must be number, is "x"']);
  const now = { prefixItems: [{ type: "number" }] };
  assert.deepEqual(await errorsOf(now, ["x"]), ['value[0]: must be number, is "x"']);
});

Deno.test("what is no schema is a configuration error that says why", async () => {
  const bad: unknown[] = [
    "string",
    5,
    null,
    undefined,
    [1],
    { type: "strin" },
    { $ref: "http://127.0.0.1:1/remote.json" },
    { properties: 5 },
  ];
  for (const schema of bad) {
    await assert.rejects(
      compileSchema(schema),
      (error: unknown) =>
        error instanceof RlmError && error.code === "config" &&
        error.message.startsWith("Cannot use outputSchema: ") && !error.message.includes("\n"),
    );
  }
});

Deno.test("a recursive schema of the user works", async () => {
  const tree = {
    type: "object",
    properties: { n: { type: "number" }, kids: { type: "array", items: { $ref: "#" } } },
    required: ["n"],
  };
  assert.deepEqual(await errorsOf(tree, { n: 1, kids: [{ n: 2 }, {}] }), [
    'value.kids[1]: must have the property "n"',
  ]);
  assert.match(typeText(tree), /^\{ n: number; kids\?: Array<\{ n: number/);
});

Deno.test("an agent's schema is bounded and its refusal names the place", async () => {
  let deep: unknown = { type: "string" };
  for (let i = 0; i < 100; i++) deep = { properties: { x: deep } };
  const doubling: Record<string, unknown> = { d0: { type: "string" } };
  for (let i = 1; i < 30; i++) {
    doubling[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  }
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { self: cyclic };
  const hostile: [unknown, RegExp][] = [
    ["text", /must be a JSON Schema object/],
    [undefined, /Cannot use schema/],
    [deep, /nested deeper than/],
    [cyclic, /nested deeper than/],
    [{ $defs: doubling, $ref: "#/$defs/d29" }, /more than 2000 parts/],
    [{ properties: { a: { $ref: "#" } } }, /schema\.properties\.a\.\$ref refers to itself/],
    [{ $ref: "https://example.com/x.json" }, /\$ref must name a part of this schema/],
    [{ $ref: "file:///etc/passwd" }, /\$ref must name a part/],
    [{ $ref: "#/constructor" }, /\$ref must name a part/],
    [{ $id: "http://a/", type: "string" }, /schema\.\$id is not supported/],
    [{ properties: { a: { pattern: "^(a+)+$" } } }, /properties\.a\.pattern is too complex/],
    [{ pattern: "^(a*)\\1$" }, /is too complex/],
    [{ pattern: "a?".repeat(30) + "a{30}" }, /is too complex/],
    [{ pattern: "^\\w+\\w+\\w+\\w+$" }, /is too complex/],
    [{ patternProperties: { "(x|x)*y": {} } }, /is too complex/],
    [{ pattern: "[" }, /no regular expression/],
    [{ type: "array", uniqueItems: true }, /uniqueItems is supported for items of type/],
    [{ enum: Array.from({ length: 30_000 }, (_, i) => i) }, /more than 20,000 values/],
    [{ description: "x".repeat(20_000) }, /more than 10,000 characters/],
    [{ default: new Map() }, /not plain JSON/],
    [{ properties: { a: { default: () => 1 } } }, /not plain JSON/],
    [{ type: "strin" }, /Cannot use schema/],
    [JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), /__proto__/],
    [{ minimum: { $data: "1/x" } }, /Cannot use schema/],
  ];
  for (const [schema, expected] of hostile) {
    await assert.rejects(
      compileSchema(schema, { origin: "agent" }),
      (error: unknown) => {
        assert.ok(error instanceof AgentSchemaError, String(error));
        assert.match(error.message, expected);
        assert.ok(!error.message.includes("\n"));
        return true;
      },
    );
  }
});

Deno.test("ordinary schemas of agents work, patterns and references included", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { day: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", format: "date" } },
    type: "object",
    properties: {
      from: { $ref: "#/$defs/day" },
      to: { $ref: "#/$defs/day" },
      mail: { type: "string", pattern: "^[^@\\s]+@[^@\\s]+$" },
      tags: { type: "array", items: { type: "string" }, uniqueItems: true },
    },
    required: ["from"],
  };
  assert.deepEqual(
    await errorsOf(
      schema,
      { from: "2026-01-02", to: "2026-01-03", mail: "a@b.c", tags: ["a"] },
      "agent",
    ),
    [],
  );
  assert.deepEqual(await errorsOf(schema, { from: "x", tags: ["a", "a"] }, "agent"), [
    'value.from: must match pattern "^\\d{4}-\\d{2}-\\d{2}$", is "x"',
    "value.tags: must NOT have duplicate items (items ## 1 and 0 are identical), is a list of 2",
  ]);
});

Deno.test("patterns of agents run in bounded steps: a hostile text does not match", async () => {
  // Cubic backtracking on 20,000 characters would take minutes.
  const schema = { type: "string", pattern: "^a*a*a*$" };
  assert.deepEqual(await errorsOf(schema, "aaa", "agent"), []);
  const errors = await errorsOf(schema, "a".repeat(20_000) + "b", "agent");
  assert.match(errors[0]!, /must match pattern/);
  const many = { type: "array", items: schema };
  const texts = Array.from({ length: 1_000 }, () => "a".repeat(300) + "b");
  assert.equal((await errorsOf(many, texts, "agent")).length, 10);
});

Deno.test("a value too large for an agent's schema is refused instead of checked for minutes", async () => {
  const items = { enum: Array.from({ length: 10_000 }, (_, i) => `word ${i}`) };
  const value = Array.from({ length: 60_000 }, () => "word 1");
  assert.deepEqual(await errorsOf({ type: "array", items }, value, "agent"), [
    "value: has 60001 parts, too many to check against this schema",
  ]);
});

Deno.test("whatever an agent passes as a schema, it is compiled or refused with one line", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.object({
        key: fc.constantFrom(
          "type",
          "items",
          "properties",
          "anyOf",
          "$ref",
          "pattern",
          "const",
          "enum",
          "required",
          "a",
        ),
        withMap: true,
        withBigInt: true,
        withDate: true,
        withNullPrototype: true,
      }),
      async (schema) => {
        try {
          const compiled = await compileSchema(schema, { origin: "agent" });
          await compiled.validate(schema);
          compiled.describe();
        } catch (error) {
          assert.ok(error instanceof AgentSchemaError, String(error));
          assert.ok(!error.message.includes("\n"));
        }
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("types are shown on one line, with notes that cannot end their comment", () => {
  const cases: [unknown, string][] = [
    [true, "unknown"],
    [{ type: "integer", minimum: 1, maximum: 5 }, "number /* integer, from 1 to 5 */"],
    [{ enum: ["a", "b"] }, '"a" | "b"'],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "array", items: { type: "string" }, minItems: 1 }, "string[] /* from 1 items */"],
    [{ anyOf: [{ type: "number" }, { type: "null" }] }, "number | null"],
    [{ type: "array", items: { enum: [1, 2] } }, "Array<1 | 2>"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ prefixItems: [{ type: "string" }, {}], type: "array" }, "[string, unknown]"],
    [{ description: "a\n*/ alert(1) /*\u001b[2J" }, "unknown /* a * / alert(1) /*\\x1b[2J */"],
    [
      { type: "object", properties: { "a-b": { $ref: "#/$defs/x" } }, $defs: { x: { const: 1 } } },
      '{ "a-b"?: 1 }',
    ],
  ];
  for (const [schema, expected] of cases) assert.equal(typeText(schema), expected);
});
