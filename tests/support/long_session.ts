/** Manifests of sessions of any age, as honest use makes them, for tests of the resume. */
import { noUsage } from "../../lib/model/usage.ts";
import type { RestoreReport } from "../../repl/snapshot.ts";
import { emptyManifest, type Manifest, type Origin } from "../../lib/session_format.ts";

/** A manifest whose records may be filled in. */
export type Draft = {
  -readonly [K in keyof Manifest]: Manifest[K] extends readonly (infer T)[] ? T[]
    : Manifest[K] extends Readonly<Record<string, infer T>> ? Record<string, T>
    : Manifest[K];
};

const value = { payload: "a".repeat(64), slot: 0 };

/** Adds a variable. */
export function addVariable(
  draft: Draft,
  name: string,
  at: Origin,
  given: Partial<Manifest["variables"][string]> = {},
): void {
  const { query, step } = at;
  draft.variables[name] = {
    query,
    step,
    type: "Array(40)",
    preview: "[1, 2, 3]",
    bytes: 9,
    value,
    ...given,
  };
}

/** Adds a function, class or the like. */
export function addFunction(
  draft: Draft,
  name: string,
  at: Origin,
  source: string,
  given: Partial<Manifest["functions"][string]> = {},
): void {
  const { query, step } = at;
  const preview = source.split("\n")[0] ?? "";
  const kind = source.startsWith("class") ? "class" : "function";
  const order = Object.keys(draft.functions).length;
  draft.functions[name] = { query, step, kind, source, preview, bytes: 9, order, value, ...given };
}

/** Adds a query that was answered. */
export function addQuery(
  draft: Draft,
  query: string,
  given: Partial<Manifest["queries"][number]> = {},
): number {
  const number = draft.queries.length + 1;
  const started = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
  draft.queries.push({
    number,
    query,
    status: "answered",
    started,
    steps: 3,
    usage: noUsage,
    ...given,
  });
  return number;
}

/** Adds the code of a step. */
export function addStep(
  draft: Draft,
  at: Origin,
  code: string,
  names: string[],
  error?: string,
): void {
  const { query, step } = at;
  draft.steps.push({ query, step, code, names, ...(error !== undefined && { error }) });
}

/** A session over podcast episodes: the first query builds, every later one asks and computes. */
export function longSession(queries: number): Draft {
  const draft = emptyManifest() as Draft;
  for (let index = 0; index < queries; index++) {
    const number = addQuery(draft, `Which guests spoke about topic ${index}, and in what order?`, {
      final:
        `In order: ${names.slice(0, 3 + index % 4).join(", ")}. Topic ${index} first came up in ` +
        `episode ${index % 40}, and was taken up again ${
          index % 7
        } times, mostly in the second half.`,
    });
    const at = (step: number) => ({ query: number, step });
    if (index === 0) buildCorpus(draft);
    addStep(
      draft,
      at(1),
      `const hits${index} = search(episodes, "topic ${index}");\nprint(hits${index}.length)`,
      [
        `hits${index}`,
      ],
    );
    addStep(
      draft,
      at(2),
      `hits${index}.map(h => h.guest.nmae.toUpper())`,
      [],
      "TypeError: x is undefined",
    );
    const summary = `const byGuest${index} = new Map();\nfor (const hit of hits${index}) {\n` +
      `  const list = byGuest${index}.get(hit.guest) ?? [];\n  list.push(hit.at);\n` +
      `  byGuest${index}.set(hit.guest, list);\n}\n// guests of topic ${index} with their times\n` +
      `byGuest${index}`;
    addStep(draft, at(3), summary, [`byGuest${index}`]);
    const preview =
      `[{episode: ${index % 40}, guest: "${names[index % 8]}", at: "00:12:${index % 60}", text: ` +
      `"… and that is where topic ${index} comes in, because …"}, … ${index % 30} more]`;
    addVariable(draft, `hits${index}`, at(1), { type: `Array(${index % 30})`, preview });
    addVariable(draft, `byGuest${index}`, at(3), {
      type: `Map(${index % 8})`,
      preview: `Map {${
        names.slice(0, 1 + index % 8).map((name) => `"${name}" => ["00:12:07"]`).join(", ")
      }}`,
      comment: `guests of topic ${index} with their times`,
    });
  }
  return draft;
}

const names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov"]
  .concat("Donald Knuth", "Frances Allen", "Ken Thompson");

function buildCorpus(draft: Draft): void {
  const at = { query: 1, step: 1 };
  const search =
    "function search(list, words) {\n  return list.filter((e) => e.text.includes(words));\n}";
  const episode = "class Episode {\n  constructor(raw) { this.raw = raw; }\n  minutes() {\n" +
    "    return this.raw.length / 60;\n  }\n  static parse(text) {\n    return new Episode(text);\n  }\n}";
  const code =
    `${episode}\n${search}\n// all episodes, parsed\nconst episodes = context.split("\\n##").map(Episode.parse);`;
  addStep(draft, at, code, ["Episode", "search", "episodes"]);
  addVariable(draft, "episodes", at, {
    type: "Array(40)",
    preview: '[Episode {raw: "# Episode 1: Where it began\\nGuests: Ada Lovelace"}, … 39 more]',
    comment: "all episodes, parsed",
    committed: true,
    note: "the whole corpus; start here",
  });
  addFunction(draft, "search", at, search, { comment: "episodes whose text holds the words" });
  addFunction(draft, "Episode", at, episode);
}

/** A restore that brought back every name. */
export function allRestored(manifest: Manifest): RestoreReport {
  const restored = [...Object.keys(manifest.variables), ...Object.keys(manifest.functions)];
  return { restored, degraded: [], failed: [] };
}
