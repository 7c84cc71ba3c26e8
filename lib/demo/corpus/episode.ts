import { CALLBACKS, CORRECTIONS, type PlannedCorrection } from "./corrections.ts";
import { DEBATES } from "./debates.ts";
import type { Domain } from "./domain.ts";
import { DOMAINS, type Words } from "./expand.ts";
import { type Guest, type GuestName, GUESTS } from "./guests.ts";
import { CONTRADICTIONS, HOSTS, type PlannedEpisode, SPONSORS, STAND_IN } from "./plan.ts";
import { type Segment, WORK_SEGMENTS } from "./segments_work.ts";
import { WORLD_SEGMENTS } from "./segments_world.ts";
import * as talk from "./small_talk.ts";
import * as titles from "./titles.ts";
import type { PredictionTruth, RecommendationTruth } from "./truth.ts";

/** Something said. */
export interface Turn {
  /** Full name. */
  readonly speaker: string;
  readonly text: string;
}

/** An episode before it is printed. */
export interface Episode {
  readonly number: number;
  readonly title: string;
  readonly host: string;
  readonly guests: readonly Guest[];
  readonly sponsor: string;
  readonly listedMinutes: number;
  readonly minutes: number;
  readonly turns: readonly Turn[];
  readonly recommendations: readonly RecommendationTruth[];
  readonly predictions: readonly PredictionTruth[];
}

/** What episodes share while they are made. */
export interface Studio {
  readonly words: Words;
  /** The title that a guest recommends in an episode. */
  titleFor(episode: number, guest: GuestName): titles.Title;
  /** A further title, which nobody else recommends. */
  spareTitle(): titles.Title;
  /** What was printed or said before it was put right. */
  wasOf(correction: PlannedCorrection): number | string;
}

const SEGMENTS: readonly Segment[] = [...WORK_SEGMENTS, ...WORLD_SEGMENTS];
/** Stretches of conversation in an episode; fewer where two guests have a question to argue. */
const SEGMENTS_ALONE = 17;
const SEGMENTS_TOGETHER = 16;
const NUMBER_WORDS = ["four", "five", "six", "seven", "eight", "nine"];
const firstName = (full: string): string => full.split(" ", 1)[0] as string;

/** Makes one episode. */
export function makeEpisode(
  number: number,
  planned: PlannedEpisode,
  listedMinutes: number,
  studio: Studio,
): Episode {
  return new EpisodeMaker(number, planned, listedMinutes, studio).make();
}

class EpisodeMaker {
  readonly #turns: Turn[] = [];
  readonly #guests: readonly Guest[];
  readonly #host: string;
  readonly #sponsor: string;
  readonly #domain: Domain;
  readonly #words: Words;

  constructor(
    private readonly number: number,
    private readonly planned: PlannedEpisode,
    private readonly listedMinutes: number,
    private readonly studio: Studio,
  ) {
    this.#words = studio.words;
    this.#guests = planned.guests.map((name) => GUESTS[name]);
    this.#domain = DOMAINS[this.#guests[0]!.domain];
    this.#host = STAND_IN.has(number) ? HOSTS.standIn : HOSTS.usual;
    this.#sponsor = this.#words.deal(sponsorNames);
  }

