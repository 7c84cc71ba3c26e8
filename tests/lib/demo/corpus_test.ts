import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { generateCorpus } from "../../../lib/demo/corpus.ts";
import { labelOf, type ReadEpisode, readEpisodes } from "./read_episodes.ts";

const committed = await Deno.readTextFile(
  new URL("../../../lib/demo/episodes.txt", import.meta.url),
);
const { truth } = generateCorpus();
const episodes = readEpisodes(committed);
const episode = (number: number): ReadEpisode => episodes[number - 1]!;
const turnsOf = (number: number, name: string): string[] =>
  episode(number).turns.filter(({ speaker }) => speaker === labelOf(name)).map(({ said }) => said);
const firstHostTurn = (number: number): string => episode(number).turns[0]!.said;

Deno.test("the generator makes the committed corpus, byte for byte", () => {
  strictEqual(generateCorpus().text === committed, true, "run deno task corpus");
});

Deno.test("another seed makes another corpus of the same truth in what is planned", () => {
  const other = generateCorpus(7);
  notStrictEqual(other.text, committed);
  deepStrictEqual(other.truth.debates, truth.debates);
});

Deno.test("the corpus has 40 episodes and between 400 and 500 KB", () => {
  const bytes = new TextEncoder().encode(committed).length;
  ok(bytes >= 400_000 && bytes <= 500_000, `${bytes} bytes`);
  deepStrictEqual(
    episodes.map(({ number }) => number),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
});

Deno.test("no slot is left unfilled and no turn is said twice in an episode", () => {
  doesNotMatch(committed, /[{}]|undefined|null|NaN| {2}/);
  for (const { number, turns } of episodes) {
    const long = turns.map(({ said }) => said).filter((said) => said.length > 80);
    strictEqual(new Set(long).size, long.length, `episode ${number}`);
  }
});

Deno.test("headers and words are as the truth says", () => {
  for (const expected of truth.episodes) {
    const { fields, guests, minutes, turns } = episode(expected.number);
    const { title, date, host, sponsor } = expected;
    deepStrictEqual(
      { title, date, host, sponsor },
      {
        title: fields["Title"],
        date: fields["Date"],
        host: fields["Host"],
        sponsor: fields["Sponsor"],
      },
    );
    deepStrictEqual(guests, expected.guests);
    strictEqual(minutes, expected.listedMinutes);
    for (const [name, count] of Object.entries(expected.words)) {
      const said = turns.filter(({ speaker }) => speaker === labelOf(name));
      strictEqual(said.flatMap((turn) => turn.said.split(/\s+/)).length, count, name);
    }
  }
});

Deno.test("times rise and end within the minutes that the episode really takes", () => {
  for (const { number, minutes } of truth.episodes) {
    const times = episode(number).turns.map(({ seconds }) => seconds);
    deepStrictEqual(times, times.toSorted((a, b) => a - b));
    ok(times.at(-1)! < minutes * 60 && times.at(-1)! > minutes * 60 - 120, `episode ${number}`);
  }
});

Deno.test("recommendations are the titles that guests name in the last six turns", () => {
  const found = episodes.flatMap(({ number, guests, turns }) =>
    turns.slice(-6).flatMap(({ speaker, said }) => {
      const guest = guests.find(({ name }) => labelOf(name) === speaker)?.name;
      if (guest === undefined) return [];
      return [...said.matchAll(/"([^"]+)"/g)].map(([, title]) => ({
        episode: number,
        guest,
        title,
      }));
    })
  );
  deepStrictEqual(found, truth.recommendations);
});

Deno.test("titles in passing are named by guests before the end", () => {
  const found = episodes.flatMap(({ number, guests, turns }) =>
    turns.slice(0, -6).filter(({ speaker }) => guests.some(({ name }) => labelOf(name) === speaker))
      .flatMap(({ said }) => [...said.matchAll(/"([^"]+)"/g)])
      .map(([, title]) => ({ episode: number, title }))
  );
  deepStrictEqual(found, truth.inPassing);
});

Deno.test("there is one prediction an episode, with its year and its odds", () => {
  const words = ["four", "five", "six", "seven", "eight", "nine"];
  const found = episodes.flatMap(({ number, guests, turns }) =>
    turns.flatMap(({ speaker, said }) => {
      const [, year, claim, odds] =
        /^By (20\d\d), (.+?)\. .*?(\w+)(?: chances)? in ten/.exec(said) ?? [];
      if (year === undefined) return [];
      const guest = guests.find(({ name }) => labelOf(name) === speaker)!.name;
      const chances = words.indexOf(odds!.toLowerCase()) + 4;
      return [{ episode: number, guest, year: Number(year), claim, odds: chances }];
    })
  );
  deepStrictEqual(found, truth.predictions);
});

Deno.test("corrections are said by the host, about what was printed or said", () => {
  for (const { episode: number, about, kind, was, now } of truth.corrections) {
    const said = firstHostTurn(number);
    match(said, new RegExp(`\\bepisode ${about}\\b`, "i"));
    ok(said.includes(String(was)) && said.includes(String(now)), said);
    if (kind === "length") {
      strictEqual(episode(about).minutes, was);
      strictEqual(truth.episodes[about - 1]!.minutes, now);
    } else ok(episode(about).turns.some((turn) => turn.said.includes(String(was))), `${about}`);
  }
  const mentions = episodes.filter(({ turns }) => /\bepisode \d/i.test(turns[0]!.said));
  ok(mentions.length > truth.corrections.length, "some mentions correct nothing");
  const corrected = new Set(truth.corrections.map(({ about }) => about));
  for (const { number, listedMinutes, minutes } of truth.episodes) {
    if (!corrected.has(number)) strictEqual(listedMinutes, minutes);
  }
});

Deno.test("debates are in every episode with two guests, and are not told by a keyword", () => {
  deepStrictEqual(
    truth.debates.map((debate) => debate.episode),
    episodes.filter(({ guests }) => guests.length === 2).map(({ number }) => number),
  );
  for (const debate of truth.debates) {
    const { turns, guests } = episode(debate.episode);
    const from = turns.findIndex(({ said }) => said.includes(`${debate.question}?`));
    const to = turns.findIndex(({ said }) => /^By 20\d\d/.test(said));
    ok(from > 0 && to > from + 4);
    deepStrictEqual(
      guests.map(({ name }) => name).toSorted(),
      [debate.for, debate.against].toSorted(),
    );
    for (const name of [debate.for, debate.against]) {
      ok(turns.slice(from, to).some(({ speaker }) => speaker === labelOf(name)), name);
    }
    if (debate.cameAround !== null) {
      strictEqual(turns[to - 2]!.speaker, labelOf(debate.cameAround), "has the last word");
    }
    const argued = turns.slice(from + 1, to - 1).map(({ said }) => said).join("\n");
    doesNotMatch(argued, /\b(?:dis)?agree|\bin favou?r\b|\bagainst\b|\byou are right\b/i);
  }
});

Deno.test("contradicting figures are said by the same guest in both episodes", () => {
  for (const { guest, first, second } of truth.contradictions) {
    notStrictEqual(first.value, second.value);
    for (const { episode: number, value } of [first, second]) {
      ok(turnsOf(number, guest).some((said) => said.includes(String(value))), `${guest} ${value}`);
    }
  }
});
