import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { generateCorpus } from "../../../lib/demo/corpus.ts";
import { isExpected, QUESTIONS } from "../../../lib/demo/questions.ts";
import { compileSchema } from "../../../lib/output_schema.ts";
import { labelOf, readEpisodes } from "./read_episodes.ts";

const { text, truth } = generateCorpus();
const episodes = readEpisodes(text);
const expected = (id: string): unknown =>
  QUESTIONS.find((question) => question.id === id)!.expected(truth);

Deno.test("a session has one query that builds and six uses of another kind each", () => {
  strictEqual(QUESTIONS.length, 7);
  strictEqual(new Set(QUESTIONS.map(({ use }) => use)).size, 7);
});

Deno.test("the counts of episodes and guests are those of the text", () => {
  const names = episodes.flatMap(({ guests }) => guests.map(({ name }) => name));
  const times = Map.groupBy(names, (name) => name);
  const [[most, all]] = [...times].toSorted((a, b) => b[1].length - a[1].length) as [
    [string, string[]],
  ];
  deepStrictEqual(expected("build"), {
    episodes: episodes.length,
    guests: times.size,
    mostFrequentGuest: most,
    appearances: all.length,
  });
  strictEqual([...times.values()].filter(({ length }) => length === all.length).length, 1);
});

Deno.test("minutes of 2023 are those of the headers, and corrected those of the times", () => {
  const of2023 = episodes.filter(({ fields }) => fields["Date"]!.startsWith("2023"));
  const listed = of2023.reduce((sum, { minutes }) => sum + minutes, 0);
  const real = of2023.reduce((sum, { turns }) => sum + Math.ceil(turns.at(-1)!.seconds / 60), 0);
  strictEqual(expected("function"), listed);
  deepStrictEqual(expected("correction"), { before: listed, after: real });
});

Deno.test("the share of the host is that of the words in the text", () => {
  const { turns, fields, guests } = episodes[36]!;
  const count = (label: string): number =>
    turns.filter(({ speaker }) => speaker === label).flatMap(({ said }) => said.split(/\s+/))
      .length;
  const all = turns.flatMap(({ said }) => said.split(/\s+/)).length;
  const [first] = guests.toSorted((a, b) => count(labelOf(b.name)) - count(labelOf(a.name)));
  deepStrictEqual(expected("method"), {
    guest: first!.name,
    hostPercent: Math.round(100 * count(labelOf(fields["Host"]!)) / all),
  });
});

Deno.test("titles of several companies leave out those of one", () => {
  const titles = expected("join") as string[];
  ok(titles.includes("Tidewrack"));
  ok(!titles.includes("The Long Pipe"), "both of its guests are of Saltmarsh Water");
});

Deno.test("the typed summary matches its schema", async () => {
  const { schemaFile } = QUESTIONS.find(({ id }) => id === "summary")!;
  const file = new URL(`../../../lib/demo/${schemaFile}`, import.meta.url);
  const schema = await compileSchema(JSON.parse(await Deno.readTextFile(file)));
  const checked = await schema.validate(expected("summary"));
  ok(checked.ok);
});

Deno.test("an answer is right whatever the order of its keys, and wrong with another value", () => {
  ok(isExpected({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }));
  ok(!isExpected([1, 2], [2, 1]));
  ok(!isExpected({ a: 1 }, { a: "1" }));
  ok(!isExpected(undefined, null));
});
