/**
 * The replies of the demo's model. They were written by hand, the way a capable model would write
 * them: no model was asked. Everything else in the demo is real: these replies go through the same
 * engine, sandbox, sub-agents, sweep and restore as a model's would.
 *
 * @module
 */

/** Replies in order by the path of the agent, or of its completion (`0.c1`). */
export type Replies = Readonly<Record<string, readonly string[]>>;

const code = (reasoning: string, source: string): string =>
  `${reasoning}\n\n\`\`\`js\n${source.trim()}\n\`\`\``;

/** The replies by the question that they belong to. */
export const REPLIES: Readonly<Record<string, Replies>> = {
  build: {
    "0": [
      code(
        "I look at the shape of the text first: how episodes are divided, and how one begins and ends.",
        String.raw`
const parts = context.split(/^=== EPISODE (\d+) ===$/m);
print((parts.length - 1) / 2, "episodes");
print(parts[2].slice(0, 480));
print("…", parts[2].slice(-560));
`,
      ),
      code(
        "Headers are regular, turns are `[time] NAME: text`. I parse into a class that later queries can use, and look at the kinds of header lines while I am at it.",
        String.raw`
const labels = {};
for (const [, label] of context.matchAll(/^([A-Z][a-z]+): /gm)) labels[label] = (labels[label] ?? 0) + 1;
print(labels, new Set(context.match(/^Length: .*$/gm).map((line) => line.replace(/\d+/g, "N"))));

class Episode {
  constructor(number, text) {
    const field = (label) => text.match(new RegExp("^" + label + ": (.*)$", "m"))[1];
    this.number = Number(number);
    this.title = field("Title");
    this.minutes = parseInt(field("Length"));
    this.guests = field("Guest").split("; ");
  }
}
const episodes = [];
for (let i = 1; i < parts.length; i += 2) episodes.push(new Episode(parts[i], parts[i + 1]));
`,
      ),
      code(
        "Episodes with two guests say `Guests:`, and long ones say `1 h 04 min`, which parseInt would have read as 1. Corrected for both. I also look where guests name a title before the closing question, and how the questions to two guests are introduced.",
        String.raw`
class Episode {
  constructor(number, text) {
    const field = (label) => text.match(new RegExp("^" + label + ": (.*)$", "m"))[1];
    const [, hours, minutes] = field("Length").match(/(?:(\d+) h )?(\d+) min/);
    this.number = Number(number);
    this.title = field("Title");
    this.date = field("Date");
    this.host = field("Host");
    this.sponsor = field("Sponsor");
    this.minutes = 60 * (hours ?? 0) + Number(minutes);
    this.guests = field("Guests?").split("; ").map((guest) => guest.split(" (")[0]);
    this.words = {};
    for (const { speaker, said } of turnsOf(text)) {
      const name = [this.host, ...this.guests].find((full) => full.split(" ")[0].toUpperCase() === speaker);
      this.words[name] = (this.words[name] ?? 0) + said.split(/\s+/).length;
    }
  }
  /** Share of all words, 0 to 1. */
  share(name) {
    return this.words[name] / Object.values(this.words).reduce((a, b) => a + b);
  }
  /** The guest who says most. */
  talker() {
    return this.guests.toSorted((a, b) => this.words[b] - this.words[a])[0];
  }
}
function turnsOf(text) {
  return [...text.matchAll(/^\[[\d:]+\] (\S+): (.*)$/gm)].map(([, speaker, said]) => ({ speaker, said }));
}
const texts = new Map();
for (let i = 1; i < parts.length; i += 2) texts.set(Number(parts[i]), parts[i + 1]);
const episodes = [...texts].map(([number, text]) => new Episode(number, text)); // Episode instances, [0] is number 1; minutes as listed
const guests = new Map(); // name → {role, company, episodes}
for (const [, name, role, company] of context.matchAll(/(?<=^Guests?: .*)([\p{L} ']+?) \(([^,]+), ([^)]+)\)/gmu)) {
  guests.set(name.trim(), { role, company, episodes: episodes.filter((e) => e.guests.includes(name.trim())).map((e) => e.number) });
}
const early = [], asked = [];
for (const { number, host, guests: two } of episodes) {
  const turns = turnsOf(texts.get(number)), isHost = (turn) => turn.speaker === host.split(" ")[0].toUpperCase();
  turns.slice(0, -6).forEach((t) => !isHost(t) && t.said.includes('"') && early.push(number + ": …" + t.said.slice(t.said.indexOf('"') - 30)));
  if (two.length > 1) asked.push(number + ": " + turns.filter((t) => isHost(t) && /\b(both|each of you|two of you)\b/.test(t.said)).map((t) => t.said.slice(-60)));
}
print(episodes.length, guests.size, Math.min(...episodes.map((e) => e.minutes)), Math.max(...episodes.map((e) => e.minutes)));
print(early.join("\n"));
print(asked.join("\n"));
`,
      ),
      code(
        "Titles before the end are only mentioned, mostly with scorn: I take those of the last six turns. The questions to two guests are found; what the guests think of them, what is a correction, and which figures do not fit are for reading. The answer itself is counted, so I check what was read against the text and end in the same step.",
        String.raw`
const recommendations = new Map(); // guest → [{episode, title}] as said on air
const predictions = []; // {episode, guest, year, claim, odds in ten}
const mentions = [], passages = [], figures = { Mara: [], Ilse: [], Hugo: [] };
const inWords = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
for (const episode of episodes) {
  const { number } = episode, turns = turnsOf(texts.get(number));
  const guestOf = (turn) => episode.guests.find((name) => name.split(" ")[0].toUpperCase() === turn.speaker);
  for (const turn of turns.slice(-6).filter(guestOf)) {
    for (const [, title] of turn.said.matchAll(/"([^"]+)"/g)) {
      const guest = guestOf(turn);
      recommendations.set(guest, [...(recommendations.get(guest) ?? []), { episode: number, title }]);
    }
  }
  const at = turns.findIndex((turn) => guestOf(turn) && /^By 20\d\d, /.test(turn.said));
  const [, year, claim, odds] = turns[at].said.match(/^By (\d+), (.*?)\. .*?(\w+)(?: chances)? in ten/);
  predictions.push({ episode: number, guest: guestOf(turns[at]), year: Number(year), claim, odds: inWords.indexOf(odds.toLowerCase()) + 1 });
  const mention = turns[0].said.match(/((?:[^.]*\. )?[^.]*)\bepisode (\d+)\b.*/i);
  if (mention) mentions.push("In " + number + ": " + mention[0]);
  const from = turns.findIndex((turn) => !guestOf(turn) && /\b(both|each of you|two of you)\b/.test(turn.said));
  if (episode.guests.length > 1) passages.push("EPISODE " + number + "\n" + turns.slice(from, at - 1).map((t) => t.speaker + ": " + t.said).join("\n"));
  for (const { speaker, said } of turns) {
    const name = speaker[0] + speaker.slice(1).toLowerCase();
    for (const sentence of said.match(/[^.?]+[.?]/g)) if (figures[name] && /\d{3}/.test(sentence) && !sentence.startsWith("By 20")) figures[name].push(number + ": " + sentence.trim());
  }
}
const list = (properties) => ({ type: "array", items: { type: "object", properties, required: Object.keys(properties) } });
const integer = { type: "integer" }, string = { type: "string" };
const [corrections, debates, found] = await Promise.all([
  llm_complete("Which of these remarks put something right about an earlier episode? kind is length, recommendation or figure.\n\n" + mentions.join("\n"),
    { schema: list({ episode: integer, about: integer, kind: string, was: {}, now: {} }) }),
  llm_complete("Who is for and who against what the host asks, at first, and who comes around to the other's view by the end (null if nobody)? First names.\n\n" + passages.join("\n\n"),
    { schema: list({ episode: integer, for: string, against: string, cameAround: { type: ["string", "null"] } }) }),
  batch_llm_query(Object.entries(figures).map(([name, lines]) => ({
    context: lines.join("\n"),
    instruction: "Find the figure that " + name + " gives differently for the same thing in two episodes (the number at the start of each line).",
    schema: { type: "object", properties: { guest: string, subject: string, firstEpisode: integer, first: integer, secondEpisode: integer, second: integer }, required: ["guest", "subject", "first", "second"] },
  }))),
]);
const full = (first) => first && [...guests.keys()].find((name) => name.startsWith(first + " "));
if (debates.length !== passages.length) throw new Error("debates: " + debates.length);
for (const c of corrections.filter((c) => c.kind === "length")) if (episodes[c.about - 1].minutes !== c.was) throw new Error("length of " + c.about);
for (const one of found) if (!figures[one.guest].some((line) => line.includes(String(one.first)))) throw new Error("figures: " + one.subject);
for (const debate of debates) for (const key of ["for", "against", "cameAround"]) debate[key] = full(debate[key]);
const differing = found.map((one) => ({ ...one, guest: full(one.guest) })); // figures that one guest gives differently
/** Minutes as the headers list them, of episodes dated from up to and with to ("2023-01-01"). */
function totalMinutes(from, to) {
  return episodes.filter((e) => e.date >= from && e.date <= to).reduce((sum, e) => sum + e.minutes, 0);
}
commit("episodes", "Episode: number, title, date, host, sponsor, minutes, guests (names), words {speaker: count}");
commit("guests", "Map by name");
commit("recommendations", "Map by guest; not corrected");
commit("corrections", "of headers and of what was said; nothing here is applied elsewhere");
commit("debates", "who was for and against the host's question; cameAround: who changed sides");
const [most] = [...guests].toSorted((a, b) => b[1].episodes.length - a[1].episodes.length);
FINAL({ episodes: episodes.length, guests: guests.size, mostFrequentGuest: most[0], appearances: most[1].episodes.length });
`,
      ),
    ],
    "0.c1": [
      `[{"episode":13,"about":10,"kind":"length","was":56,"now":65},{"episode":16,"about":12,"kind":"figure","was":1400,"now":1140},{"episode":24,"about":21,"kind":"recommendation","was":"Marrow","now":"The Weight of a Door"},{"episode":26,"about":22,"kind":"length","was":37,"now":30},{"episode":31,"about":19,"kind":"recommendation","was":"Sowing for Strangers","now":"Dust and Its Habits"},{"episode":36,"about":33,"kind":"figure","was":62,"now":26},{"episode":38,"about":7,"kind":"length","was":36,"now":47}]`,
    ],
    "0.c2": [
      `[{"episode":5,"for":"Farid","against":"Gwen","cameAround":null},{"episode":9,"for":"Owen","against":"Mara","cameAround":null},{"episode":14,"for":"Henrik","against":"Priya","cameAround":"Henrik"},{"episode":18,"for":"Sam","against":"Wen","cameAround":null},{"episode":23,"for":"Luc","against":"Amara","cameAround":"Amara"},{"episode":28,"for":"Dolores","against":"Kenji","cameAround":null},{"episode":33,"for":"Ilse","against":"Tobias","cameAround":"Ilse"},{"episode":37,"for":"Piotr","against":"Carla","cameAround":null}]`,
    ],
    "0.0": [
      code("The list is short; I read it whole.", "context"),
      code(
        "The bridges on her round: 340 in episode 1, 412 in episode 21, though it has never changed.",
        `FINAL({ guest: "Mara", subject: "bridges on her round", firstEpisode: 1, first: 340, secondEpisode: 21, second: 412 })`,
      ),
    ],
    "0.1": [
      code("I read all of it.", "context"),
      code(
        "The beginning of the record: 1897 in episode 2, 1904 in episode 29.",
        `FINAL({ guest: "Ilse", subject: "year in which the record begins", firstEpisode: 2, first: 1897, secondEpisode: 29, second: 1904 })`,
      ),
    ],
    "0.2": [
      code("Few lines; I read them.", "context"),
      code(
        "The steps at Saint Audrey: 188 in episode 15, 206 in episode 38.",
        `FINAL({ guest: "Hugo", subject: "steps to the clock at Saint Audrey", firstEpisode: 15, first: 188, secondEpisode: 38, second: 206 })`,
      ),
    ],
  },
  lookup: {
    "0": [code("The Map has it.", `FINAL(recommendations.get("Mara Lindqvist"))`)],
  },
  function: {
    "0": [
      code(
        "There is a function for it.",
        `const minutes2023 = totalMinutes("2023-01-01", "2023-12-31"); // by the headers\nFINAL(minutes2023)`,
      ),
    ],
  },
  method: {
    "0": [
      code(
        "Episode has methods for both.",
        `const e37 = episodes[36];\nFINAL({ guest: e37.talker(), hostPercent: Math.round(100 * e37.share(e37.host)) })`,
      ),
    ],
  },
  join: {
    "0": [
      code(
        "I join the recommendations with the companies in `guests`.",
        `const companiesByTitle = new Map(); // title → Set of companies whose guests recommended it
for (const [guest, said] of recommendations) for (const { title } of said) {
  companiesByTitle.set(title, (companiesByTitle.get(title) ?? new Set()).add(guests.get(guest).company));
}
FINAL([...companiesByTitle].filter(([, companies]) => companies.size > 1).map(([title]) => title).sort())`,
      ),
    ],
  },
  correction: {
    "0": [
      code(
        "Corrections of lengths whose episode is of 2023, added to my figure.",
        `const after = corrections.filter((c) => c.kind === "length" && episodes[c.about - 1].date.startsWith("2023"))
  .reduce((sum, c) => sum + c.now - c.was, minutes2023);
FINAL({ before: minutes2023, after })`,
      ),
    ],
  },
  summary: {
    "0": [
      code(
        "Everything is in `debates` and `differing`.",
        `FINAL({
  debates: debates.map(({ episode, for: pro, against, cameAround }) => ({ episode, for: pro, against, cameAround })),
  cameAround: debates.filter((debate) => debate.cameAround).length,
  differingFigures: differing.map(({ guest, first, second }) => ({ guest, first, second })),
})`,
      ),
    ],
  },
};