  make(): Episode {
    const { number, planned, listedMinutes } = this;
    this.#opening();
    this.#conversation();
    this.#debate();
    const predictions = [this.#prediction()];
    const recommendations = this.#recommendations();
    this.#host_(talk.GOODBYES, {
      firsts: this.#guests.map((g) => firstName(g.name)).join(" and "),
    });
    const corrected = CORRECTIONS.find(({ kind, about }) => kind === "length" && about === number);
    return {
      number,
      title: planned.title,
      host: this.#host,
      guests: this.#guests,
      sponsor: this.#sponsor,
      listedMinutes,
      minutes: listedMinutes + (corrected ? Number(corrected.now) : 0),
      turns: this.#turns,
      recommendations,
      predictions,
    };
  }

  #say(speaker: string, ...sentences: readonly string[]): void {
    this.#turns.push({ speaker, text: sentences.filter((one) => one !== "").join(" ") });
  }

  #fill(template: string, given: Readonly<Record<string, string>> = {}): string {
    return this.#words.fill(template, this.#domain, given);
  }

  /** The host says one of the templates. */
  #host_(templates: readonly string[], given: Readonly<Record<string, string>> = {}): void {
    this.#say(this.#host, this.#fill(this.#words.deal(templates), given));
  }

  #opening(): void {
    const { number } = this;
    const welcome = this.#fill(this.#words.deal(talk.WELCOMES), {
      number: String(number),
      title: this.planned.title,
      host: this.#host,
    });
    const corrections = CORRECTIONS.filter(({ episode }) => episode === number).map((one) => {
      const was = this.studio.wasOf(one);
      const now = one.kind === "length" ? Number(was) + Number(one.now) : one.now;
      return this.#fill(one.said, { was: String(was), now: String(now) });
    });
    this.#say(this.#host, welcome, ...corrections, CALLBACKS[number] ?? "");
    for (const guest of this.#guests) {
      const { name, role, company } = guest;
      this.#host_(talk.INTRODUCTIONS, { name, role, company });
      this.#say(name, this.#fill(this.#words.deal(talk.HELLOS)));
    }
  }

  #conversation(): void {
    const alone = this.#guests.length === 1;
    const count = alone ? SEGMENTS_ALONE : SEGMENTS_TOGETHER;
    const segments = this.#words.random.shuffle(SEGMENTS).slice(0, count);
    const planted = this.#planted();
    for (const [at, segment] of segments.entries()) {
      const guest = this.#guests[at % this.#guests.length]!;
      if (at === Math.floor(count / 2)) this.#sponsorBreak(guest);
      const due = planted.findIndex((one) => one.guest === guest.name);
      const extra = at >= 2 && due >= 0 ? planted.splice(due, 1)[0]!.text : "";
      this.#segment(segment, guest, extra);
    }
  }

  #sponsorBreak(guest: Guest): void {
    const line = SPONSORS[this.#sponsor] as string;
    this.#host_(talk.SPONSOR_BREAKS, {
      sponsor: this.#sponsor,
      line,
      first: firstName(guest.name),
    });
  }

  #segment(segment: Segment, guest: Guest, extra: string): void {
    const { random } = this.#words;
    const fill = (templates: readonly string[]) => this.#fill(this.#words.deal(templates));
    this.#host_(segment.questions);
    const fact = random.next() < 0.5 ? fill(this.#domain.facts) : "";
    this.#say(guest.name, fill(segment.answers), extra, fact);
    this.#host_(talk.REACTIONS);
    const second = random.next() < 0.6 ? fill(segment.answers) : "";
    this.#say(guest.name, fill(segment.more), second);
    if (random.next() < 0.45) {
      this.#host_(talk.REACTIONS);
      this.#say(
        guest.name,
        fill(segment.more),
        random.next() < 0.5 ? fill(this.#domain.facts) : "",
      );
    }
  }

  /** Sentences that a guest has to say somewhere in this episode. */
  #planted(): { guest: string; text: string }[] {
    const { number } = this;
    const planted: { guest: string; text: string }[] = [];
    for (const { guest, first, second, said } of CONTRADICTIONS) {
      for (const [at, place] of [first, second].entries()) {
        if (place.episode !== number) continue;
        planted.push({
          guest: GUESTS[guest].name,
          text: (said[at] as string).replace("#", String(place.value)),
        });
      }
    }
    for (const { about, original, guest, was } of CORRECTIONS) {
      if (about !== number || original === undefined || guest === undefined) continue;
      planted.push({ guest: GUESTS[guest].name, text: this.#fill(original, { was: String(was) }) });
    }
    const passing = titles.IN_PASSING[number];
    if (passing !== undefined) planted.push({ guest: this.#guests[0]!.name, text: passing });
    return planted;
  }

  #debate(): void {
    const debate = DEBATES.find(({ episode }) => episode === this.number);
    if (debate === undefined) return;
    this.#host_(talk.DEBATE_OPENINGS, { question: debate.question });
    for (const [who, text] of debate.turns) {
      this.#say(who === "HOST" ? this.#host : GUESTS[who].name, text);
    }
  }

  #prediction(): PredictionTruth {
    const guest = this.#guests[0]!.name;
    const { random } = this.#words;
    const year = random.integer(2026, 2035);
    const claim = this.#words.deal(this.#domain.claims);
    const odds = this.#words.deal(NUMBER_WORDS);
    this.#host_(talk.PREDICTION_QUESTIONS);
    this.#say(
      guest,
      `By ${year}, ${claim}.`,
      this.#fill(this.#words.deal(talk.ODDS), { odds }),
    );
    const chances = NUMBER_WORDS.indexOf(odds) + 4;
    return { episode: this.number, guest, year, claim, odds: chances };
  }

  #recommendations(): RecommendationTruth[] {
    const { number } = this;
    const listeners = titles.FROM_LISTENERS[number];
    const found: RecommendationTruth[] = [];
    for (const [at, first] of this.planned.guests.entries()) {
      const guest = GUESTS[first].name;
      const question = at === 0 ? this.#fill(this.#words.deal(talk.CLOSING_QUESTIONS)) : "";
      const letter = at === 0 && listeners !== undefined
        ? this.#fill(this.#words.deal(talk.LISTENER_TITLES), { title: listeners })
        : "";
      this.#say(this.#host, question || `And you, ${first}?`, letter);
      const title = this.studio.titleFor(number, first);
      found.push({ episode: number, guest, title: title.title });
      const sentences = [this.#recommend(title), this.#fill(this.#words.deal(titles.REASONS))];
      if (number % 10 === 0) {
        const also = this.studio.spareTitle();
        found.push({ episode: number, guest, title: also.title });
        const named = `"${also.title}", ${also.author ? `by ${also.author}` : also.what}`;
        sentences.push(this.#fill(this.#words.deal(titles.SECOND_ANSWERS), { also: named }));
      }
      this.#say(guest, ...sentences);
    }
    return found;
  }

  #recommend({ title, author, what }: titles.Title): string {
    const templates = author === undefined ? titles.TOOL_ANSWERS : titles.BOOK_ANSWERS;
    const given = { title, author: author ?? "", what: what ?? "" };
    return this.#fill(this.#words.deal(templates), given);
  }
}

const sponsorNames: readonly string[] = Object.keys(SPONSORS);
