/**
 * The corpus of the demo: 40 transcripts of an invented podcast, made from a seed, and the truth
 * about them. The text is the same, byte for byte, on every machine.
 *
 * @module
 */
import { CORRECTIONS, type PlannedCorrection } from "./corpus/corrections.ts";
import { DEBATES } from "./corpus/debates.ts";
import { type Episode, makeEpisode, type Studio, type Turn } from "./corpus/episode.ts";
import { Words } from "./corpus/expand.ts";
import { type GuestName, GUESTS } from "./corpus/guests.ts";
import { CONTRADICTIONS, PLAN, SHARED_TITLES } from "./corpus/plan.ts";
import { Random } from "./corpus/random.ts";
import { IN_PASSING, type Title, TITLES } from "./corpus/titles.ts";
import type { CorrectionTruth, Truth } from "./corpus/truth.ts";

export type {
  ContradictionTruth,
  CorrectionTruth,
  DebateTruth,
  EpisodeTruth,
  PredictionTruth,
  RecommendationTruth,
  Truth,
} from "./corpus/truth.ts";

/** The seed of the committed corpus. */
export const CORPUS_SEED = 1897;

/** A corpus and what is true of it. */
export interface Corpus {
  readonly text: string;
  readonly truth: Truth;
}

/** Makes the corpus; the same seed gives the same text. */
export function generateCorpus(seed: number = CORPUS_SEED): Corpus {
  const words = new Words(new Random(seed));
  const listed = PLAN.map(() => words.random.integer(34, 79));
  const studio = openStudio(words, listed);
  const episodes = PLAN.map((planned, at) =>
    makeEpisode(at + 1, planned, listed[at] as number, studio)
  );
  const text = [PREFACE, ...episodes.map(printEpisode)].join("\n");
  return { text, truth: truthOf(episodes, studio) };
}

const PREFACE = `WORKING PARTS
Transcripts of episodes 1 to 40, shortened for reading; times are those of the recording.
The podcast, its guests, companies, places, books and tools are invented.
`;

/** Deals out the titles: the shared ones as planned, every other one once. */
function openStudio(words: Words, listed: readonly number[]): Studio {
  const byName = new Map(TITLES.map((title) => [title.title, title]));
  const reserved = new Set<unknown>([
    ...Object.keys(SHARED_TITLES),
    ...CORRECTIONS.map(({ now }) => now),
  ]);
  const free = words.random.shuffle(TITLES.filter(({ title }) => !reserved.has(title)));
  const given = new Map<string, Title>();
  for (const [title, places] of Object.entries(SHARED_TITLES)) {
    for (const [episode, guest] of places) given.set(`${episode} ${guest}`, byName.get(title)!);
  }
  const spareTitle = (): Title => {
    const title = free.pop();
    if (title === undefined) throw new Error("There are fewer titles than recommendations");
    return title;
  };
  const titleFor = (episode: number, guest: GuestName): Title => {
    const key = `${episode} ${guest}`;
    const title = given.get(key) ?? spareTitle();
    given.set(key, title);
    return title;
  };
  return {
    words,
    titleFor,
    spareTitle,
    wasOf: (correction) => correction.was ?? drawn(correction, listed, titleFor),
  };
}

function drawn(
  { kind, about, guest }: PlannedCorrection,
  listed: readonly number[],
  titleFor: Studio["titleFor"],
): number | string {
  if (kind === "length") return listed[about - 1] as number;
  return titleFor(about, guest as GuestName).title;
}

/** Every second Tuesday from 6 September 2022. */
function dateOf(number: number): string {
  const first = Date.UTC(2022, 8, 6);
  return new Date(first + (number - 1) * 14 * 86_400_000).toISOString().slice(0, 10);
}

/** Minutes as the show prints them: hours only where there are any. */
function printedLength(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function printEpisode(episode: Episode): string {
  const { number, title, host, guests, sponsor, listedMinutes, minutes, turns } = episode;
  const listed = guests.map(({ name, role, company }) => `${name} (${role}, ${company})`);
  const header = [
    `=== EPISODE ${number} ===`,
    `Title: ${title}`,
    `Date: ${dateOf(number)}`,
    `Host: ${host}`,
    `${listed.length === 1 ? "Guest" : "Guests"}: ${listed.join("; ")}`,
    `Sponsor: ${sponsor}`,
    `Length: ${printedLength(listedMinutes)}`,
    "",
  ];
  return [...header, ...timed(turns, minutes), ""].join("\n");
}

/** Turns with their times, spread over the length by their words. */
function timed(turns: readonly Turn[], minutes: number): string[] {
  const total = turns.reduce((sum, { text }) => sum + wordsIn(text), 0);
  const seconds = minutes * 60 - 5;
  let spoken = 0;
  return turns.map(({ speaker, text }) => {
    const at = Math.floor(seconds * spoken / total);
    spoken += wordsIn(text);
    const [h, m, s] = [at / 3600, (at / 60) % 60, at % 60].map((part) =>
      String(Math.floor(part)).padStart(2, "0")
    );
    return `[${h}:${m}:${s}] ${speaker.split(" ", 1)[0]!.toUpperCase()}: ${text}`;
  });
}

function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}

function truthOf(episodes: readonly Episode[], studio: Studio): Truth {
  const name = (guest: GuestName): string => GUESTS[guest].name;
  return {
    episodes: episodes.map((episode) => {
      const words: Record<string, number> = {};
      for (const { speaker, text } of episode.turns) {
        words[speaker] = (words[speaker] ?? 0) + wordsIn(text);
      }
      const { number, title, host, sponsor, listedMinutes, minutes } = episode;
      const guests = episode.guests.map(({ name, role, company }) => ({ name, role, company }));
      const date = dateOf(number);
      return { number, title, date, host, guests, sponsor, listedMinutes, minutes, words };
    }),
    recommendations: episodes.flatMap(({ recommendations }) => recommendations),
    predictions: episodes.flatMap(({ predictions }) => predictions),
    corrections: CORRECTIONS.map((one): CorrectionTruth => {
      const was = studio.wasOf(one);
      const now = one.kind === "length" ? Number(was) + Number(one.now) : one.now;
      return { episode: one.episode, about: one.about, kind: one.kind, was, now };
    }),
    debates: DEBATES.map((debate) => ({
      episode: debate.episode,
      question: debate.question,
      for: name(debate.for),
      against: name(debate.against),
      cameAround: debate.cameAround === undefined ? null : name(debate.cameAround),
    })),
    contradictions: CONTRADICTIONS.map(({ guest, subject, first, second }) => ({
      guest: name(guest),
      subject,
      first,
      second,
    })),
    inPassing: Object.entries(IN_PASSING).map(([episode, said]) => ({
      episode: Number(episode),
      title: /"([^"]+)"/.exec(said)![1]!,
    })),
  };
}

if (import.meta.main) {
  await Deno.writeTextFile(new URL("./episodes.txt", import.meta.url), generateCorpus().text);
}
