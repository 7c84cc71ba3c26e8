/**
 * The session of the demo and of the experiment: one query that builds, and six that are answered
 * from what it left, each by a new kind of use.
 *
 * @module
 */
import type { Truth } from "./corpus/truth.ts";

/** One query of the session. */
export interface Question {
  /** Names the question in tables and in the recorded replies. */
  readonly id: string;
  /** What the session is used for, for readers. */
  readonly use: string;
  readonly prompt: string;
  /** JSON Schema of the answer, beside this file, where one is asked for. */
  readonly schemaFile?: string;
  /** The one right answer. */
  expected(truth: Truth): unknown;
}

/** The queries in the order in which they are asked. */
export const QUESTIONS: readonly Question[] = [
  {
    id: "build",
    use: "builds the index",
    prompt:
      `Index this podcast archive for later questions: the episodes with what their headers say \
and how many words each speaker says (split at white space); the guests; what each guest recommends \
at the end of an episode; the predictions; what later episodes put right about earlier ones; who is \
for and who against the question that is put to two guests, and who comes around to the other's view; \
and figures that Mara, Ilse or Hugo give differently in different episodes. Then answer with an object \
{episodes, guests, mostFrequentGuest, appearances}: the number of episodes, of different guests, and \
who was a guest most often.`,
    expected: ({ episodes }) => {
      const counts = appearances(episodes);
      const [mostFrequentGuest, times] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
      return {
        episodes: episodes.length,
        guests: counts.size,
        mostFrequentGuest,
        appearances: times,
      };
    },
  },
  {
    id: "lookup",
    use: "looks into a Map",
    prompt: "What did Mara Lindqvist recommend, as she said it on air? Answer with an array of " +
      "{episode, title} in the order in which she said it.",
    expected: ({ recommendations }) =>
      recommendations.filter(({ guest }) => guest === "Mara Lindqvist")
        .map(({ episode, title }) => ({ episode, title })),
  },
  {
    id: "function",
    use: "calls a function that was saved",
    prompt:
      "How many minutes do the episodes of the year 2023 have in all, by their headers? Answer " +
      "with the number.",
    expected: ({ episodes }) => minutesOf2023(episodes, "listedMinutes"),
  },
  {
    id: "method",
    use: "calls a method of a class instance",
    prompt: "Whose words are the larger part of episode 37 among its two guests, and what is the " +
      "host's share of all words in it? Answer with an object {guest, hostPercent}, the share " +
      "rounded to a whole number.",
    expected: ({ episodes }) => {
      const { host, guests, words } = episodes.find(({ number }) => number === 37)!;
      const said = (name: string): number => words[name] ?? 0;
      const all = Object.values(words).reduce((sum, count) => sum + count, 0);
      const [first] = guests.map(({ name }) => name).sort((a, b) => said(b) - said(a));
      return { guest: first, hostPercent: Math.round(100 * said(host) / all) };
    },
  },
  {
    id: "join",
    use: "joins two saved structures",
    prompt:
      "Which titles were recommended by guests of different companies? Answer with an array of " +
      "the titles in alphabetical order.",
    expected: ({ recommendations, episodes }) => {
      const companies = new Map<string, Set<string>>();
      for (const { episode, guest, title } of recommendations) {
        const { guests } = episodes.find(({ number }) => number === episode)!;
        const { company } = guests.find(({ name }) => name === guest)!;
        companies.set(title, (companies.get(title) ?? new Set()).add(company));
      }
      return [...companies].filter(([, set]) => set.size > 1).map(([title]) => title).sort();
    },
  },
  {
    id: "correction",
    use: "corrects an earlier answer",
    prompt:
      "Some running times were put right on air in later episodes. Correct your figure for 2023 " +
      "accordingly. Answer with an object {before, after}.",
    expected: ({ episodes }) => ({
      before: minutesOf2023(episodes, "listedMinutes"),
      after: minutesOf2023(episodes, "minutes"),
    }),
  },
  {
    id: "summary",
    use: "summarises, typed by a schema",
    prompt:
      "Summarise where people differ: the debates between guests, in the order of the episodes, " +
      "how many of them ended with somebody coming around, and the figures that one guest gave " +
      "differently in two episodes, by the first of them.",
    schemaFile: "summary.schema.json",
    expected: ({ debates, contradictions }) => ({
      debates: debates.map(({ episode, for: pro, against, cameAround }) => ({
        episode,
        for: pro,
        against,
        cameAround,
      })),
      cameAround: debates.filter(({ cameAround }) => cameAround !== null).length,
      differingFigures: contradictions.map(({ guest, first, second }) => ({
        guest,
        first: first.value,
        second: second.value,
      })),
    }),
  },
];

function appearances(episodes: Truth["episodes"]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { guests } of episodes) {
    for (const { name } of guests) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function minutesOf2023(
  episodes: Truth["episodes"],
  field: "listedMinutes" | "minutes",
): number {
  return episodes.filter(({ date }) => date.startsWith("2023"))
    .reduce((sum, episode) => sum + episode[field], 0);
}

/** Whether an answer is the expected one: the same data, whatever the order of its keys. */
export function isExpected(answer: unknown, expected: unknown): boolean {
  return canonical(answer) === canonical(expected);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }) ?? "undefined";
}
